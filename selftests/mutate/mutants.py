# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The mutants of the core and of the driver. A mutant changes one place of one file in one way.

In tables, each field of a row is changed, including fields that the row omits. In functions, each
decision is changed: comparisons, conditions, return values. In functions of the driver, arithmetic
and constants are also changed, conditions become false, and statements are removed.
"""
import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    new: str
    line: int
    was: str  # line or table row without the mutation
    now: str

    def apply(self, text):
        return text[: self.start] + self.new + text[self.end :]


RELATIONS = {
    "==": ["!="],
    "!=": ["=="],
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "&&": ["||"],
    "||": ["&&"],
}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "+=": "-=", "-=": "+=", "|=": "&=", "++": "--",
              "--": "++"}  # fmt: skip
NEXT_PICK = {"min": "max", "max": "min", "min_t": "max_t", "max_t": "min_t"}


def masked(text):
    """Replace comments, strings and character constants by blanks of the same length."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def closing(mask, opening):
    """Find the end of the bracket that begins at an offset."""
    depth = 0
    for at in range(opening, len(mask)):
        if mask[at] in "({[":
            depth += 1
        elif mask[at] in ")}]":
            depth -= 1
            if not depth:
                return at
    raise ValueError("a bracket is not closed")


class File:
    def __init__(self, name, text, enums):
        self.name, self.text, self.mask, self.enums = name, text, masked(text), enums
        self.found = []

    def change(self, start, end, new, note=""):
        line = self.text.count("\n", 0, start) + 1
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        was = self.text[first:last]
        now = self.text[first:start] + new + self.text[end:last]
        was, now = (" ".join(t.split()) for t in (was, now))
        self.found.append(Mutant(self.name, start, end, new, line, note + was, note + now))

    def table(self, name):
        """Find the start and the end of the text between the braces of a table."""
        match = re.search(rf"\b{name}\[[^=;]*=\s*{{", self.mask)
        if not match:
            raise ValueError(f"{self.name}: no table {name}")
        return match.end(), closing(self.mask, match.end() - 1)

    def rows(self, start, end):
        """Yield the rows [KEY] = { ... }: the key, and the text between the braces."""
        at = start
        while match := re.compile(r"\[(\w+)\]\s*=\s*{").search(self.mask, at, end):
            at = closing(self.mask, match.end() - 1)
            yield match.group(1), match.end(), at

    def fields(self, start, end):
        """Split positional fields at the commas of the outermost level."""
        depth, begin, parts = 0, start, []
        for at in range(start, end):
            depth += self.mask[at] in "({["
            depth -= self.mask[at] in ")}]"
            if self.mask[at] == "," and not depth:
                parts.append((begin, at))
                begin = at + 1
        parts.append((begin, end))
        trimmed = []
        for s, e in parts:
            while s < e and self.text[s].isspace():
                s += 1
            while e > s and self.text[e - 1].isspace():
                e -= 1
            if s < e:
                trimmed.append((s, e))
        return trimmed

    def next_value(self, value):
        """Get the next value of the enumeration; the first value follows the last."""
        for values in self.enums:
            if value in values:
                return values[(values.index(value) + 1) % len(values)]
        return None

    def other(self, start, end, note=""):
        """Change a field of a table, depending on the kind of its value."""
        value = self.text[start:end]
        if value.startswith('"'):
            if value != '""':
                self.change(start, end, '""', note)
        elif re.fullmatch(r"\d+|0x[0-9a-f]+", value):
            self.change(start, end, str(int(value, 0) + 1), note)
        elif following := self.next_value(value):
            self.change(start, end, following, note)
        else:
            self.change(start, end, f"({value}) + 1", note)
            self.change(start, end, f"({value}) - 1", note)

    # Methods that change rows of tables

    def opcodes(self, flags):
        for key, start, end in self.rows(*self.table("xiw_opcode_table")):
            note = f"{key}: "
            for field in ("name", "kind", "qn", "flags", "len_min", "len_max", "needs"):
                match = re.compile(rf"\.{field}\s*=\s*([^,}}]+?)\s*[,}}]").search(
                    self.text, start, end + 1
                )
                if field == "flags":
                    place = match.span(1) if match else (start, start)
                    for flag in flags:
                        new = f"({match.group(1)}) ^ {flag}" if match else f" .flags = {flag},"
                        self.change(*place, new, note)
                elif match:
                    self.other(*match.span(1), note)
                else:
                    self.change(start, start, f" .{field} = 1,", note)

    def transitions(self, name, prefix, states, events):
        for state, start, end in self.rows(*self.table(name)):
            note = f"{state}: "
            for event in events:
                match = re.compile(rf"\[{event}\] = TO\((\w+)\),?").search(self.text, start, end)
                if not match:
                    first = states[0].removeprefix(prefix)
                    self.change(start, start, f"[{event}] = TO({first}),", note)
                    continue
                self.change(*match.span(), "", note)
                following = self.next_value(prefix + match.group(1))
                self.change(*match.span(1), following.removeprefix(prefix), note)

    def names(self, name):
        start, end = self.table(name)
        for match in re.compile(r'"[^"]*"').finditer(self.text, start, end):
            self.change(*match.span(), '""')

    def simple(self, name):
        start, end = self.table(name)
        for field in self.fields(start, end):
            if match := re.compile(r"\[\w+\]\s*=\s*").match(self.text, *field):
                field = (match.end(), field[1])
            self.other(*field)

    def terminates(self):
        start, end = self.table("xiw_term_table")
        for match in re.compile(r"\bROW\(").finditer(self.mask, start, end):
            inside = (match.end(), closing(self.mask, match.end() - 1))
            name, *values = self.fields(*inside)
            note = f"ROW({self.text[slice(*name)]}): "
            for s, e in values:
                value = self.text[s:e]
                full = {"FATAL": "REM_OP", "REM_OP": "RNR", "RNR": "REM_INV_REQ",
                        "REM_INV_REQ": "REM_ACCESS", "REM_ACCESS": "FATAL"}
                if (s, e) == values[5]:
                    full = {"FATAL": "ACCESS", "ACCESS": "REQ", "REQ": "FATAL"}
                flags = {"MDR": ["MD", "0"], "MD": ["MDR", "0"], "XIW_TERM_SILENT": ["0"]}
                if value in flags:
                    for new in flags[value]:
                        self.change(s, e, new, note)
                elif (s, e) == values[3]:
                    self.change(s, e, "MD", note)
                elif value in full:
                    self.change(s, e, full[value], note)
                else:
                    self.other(s, e, note)

    def braced(self, name):
        """Change rows of positional fields, which may be nested."""
        start, end = self.table(name)
        for field in self.fields(start, end):
            self.nested(*field, self.text[slice(*field)].split("\n")[0] + " ")

    def nested(self, start, end, note):
        if match := re.compile(r"\[\w+\]\s*=\s*").match(self.text, start, end):
            start = match.end()
        if self.mask[start] != "{":
            self.other(start, end, "")
            return
        for field in self.fields(start + 1, closing(self.mask, start)):
            self.nested(*field, note)

    # Methods that change functions

    def functions(self):
        for match in re.compile(r"^{$", re.M).finditer(self.mask):
            self.body(match.start(), closing(self.mask, match.start()))

    def actions(self):
        for match in re.compile(r"^{$", re.M).finditer(self.mask):
            self.action(match.start(), closing(self.mask, match.start()))

    def action(self, start, end):
        def each(pattern):
            return re.compile(pattern, re.M).finditer(self.mask, start, end)

        for match in each(r"(?<=[\w)\]] )([+*-]|[+|-]=)(?= )|\+\+|(?<!-)--(?!>)"):
            self.change(*match.span(), ARITHMETIC[match.group()])
        for match in each(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=[UL]*\b)"):
            self.change(*match.span(), str(int(match.group(), 0) + 1))
        for match in each(r"\b(?:if|while) \("):
            close = closing(self.mask, match.end() - 1)
            self.change(match.end(), close, f"({self.text[match.end():close]}) && 0")
        for match in each(r"^\t+(?!return|break|continue|goto|case|default|else)"
                          r"[\w*>.\[\]-]+(?:\(.*\)| [|&+-]?= .*|\+\+|--);$"):  # fmt: skip
            self.change(*match.span(), ";")

    def body(self, start, end):
        def each(pattern):
            return re.compile(pattern).finditer(self.mask, start, end)

        for match in each(r"(?<![-<>=!])(==|!=|<=|>=|<|>|&&|\|\|)(?![<>=])"):
            for new in RELATIONS[match.group()]:
                self.change(*match.span(), new)
        for match in each(r"\b(?:if|while) \("):
            close = closing(self.mask, match.end() - 1)
            self.change(match.end(), close, f"!({self.text[match.end():close]})")
        for match in each(r"!(?!=)"):
            self.change(*match.span(), "")
        for match in each(r"\breturn (true|false);"):
            new = "false" if match.group(1) == "true" else "true"
            self.change(*match.span(1), new)
        for match in each(r"\breturn (XIW_FAULT_(?!NONE)\w+);"):
            self.change(*match.span(1), "XIW_FAULT_NONE")
        for match in each(r" \?(?= |\n)"):
            self.change(match.start(), match.start(), " && 0")
            self.change(match.start(), match.start(), " || 1")
        for match in each(r"\b(min|max|min_t|max_t)\("):
            self.change(*match.span(1), NEXT_PICK[match.group(1)])


