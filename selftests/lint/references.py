#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""references.py LIST: resolve what the docs and comments of a tree cite

LIST is a file with the path of one file of the tree on each line. The current directory is
the top of the tree. Prints FILE:LINE: KIND: NAME for each reference that does not resolve, and
the number of all references last.

KIND         what is cited                     where it must be
decision     DEC-07                            a heading of docs/decisions.md
requirement  X-ATOM-001                        selftests/requirements.tsv
vector       N-MSN-02, in documents            selftests/vectors/*.tsv
rfc          RFC 7306 §4.1, section 7          selftests/lint/rfc-sections.tsv
file         a/b.c, b.c, driver/core           the tree, or what code includes
heading      b.md, "Heading"                   a heading of that file
link         [text](FILE#heading)              the tree, and a heading of FILE
function     name()                            defined, declared or called in code
name         xiw_NAME, XIW_NAME                code
option       --name                            code
word         `a-name`, in documents            code, or the name of a file
target       make TARGET, in documents         Makefile
lab          lab VERB, in documents            selftests/vm/lab
command      xiw COMMAND, in documents         utils/xiw/cmd
key          xiw config set DEVICE KEY=VALUE   utils/xiw/model/settings.cpp

A document is a file of Markdown or scdoc, or a table (*.tsv); of other files only the comments
are read. selftests/lint/elsewhere.tsv lists the accepted references to what is outside the tree,
with reasons. A row that no reference needs is printed, too.
"""
import posixpath
import re
import sys
from pathlib import Path

C_LIKE = {".c", ".h", ".cpp", ".hpp", ".bt", ".S"}
DOCUMENTS = {".md", ".scd", ".tsv"}
IGNORED = re.compile(
    r"\.(png|svg|json|pcap|bin|map)$|^(LICENSES/|COPYING|uapi/linux/)"
    r"|^selftests/(vectors/|lint/(rfc-sections|elsewhere|references$))")

C_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')', re.S)
HASH_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#(?!!)[^\n]*", re.M)
LUA_COMMENT = re.compile(r"--[^\n]*")

# Matches the name of a called or defined function, of a macro, of a pointer to a function, or of
# an assigned member.
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(|#\s*define\s+(\w+)"
                  r"|\(\*(?:const )?(\w+)(?:\[\w+\])?\)\s*\(|\.(\w+)\s*=[^=]")
INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9](?![\w-])")
DASHED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
EXTENSIONS = (r"(?:c|h|cpp|hpp|md|sh|tsv|json|ya?ml|py|scn|lua|bt|svg|png|scd|config|patch|rules"
              r"|service|timer|txt)")
FILE = re.compile(
    r"(?<![\w./$}>*+%@~-])((?:[\w.-]+/)*[\w.*-]*\w\." + EXTENSIONS + r")(?![\w/]|\.\w|-\w|\()"
    r"|(?<![\w./$}>*+%@~-])((?:driver|selftests|utils|uapi|docs|packaging)/[\w./*-]*[\w*])(?![\w*])")
FUNCTION = re.compile(r"(?<![\w$%])((?:[A-Za-z_]\w*(?:::|->|\.))*~?([A-Za-z_]\w*))\(\)")
NAME = re.compile(r"\b(?:xiw|XIW|xiwdv|XIWDV)_\w*\w")
NUMBER = r"(?:[A-Z]|\d+)(?:\.\d+)*"
SECTION = re.compile(r"\b(?:RFC ?(\d{3,5}),?\s+)?(?:§+ ?|(?<=\d )[Ss]ection )("
                     + NUMBER + r"(?:(?:, | and | to )§?\d+(?:\.\d+)+)*)")
VECTOR = re.compile(r"(?<![\w-])(?:N-[A-Z]+|MPA-[A-Z]+\d?|S|W|RR|RS|IM|AR|AA|FA|CS|WI|MX)"
                    r"-\d\d[a-z]?(?![\w-])")
HEADING = re.compile(r'([\w/.-]+\.md),\s(?:\*\s)?"([^"]+)"|"([^"]+)"\sin\s([\w/.-]+\.md)')
# Words that stand for a variable part of a path.
PLACEHOLDER = re.compile(r"\b(?:FILE|NAME|OUT|PICTURES|SCENARIO|SECTION)\b")


def split_code(path, text):
    """Get the comments of a file as [(offset, text)], and its code with blanks for comments."""
    comments, pieces, at = [], [], 0
    suffix = path.suffix
    if suffix in C_LIKE:
        tokens, is_comment = C_TOKEN, lambda m: m.group("comment") is not None
    else:
        tokens = LUA_COMMENT if suffix == ".lua" else HASH_COMMENT
        is_comment = lambda m: True
    for m in tokens.finditer(text):
        if is_comment(m):
            comments.append((m.start(), m.group(0)))
            pieces += [text[at:m.start()], " "]
            at = m.end()
    pieces.append(text[at:])
    return comments, "".join(pieces)


def without_strings(path, code):
    if path.suffix not in C_LIKE:
        return code
    return C_TOKEN.sub(lambda m: '""' if m.group("string") else m.group(0), code)


def slug(heading):
    """Get the anchor of a heading, as forges form it."""
    text = re.sub(r"[`*]", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Tree:
    def __init__(self, paths):
        self.paths = set(paths)
        self.ends = set()           # ends of paths, such as soft/rx.c, rx.c and soft
        self.stems = set()
        self.calls, self.names, self.options, self.dashed = set(), set(), set(), set()
        self.comments = {}          # path: [(offset, text)]
        self.texts, self.codes = {}, {}
        for name in paths:
            self.add_path(name)
            self.stems.add(Path(name).name.split(".")[0])
        for name in paths:
            if not IGNORED.search(name) or name.startswith("uapi/linux/"):
                self.read(name)
        self.read_lists()

    def add_path(self, name):
        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            for begin in range(end):
                self.ends.add("/".join(parts[begin:end]))

    def read(self, name):
        path = Path(name)
        text = path.read_text(encoding="utf-8", errors="replace")
        self.texts[name] = text
        if path.suffix in DOCUMENTS:
            self.comments[name] = [(0, text)]
            return
        if path.suffix == ".patch":
            code, self.comments[name] = text, []
            for other in re.findall(r"^[+-]{3} [ab]/(\S+)", text, re.M):
                self.add_path(other)
        else:
            self.comments[name], code = split_code(path, text)
        self.codes[name] = code
        for groups in CALL.findall(without_strings(path, code)):
            self.calls.update(groups)
        if path.suffix in C_LIKE:
            for header in INCLUDE.findall(code):
                self.add_path(header)
        self.names.update(re.findall(r"[A-Za-z_]\w*", code))
        self.options.update(OPTION.findall(code))
        self.dashed.update(DASHED.findall(code))
        if name.startswith("uapi/linux/"):
            self.comments[name] = []

    def read_lists(self):
        def column(pattern, *globs):
            found = set()
            for name in sorted(self.paths):
                if any(Path(name).match(g) for g in globs):
                    found.update(re.findall(pattern, Path(name).read_text(encoding="utf-8"), re.M))
            return found
        self.decisions = column(r"^#+ (DEC-\d+)", "docs/decisions.md")
        self.requirements = column(r"^([A-Z]-[A-Z0-9]+-\d{3}[a-z]?)\t",
                                   "selftests/requirements.tsv")
        self.vectors = column(r"^([A-Z][A-Z0-9-]*-[A-Z0-9]+[a-z]?)\t", "selftests/vectors/*.tsv")
        self.targets = column(r"^([a-z][a-z0-9_-]*(?: [a-z][a-z0-9_-]*)*):", "Makefile")
        self.targets = {t for line in self.targets for t in line.split()}
        self.verbs = column(r"^([a-z-]+(?: \| [a-z-]+)*)\)", "selftests/vm/lab")
        self.verbs = {v for alternatives in self.verbs for v in alternatives.split(" | ")}
        self.commands = column(r'\{\s*"([a-z]+)",', "utils/xiw/cmd/*.cpp")
        self.keys = column(r'\{XIW_A_CONFIG_\w+,\s*"([a-z-]+)"', "utils/xiw/model/settings.cpp")
        self.sections = {}
        for row in Path("selftests/lint/rfc-sections.tsv").read_text(encoding="utf-8").splitlines():
            rfc, _, sections = row.partition("\t")
            self.sections[rfc] = set(sections.split())
        self.elsewhere = {}
        for row in Path("selftests/lint/elsewhere.tsv").read_text(encoding="utf-8").splitlines():
            if row and not row.startswith("#"):
                self.elsewhere[tuple(row.split("\t")[:2])] = False
        self.headings = {}
        for name in self.paths:
            if name.endswith(".md"):
                text = Path(name).read_text(encoding="utf-8")
                self.headings[name] = set(re.findall(r"^#+ (.*)$", text, re.M))

    def is_elsewhere(self, kind, what):
        for key in self.elsewhere:
            if key[0] == kind and re.fullmatch(key[1], what):
                self.elsewhere[key] = True
                return True
        return False

    def file(self, what):
        """Get the path of the file to which the reference `what` refers, or None."""
        for path in sorted(self.paths, key=len):
            if path == what or path.endswith("/" + what):
                return path
        return None

    def has_file(self, what, name):
        what = re.sub(r"^\.\.\./", "", what).rstrip("/.")
        # Accept build products, and paths that are the end of a longer path in the code of the same
        # file.
        if what.startswith("build/") or "/" + what in self.codes.get(name, ""):
            return True
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), what))
        if {what, beside, re.sub(r"^(\.\.?/)+", "", what)} & self.ends:
            return True
        form = PLACEHOLDER.sub("*", what)
        if "*" not in form:
            return False
        form = re.compile(r"(?:.*/)?" + re.escape(form).replace(r"\*", "[^/]*"))
        return any(form.fullmatch(end) for end in self.ends)


