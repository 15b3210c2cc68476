# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Convert pages of docs/ to pages of the kernel's documentation: Markdown becomes reStructuredText.

The converter supports only what those pages use: headings, paragraphs, lists, tables, fences and
links.
"""
import posixpath
import re
import textwrap

FOLDER = "Documentation/infiniband/xiw"
WIDTH = 98              # width of a table, unless one word is wider
# The pages that comments of the driver cite, in the order of the table of contents.
PAGES = ("decisions.md", "states.md", "connect-by-number.md", "rnic.md", "rnic/function.md",
         "rnic/connections.md", "rnic/streams.md")
UNDERLINES = {2: "=", 3: "-", 4: "~"}

# Replacements for text that is true only in this tree, by page: a regular expression and the new
# text. Each expression must match exactly once. Its spaces also match ends of lines.
CHANGES = {
    "decisions.md": [
        (r" A setting that has to survive a reboot needs a file of its own \(`utils/systemd`\)\.", ""),
        (r"### DEC-65: .*?(?=### )", ""),
    ],
    "states.md": [
        (r"; `selftests/lint/states` compares them\.", "."),
        (r" The device model \(`utils/rnic/conn`\) has the same states, except HANDSHAKE\.", ""),
        (r"; `DEC-nn` is an entry of \[decisions\.md\]\(decisions\.md\)\.",
         "; `DEC-nn` is an entry of\n[decisions.md](decisions.md)."),
    ],
    "connect-by-number.md": [
        (r"\n## Kernels\n.*", "\n"),
    ],
    "rnic.md": [
        (r"\| \[example\.md\][^\n]*\n", ""),
        (r" `make lint` compares each table .*?\. A test runs the example\.", ""),
        (r", whose device model is `utils/rnic`\.", "."),
        (r"\| \| `utils/rnic` \|", "| | device model for QEMU |"),
    ],
    "rnic/function.md": [
        (r"## The device model\n.*?(?=\n## |\Z)", ""),
    ],
}


def page(name):
    """Get the name of docs/NAME.md in the kernel: rnic/streams.md becomes rnic-streams."""
    return name.removesuffix(".md").replace("/", "-")


def cited(name):
    """Get the path of docs/NAME in the kernel tree."""
    if name not in PAGES:
        raise ValueError(f"docs/{name} is not in the series")
    return f"{FOLDER}/{page(name)}.rst"


def converted(name, text, where):
    """Convert a page. where() maps a path of this tree to a path of the kernel."""
    for old, new in CHANGES.get(name, []):
        text, count = re.subn(old.replace(" ", r"\s"), new, text, flags=re.S)
        if count != 1:
            raise ValueError(f"docs/{name}: {count} times {old}")
    text = re.sub(r"<!-- SPDX-License-Identifier: (.*?) -->\n", "", text)
    blocks = [block(part, name, where) for part in re.split(r"\n{2,}", text.strip())]
    return ".. SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n\n" + "\n\n".join(blocks) + "\n"


def block(text, name, where):
    heading = re.match(r"(#+) (.*)$", text)
    if heading and "\n" not in text:
        return titled(inline(heading[2], name, where), len(heading[1]))
    if text.startswith("|"):
        return table([[inline(cell, name, where) for cell in cells(line)]
                      for line in text.splitlines()])  # fmt: skip
    if text.startswith("```"):
        return "::\n\n" + textwrap.indent("\n".join(text.splitlines()[1:-1]), "    ")
    # reStructuredText needs an empty line between a paragraph and a list.
    out, last = "", ""
    for part in re.split(r"\n(?=(?:\*|\d+\.) )", text):
        mark = re.match(r"(?:\*|\d+\.) |", part)[0]
        out += "" if not out else "\n" if last else "\n\n"
        out += textwrap.fill(inline(part[len(mark):], name, where), WIDTH, initial_indent=mark,
                             subsequent_indent=" " * len(mark), break_long_words=False,
                             break_on_hyphens=False)  # fmt: skip
        last = mark
    return out


def titled(text, level):
    if level == 1:
        return f"{'=' * len(text)}\n{text}\n{'=' * len(text)}"
    return f"{text}\n{UNDERLINES[level] * len(text)}"


def inline(text, name, where):
    """Convert code and links. Other text is the same in both formats."""
    def link(match):
        label, target = match[1], match[2].split("#")[0]
        if not target or label.startswith("`"):
            return label
        there = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        if label.endswith(".md"):
            return f":doc:`{page(there)}`"
        return f":doc:`{label} <{page(there)}>`"

    out = []
    for number, part in enumerate(re.split(r"(\[[^]]+\]\([^)]+\))", text)):
        if number % 2:
            part = link(re.match(r"\[([^]]+)\]\(([^)]+)\)", part))
        if not part.startswith(":doc:"):
            part = re.sub(r"`([^`]+)`", lambda code: f"``{where(code[1])}``", part)
        out.append(part)
    return "".join(out)


# ------------------------------------------------------------------------ tables

def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def widths(rows):
    """Get the widths of the columns: the widest columns are narrowed until the table fits."""
    wide = [max(len(cell) for cell in column) for column in zip(*rows)]
    least = [max(len(word) for cell in column for word in cell.split() or [""])
             for column in zip(*rows)]  # fmt: skip
    while sum(wide) + 3 * len(wide) + 1 > WIDTH:
        narrow = [n for n, width in enumerate(wide) if width > least[n]]
        if not narrow:
            break
        wide[max(narrow, key=lambda n: wide[n])] -= 1
    return [max(width, 1) for width in wide]


def table(rows):
    head, rows = rows[0], rows[2:]
    wide = widths([head, *rows])
    out = [rule(wide, "-"), *row(head, wide), rule(wide, "=")]
    for cells_of_row in rows:
        out += [*row(cells_of_row, wide), rule(wide, "-")]
    return "\n".join(out)


def rule(wide, sign):
    return "+" + "+".join(sign * (width + 2) for width in wide) + "+"


def row(texts, wide):
    columns = [textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
               for text, width in zip(texts, wide)]  # fmt: skip
    height = max(len(column) for column in columns)
    return ["| " + " | ".join((column[n] if n < len(column) else "").ljust(width)
                              for column, width in zip(columns, wide)) + " |"
            for n in range(height)]  # fmt: skip


def contents(names):
    """Get the text of index.rst, which lists the pages."""
    lines = "".join(f"   {page(name)}\n" for name in names)
    title = "xiw: iWARP over rings"
    return (".. SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n\n" + titled(title, 1) + "\n\n"
            ".. toctree::\n   :maxdepth: 1\n\n" + lines)
