#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""folders.py LIST TREE: check the calls between the folders of driver/

LIST has the path of one source of driver/ on each line, relative to TREE. Two tables of
docs/architecture.md have the rules. The first column of the first table lists the folders, from
top to bottom. A row may name several folders of the same level, and files of driver/ itself. The
second table lists the events: from, to and the functions.

A call is any use of the name of a non-static function in a C file, outside of comments and
strings. Inline functions of headers belong to no folder. A call goes up if the function is
defined in a higher row, or in another folder of the same row.
"""
import re
import sys
from pathlib import Path

from references import C_TOKEN

DEFINITION = re.compile(r"^(?!static\b)(?:[a-z_][\w ]*[ *]+)(\w+)\([^;{}]*\)\n\{", re.M)
NAME = re.compile(r"(?<!struct )(?<!enum )(?<!->)(?<!\.)\b[a-z_]\w*\b")


def rows(text, head):
    """Yield the line number and the cells of each table row below the row that begins with head."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(head):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|-"):
            yield number, [cell.strip() for cell in line.strip("|").split("|")]


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


class Tree:
    def __init__(self, names, top):
        document = (top / "docs/architecture.md").read_text(encoding="utf-8")
        self.floor = {}
        for number, (places, *_) in rows(document, "| from top to bottom |"):
            for place in re.findall(r"`([^`]+)`", places):
                self.floor[place.removesuffix("/")] = number
        self.events = {}            # (from, to, function) -> line that lists it
        for number, (below, above, functions, _) in rows(document, "| from | to |"):
            for function in re.findall(r"`(\w+)\(\)`", functions):
                self.events[below.strip("`/"), above.strip("`/"), function] = number
        self.texts = {name: C_TOKEN.sub(blank, (top / name).read_text(encoding="utf-8"))
                      for name in names}
        self.kbuild = (top / "driver/Kbuild").read_text(encoding="utf-8")
        self.home = {}              # function -> file that defines it
        for name, text in self.texts.items():
            if name.endswith(".c"):
                for function in DEFINITION.findall(text):
                    self.home[function] = name

    def place(self, name):
        """Get the name by which the tables list a file: the name of its folder, or of the file
        itself if the file is directly in driver/."""
        folder, _, file = name.removeprefix("driver/").rpartition("/")
        return folder or re.sub(r"\.h$", ".c", file)

    def calls_up(self):
        """Yields (file, line, from, to, function)."""
        for name, text in self.texts.items():
            if not name.endswith(".c"):
                continue
            here = self.place(name)
            for match in NAME.finditer(text):
                there = self.home.get(match[0])
                there = there and self.place(there)
                if not there or there == here:
                    continue
                if self.floor[there] <= self.floor[here]:
                    yield name, 1 + text.count("\n", 0, match.start()), here, there, match[0]

    def check(self):
        listed = set(re.findall(r"(?<![\w/])([a-z_0-9/]+)\.o\b", self.kbuild)) - {"xiw"}
        files = {name[len("driver/"):-2] for name in self.texts if name.endswith(".c")}
        bad = [f"driver/{name}.c: not in driver/Kbuild" for name in sorted(files - listed)]
        bad += [f"driver/Kbuild: {name}.o has no source" for name in sorted(listed - files)]
        homeless = [name for name in self.texts
                    if name.endswith(".c") and self.place(name) not in self.floor]
        bad += [f"{name}: in no row of docs/architecture.md" for name in sorted(homeless)]
        if homeless:
            return bad, 0
        used = set()
        for name, line, here, there, function in self.calls_up():
            # C files directly in driver/ may call each other if the first table has both in one
            # row.
            if here.endswith(".c") and there.endswith(".c") and self.floor[here] == self.floor[there]:
                continue
            if (here, there, function) in self.events:
                used.add((here, there, function))
            else:
                bad.append(f"{name}:{line}: {here} calls {there}: {function}()")
        bad += [f"docs/architecture.md:{self.events[event]}: {event[0]} does not call "
                f"{event[1]}: {event[2]}()" for event in sorted(set(self.events) - used)]
        return bad, len(used)


def main():
    names = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    tree = Tree(names, Path(sys.argv[2]))
    bad, used = tree.check()
    for line in bad:
        print(line)
    if not bad:
        print(f"{len(tree.home)} functions, {used} of them called from below")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