def enumerations(texts):
    """Get the values of all enumerations, without counts and illegal values."""
    found = []
    for text in texts.values():
        for match in re.finditer(r"\benum \w+ {(.*?)}", masked(text), re.S):
            names = re.findall(r"^\s*(\w+)", match.group(1), re.M)
            found.append([n for n in names if not re.search(r"_(COUNT|ILLEGAL)$", n)])
    return found


def mutants(texts):
    """Get all mutants of the core. texts maps the names of files to their texts."""
    enums = enumerations(texts)
    found = []
    for name, text in sorted(texts.items()):
        if name.startswith("driver/core/"):
            file = File(name, text, enums)
            tables(file, enums)
            file.functions()
            found += file.found
    return sorted(set(found), key=lambda m: (m.file, m.start, m.end, m.new))


def of_driver(texts):
    """Get all mutants of files of the driver, which contain functions but no tables of rules."""
    found = []
    for name, text in sorted(texts.items()):
        file = File(name, text, [])
        file.functions()
        file.actions()
        found += file.found
    return sorted(set(found), key=lambda m: (m.file, m.start, m.end, m.new))


def sample(every, count, seed):
    """Draw a sample of mutants. The seed determines the sample."""
    def lot(mutant):
        return hashlib.sha256(f"{seed} {mutant.file} {mutant.start} {mutant.now}".encode()).digest()

    return sorted(sorted(every, key=lot)[:count], key=lambda m: (m.file, m.start))


def tables(file, enums):
    def values(first):
        return next(e for e in enums if e and e[0] == first)

    match file.name.removeprefix("driver/core/"):
        case "opcode.c":
            file.opcodes(values("XIW_OPF_TAGGED"))
            file.simple("match_of_class")
        case "state.c":
            file.transitions("qps_table", "XIW_QPS_", values("XIW_QPS_IDLE"),
                             values("XIW_QPE_NAME"))  # fmt: skip
            for name in ("qps", "qpe", "mpas"):
                file.names(f"xiw_{name}_name")
        case "term.c":
            file.terminates()
            file.braced("unknown_table")
        case "stag.c":
            file.braced("verdict_table")
        case "mpa.c":
            file.simple("rtr_preference")
        case "mpa_frame.c":
            for match in re.finditer(r'"MPA ID Re[qp] Frame"', file.text):
                file.change(*match.span(), match.group().replace("Frame", "frame"))
