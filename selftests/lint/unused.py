#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""unused.py LIST TREE: find unused names in driver/

LIST has the path of one source of driver/, utils/ or uapi/ on each line, relative to TREE. Reports

* functions of driver/ with external linkage or in a header, and macros of compat/ and core/,
  that no code uses, or that only unused code uses
* probes of compat/ whose HAVE_NAME is not used

Any word outside of comments and strings that equals the name counts as a use of the name, unless
the word declares or defines the name. So an unused name is not reported if something else has the
same name, but no used name is ever reported. LIST contains no tests, so a name that only tests use
is unused.
"""
import re
import sys
from pathlib import Path

from references import C_TOKEN

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:.*\\\n)*.*)$", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.M)
WORD = re.compile(r"\b[A-Za-z_]\w*\b|[{}]")
ASKED = re.compile(r"\bHAVE_(\w+)\b")
ATTRIBUTES = {"__acquires", "__releases", "__must_hold", "__printf", "__aligned", "__attribute__"}
# The build stops if this probe fails, so no code needs to check its HAVE_ name.
ALWAYS = {"sane"}


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


class Source:
    """One file: what it defines, as name -> line, and its uses, as (name, definition around it)."""

    def __init__(self, path, text):
        self.path = path
        self.functions = {}
        self.macros = {}
        self.uses = set()
        code = C_TOKEN.sub(blank, text)
        self.asked = set(ASKED.findall(code))
        for match in DEFINE.finditer(code):
            body = match[2].replace("\\\n", "")
            if body.strip():
                self.macros[match[1]] = 1 + code.count("\n", 0, match.start(1))
            self.uses |= {(word, match[1]) for word in re.findall(r"\b[A-Za-z_]\w*\b", body)}
        self.read(DIRECTIVE.sub(blank, code))

    def read(self, code):
        """Read definitions and uses. A brace in the first column of a line ends all open blocks."""
        depth, declared, inside = 0, None, None
        for match in WORD.finditer(code):
            word, start = match[0], match.start()
            if word == "{":
                if not depth:
                    inside = None
                    if declared and re.fullmatch(r"[^;={]*\)\s*", code[declared.end():start]):
                        inside = declared[0]
                        self.defines(inside, code, declared.start())
                    declared = None
                depth += 1
            elif word == "}":
                depth = 0 if start == 0 or code[start - 1] == "\n" else depth - 1
            elif depth:
                self.uses.add((word, inside))
            elif code[match.end():match.end() + 1] == "(":
                declared = declared if word in ATTRIBUTES else match
            else:
                self.uses.add((word, None))

    def defines(self, name, code, start):
        line = code.rfind("\n\n", 0, start)
        static = re.search(r"\bstatic\b", code[max(line, code.rfind("}", 0, start)):start])
        if self.path.endswith(".h") or not static:
            self.functions[name] = 1 + code.count("\n", 0, start)


def unused(sources):
    """Yields (path, line, name)."""
    names = {}
    for source in sources:
        if not source.path.startswith("driver/"):
            continue
        for name, line in source.functions.items():
            names.setdefault(name, []).append((source.path, line))
        if source.path.startswith(("driver/compat/", "driver/core/")):
            for name, line in source.macros.items():
                names.setdefault(name, []).append((source.path, line))
    dead, before = set(), None
    while dead != before:
        before = set(dead)
        used = {name for source in sources for name, inside in source.uses
                if inside != name and inside not in dead}  # fmt: skip
        dead = set(names) - used
    for name in dead:
        for path, line in names[name]:
            yield path, line, name


def main():
    top = Path(sys.argv[2])
    paths = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    probes = {Path(path).stem: path for path in paths if "/probes/" in path}
    sources = [Source(path, (top / path).read_text(encoding="utf-8"))
               for path in paths if "/probes/" not in path]  # fmt: skip
    bad = sorted(f"{path}:{line}: nobody uses {name}" for path, line, name in unused(sources))
    asked = {name.lower() for source in sources for name in source.asked} | ALWAYS
    bad += [f"{probes[name]}: nobody asks HAVE_{name.upper()}"
            for name in sorted(set(probes) - asked)]  # fmt: skip
    for line in bad:
        print(line)
    if not bad:
        count = sum(len(s.functions) for s in sources if s.path.startswith("driver/"))
        print(f"{count} functions, {len(probes)} probes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