class Check:
    def __init__(self, tree):
        self.tree = tree
        self.bad = []
        self.count = 0

    def cite(self, kind, what, good, name, line):
        self.count += 1
        if not good and not self.tree.is_elsewhere(kind, what):
            self.bad.append((name, line, kind, what))

    def has_name(self, what, ends):
        """Return True if the code has the name `what` or, if `ends` is true, a name that begins
        with it."""
        names = self.tree.names
        if what in names:
            return True
        return ends and any(n.startswith(what) for n in names)

    def comment(self, name, text, line):
        tree = self.tree
        def at(m):
            return line + text.count("\n", 0, m.start())
        for m in re.finditer(r"\bDEC-\d+", text):
            self.cite("decision", m[0], m[0] in tree.decisions, name, at(m))
        for m in re.finditer(r"(?<![\w-])[A-Z]-[A-Z][A-Z0-9]*-\d{3}[a-z]?\b", text):
            self.cite("requirement", m[0], m[0] in tree.requirements, name, at(m))
        for m in SECTION.finditer(text):
            # A section without the number of an RFC belongs to the RFC that was named last.
            rfc = m[1] or (re.findall(r"\bRFC ?(\d{3,5})", text[:m.start()]) or ["?"])[-1]
            for section in re.findall(NUMBER, m[2]):
                self.cite("rfc", f"RFC {rfc} §{section}",
                          section in tree.sections.get(rfc, ()), name, at(m))
        for m in HEADING.finditer(text):
            file, heading = (m[1], m[2]) if m[1] else (m[4], m[3])
            heading = re.sub(r"\s+(\* )?", " ", heading)
            self.cite("heading", f"{file}, {heading}",
                      heading in tree.headings.get(tree.file(file), ()), name, at(m))
        for m in FILE.finditer(text):
            what = m[1] or m[2]
            self.cite("file", what, tree.has_file(what, name), name, at(m))
        for m in FUNCTION.finditer(text):
            self.cite("function", m[2], m[2] in tree.calls, name, at(m))
        for m in NAME.finditer(text):
            ends = text[m.end():m.end() + 1] in ("*", "{", "<")
            what = re.sub(r"(?<=_)(NAME|X)$", "", m[0])
            self.cite("name", m[0], self.has_name(what, ends or what.endswith("_")), name, at(m))
        for m in OPTION.finditer(text):
            self.cite("option", m[0], m[0] in tree.options, name, at(m))

    def document(self, name, text):
        tree = self.tree
        def at(m):
            return 1 + text.count("\n", 0, m.start())
        for m in re.finditer(r"\[[^]\n]*\]\(([^)\s#]*)(?:#([^)\s]*))?\)", text):
            if ":" in m[1]:
                continue
            target = posixpath.normpath(Path(name).parent / m[1]) if m[1] else name
            good = target in tree.paths or (target.rstrip("/") in tree.ends)
            if good and m[2]:
                good = m[2] in map(slug, tree.headings.get(target, ()))
            self.cite("link", m[1] + ("#" + m[2] if m[2] else ""), good, name, at(m))
        for m in VECTOR.finditer(text):
            self.cite("vector", m[0], m[0] in tree.vectors, name, at(m))
        # Code is in back quotes, or in indented lines.
        for m in re.finditer(r"`([^`\n]+)`|^(?:\t|    )(.*)$", text, re.M):
            code, span = m[1] or m[2] or "", m[1] is not None
            if span and DASHED.fullmatch(code):
                self.cite("word", code, code in tree.dashed or code in tree.stems
                          or code in tree.keys, name, at(m))
            for c in re.finditer(r"(?:^|[;&|] *|sudo )make ((?:[a-z][\w-]* ?)+)", code):
                for target in c[1].split():
                    self.cite("target", target, target in tree.targets, name, at(m))
            for c in re.finditer(r"(?:^|vm/)lab ([a-z]+)\b(.*)", code):
                self.cite("lab", c[1], c[1] in tree.verbs, name, at(m))
                # Check the names of tests. Only names with a dash are checked, because a name of
                # one word may be the value of an option.
                words = re.sub(r" -k [\w.-]+", "", c[2])
                for test in re.findall(r"(?<= )" + DASHED.pattern + r"(?![\w/=-])", words):
                    self.cite("word", test, test in tree.stems, name, at(m))
            for c in re.finditer(r"(?:^|[;&|#$] *|sudo )xiw (?:-[-\w]+ )*([a-z]+)(?![\w-])", code):
                self.cite("command", c[1], c[1] in tree.commands, name, at(m))
            for c in re.finditer(r"config set [\w-]+((?: [a-z-]+=[\w+.-]+)+)", code):
                for key in re.findall(r" ([a-z-]+)=", c[1]):
                    self.cite("key", key, key in tree.keys, name, at(m))

    def run(self):
        for name in sorted(self.tree.comments):
            text = self.tree.texts[name]
            for offset, comment in self.tree.comments[name]:
                self.comment(name, comment, 1 + text.count("\n", 0, offset))
            if Path(name).suffix in DOCUMENTS:
                self.document(name, text)
        for (kind, form), used in self.tree.elsewhere.items():
            if not used:
                self.bad.append(("selftests/lint/elsewhere.tsv", 0, kind, f"{form} is not needed"))


def main():
    paths = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    check = Check(Tree(paths))
    check.run()
    for name, line, kind, what in check.bad:
        print(f"{name}:{line}: {kind}: {what}")
    print(f"{check.count} references")


if __name__ == "__main__":
    main()
