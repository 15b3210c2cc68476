# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Translate the sources of driver/ for a kernel tree.

All differences between kernels are resolved for the newest kernel. The conditionals of compat/
are removed, and the shims get the names of the kernel's own functions. What remains of the headers
of compat/ moves next to the code that uses it (FROM_COMPAT). Comments refer to the pages of
document.py.
"""
import re
import textwrap

import document
from patches import TOP, read

HOME = "drivers/infiniband/sw/xiw"
LINE = 100

# The compile probes of driver/compat that fail on the newest kernel. All other probes succeed.
ABSENT = {"HAVE_TCP_SENDPAGE"}
# Variants of the driver that only benchmarks of this project use.
VARIANTS = ("CONFIG_XIW_UNCOUNTED", "CONFIG_XIW_UNRECORDED", "CONFIG_XIW_UNBATCHED")

# Headers of driver/compat that are not empty after the translation. For each header: its path in
# the kernel tree, its include guard, and a regular expression. If the expression matches in a
# source, the translation adds an #include of the header to the source.
FROM_COMPAT = {
    "sock.h": ("soft/tcp.h", "XIW_SOFT_TCP_H", r"\bxiw_(tcp_|sock_)\w+\("),
    "tls.h": ("soft/ktls.h", "XIW_SOFT_KTLS_H",
              r"\bxiw_tls_\w+\(|\bXIW_HAVE_TLS\b|\bstruct tls_handshake_args\b"),
    "ops.h": ("verbs/ops.h", "XIW_VERBS_OPS_H",
              r"\bxiw_(create_cq|resize_cq|reg_user_mr|reg_user_mr_dmabuf|counter_(un)?bind_qp)\b"
              r"|\bXIW_OP_CREATE_CQ\b"),
}  # fmt: skip
# Replacements in all sources: a regular expression and the new text. Functions of the kernel
# replace the shims of driver/compat, and new comments replace those that are true only in this
# tree.
NAMES = [
    (r"\bxiw_genl_dump_attrs\(cb\)", r"genl_info_dump(cb)->attrs"),
    (r"\b(kv?zalloc)\(sizeof\((\*[\w>-]+)\), ", r"\1_obj(\2, "),
    (r"#include <rnic/([^>]+)>", r'#include "rnic/\1"'),
    # In the newest kernel, ib_core follows the state of the interface, so the driver need not.
    (r"\tcase NETDEV_UP:\n\tcase NETDEV_DOWN:\n\tcase NETDEV_CHANGE:\n"
     r"\t\txiw_port_state_changed\([^;]*;\n\t\tbreak;\n", ""),
    # A driver in the kernel tree has no version of its own: ethtool prints the kernel's version.
    (r"^\tstrscpy\(info->version, .*\n", ""),
    (r"^MODULE_VERSION\(.*\n", ""),
    (r"Some versions of rdma_cm look up the MAC", "As for other iWARP devices: the MAC"),
    (r" The kernel build uses the kernel's headers\. Other builds\n"
     r" \* supply headers of the same names\.", ""),
    (r" \(docs/upstream\)", ""),
    (r"docs/rnic\.md and docs/rnic describe the interface in prose",
     "docs/rnic.md describes the interface in prose"),
    (r'[\s*]*\(docs/(?:architecture|encryption|tracing)\.md(?:, "\w+")?\)', ""),
    (r"\bdocs/([\w/-]+\.md)", lambda m: document.cited(m[1])),
    (r"\buapi/(?:netlink/xiw\.yaml|rnic/\w+\.h|rdma/[\w-]+\.h)(?=[\w .;:])", lambda m: path(m[0])),
    (r"\n \*\n \* xiw_deframe_feed\(\) does all these steps, and copies every FPDU\.", ""),
    (r"(longer than the staging buffer) \(deframe\.h\)", r"\1"),
    (r" See README\.md\.", ""),
    (r"(without error injection) \(XIW_INJECT=1\)", r"\1"),
    (r"without XIW_INJECT=1,", "without CONFIG_INFINIBAND_XIW_INJECT,"),
]  # fmt: skip
# Text that no translated file may contain: paths and names of this project, and kernel versions.
FOREIGN = re.compile(r"(?<![\w/])(?:docs|selftests|utils|driver)/\w|\buapi/(?:netlink|rnic)/|\bcompat\.h|\bHAVE_[A-Z]"
                     r"|\bCONFIG_XIW_|\bXIW_INJECT=|\bolder kernels?\b|\b(?:of|before|until|since) [67]\.\d"
                     r"|\.md\b")  # fmt: skip


def decide(text, name):
    """Remove the conditionals whose value is known."""
    # The stack has one entry for each open conditional: whether the value of the conditional is
    # known, and whether its lines stay in the source.
    out, stack = [], []
    for line in text.splitlines(keepends=True):
        match = re.match(r"#\s*(\w+)\b\s*(.*?)\s*(/\*.*)?$", line)
        word = match[1] if match else ""
        if word in ("ifdef", "ifndef"):
            value = known(match[2])
            if value is None:
                stack.append([False, True])
            else:
                stack.append([True, value == (word == "ifdef")])
                continue
        elif word == "if":
            stack.append([False, True])
        elif word in ("else", "endif") and stack:
            is_known = stack[-1][0]
            if word == "else":
                stack[-1][1] ^= is_known
            else:
                stack.pop()
            if is_known:
                continue
        if all(taken for _, taken in stack):
            out.append(line)
    if stack:
        raise ValueError(f"driver/{name}: a conditional has no end")
    return re.sub(r"\n{3,}", "\n\n", "".join(out))


def known(macro):
    """Get the value of the macro in a conditional; None if the conditional stays in the source."""
    if macro.startswith("HAVE_"):
        return macro not in ABSENT
    if macro in VARIANTS:
        return False
    return True if macro == "MSG_NO_SHARED_FRAGS" else None


def without_variants(text):
    for variant in VARIANTS:
        text = re.sub(rf"^(\t+)if \(IS_ENABLED\({variant}\)\)\n\1\t[^;]*;\n", "", text, flags=re.M)
        text = re.sub(rf"^(\t+)if \(!IS_ENABLED\({variant}\)\)(\t*\\?)\n\1\t", r"\1", text,
                      flags=re.M)  # fmt: skip
    return text


def source(text, name):
    """Translate a source of driver/ for the kernel tree."""
    text = without_variants(decide(text, name))
    for old, new in NAMES:
        text = re.sub(old, new, text, flags=re.M)
    text = refilled(text)
    for header, guard, users in FROM_COMPAT.values():
        if re.search(users, text) and guard not in text:
            text = with_include(text, header)
    return text


def width(line):
    return len(line.expandtabs(8))


def refilled(text):
    """Refill each paragraph of a comment in which a line has become too long."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        prefix = re.match(r"\s*\* ", lines[number])
        if not prefix or width(lines[number]) <= LINE:
            number += 1
            continue
        prefix, begin, end = prefix[0], number, number + 1
        own = re.escape(prefix) + r"(?!@|\w+: |\* )\S"
        while re.match(own, lines[begin]) and re.match(own, lines[begin - 1]):
            begin -= 1
        while re.match(own, lines[end]):
            end += 1
        words = " ".join(line[len(prefix):] for line in lines[begin:end])
        filled = textwrap.wrap(words, LINE - width(prefix), break_long_words=False,
                               break_on_hyphens=False)  # fmt: skip
        lines[begin:end] = [prefix + line for line in filled]
        number = begin + len(filled)
    return "\n".join(lines)


def with_include(text, header):
    """Insert the #include of a header in the order of names."""
    lines = text.splitlines(keepends=True)
    quoted = [n for n, line in enumerate(lines) if re.match(r'#include "\w+/|#include "xiw.h"', line)]
    if not quoted:
        includes = [n for n, line in enumerate(lines) if line.startswith("#include")]
        lines.insert(includes[-1] + 1, f'\n#include "{header}"\n')
        return "".join(lines)
    at = next((n for n in quoted[1:] if lines[n] > f'#include "{header}"'), quoted[-1] + 1)
    lines.insert(at, f'#include "{header}"\n')
    return "".join(lines)


# ---------------------------------------------------------- the table of operations

def macros_of_operations():
    """Map each macro for rows of the table of operations to its parameters and body."""
    text = (decide(read(TOP / "driver/compat/ops.h"), "compat/ops.h")
            + read(TOP / "driver/verbs/restrack.h")).replace("\\\n", " ")  # fmt: skip
    return {m[1]: (m[2], m[3].strip()) for m in
            re.finditer(r"^#define (XIW_OP_\w+|XIW_RESTRACK_OPS)(?:\(([^)]*)\))?[ \t]+(.*)$",
                        text, re.M)}  # fmt: skip


def without_macros(text):
    return re.sub(r"^#define (?:XIW_OP_|XIW_RESTRACK_OPS)(?:.*\\\n)*.*\n\n?", "", text, flags=re.M)


def expand_operations(text):
    macros = macros_of_operations()

    def rows(match):
        parameters, body = macros[match[1]]
        for old, new in zip((parameters or "").split(", "), (match[2] or "").split(", ")):
            if old:
                body = re.sub(rf"\b{old}\b", new, body)
        return "".join(f"\t{one.strip()}\n" for one in re.findall(r"[^,()]+(?:\([^)]*\))?,", body))

    text = re.sub(rf"^\t({'|'.join(macros)})(?:\(([^)]*)\))?\n", rows, text, flags=re.M)
    return re.sub(r"(?:^\t\.\w+ = xiw_\w+,\n|^\tINIT_RDMA_OBJ_SIZE\(.*\n|\n){9,}",
                  in_order, text, flags=re.M)  # fmt: skip


def in_order(rows):
    """Sort the rows of the table of operations as other drivers do: by name, with sizes last."""
    lines = sorted(line for line in rows[0].splitlines() if line)
    sizes = [line for line in lines if "INIT_RDMA" in line]
    others = [line for line in lines if "INIT_RDMA" not in line]
    return "\n\n" + "\n".join(others) + "\n\n" + "\n".join(sizes) + "\n"


def compat_header(name):
    """Get the path of a header of compat/ in the kernel tree, and what remains of its text."""
    header, guard, _ = FROM_COMPAT[name]
    text = decide(read(TOP / "driver/compat" / name), "compat/" + name)
    text = without_macros(re.sub(r"\bXIW_COMPAT_\w+_H\b", guard, text))
    if name == "ops.h":
        text = re.sub(r"^/\*\n \* Verbs whose place.*?\*/\n",
                      "/* Verbs that ib_core calls. */\n", text, flags=re.M | re.S)
    return header, re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def generated(text, mode):
    """Add the lines by which the kernel's ynl-regen.sh finds a generated file."""
    return re.sub(r"^/\*\t\S*/xiw\.yaml \*/\n",
                  f"/*\tDocumentation/netlink/specs/xiw.yaml */\n/* YNL-GEN {mode} */\n"
                  "/* To regenerate run: tools/net/ynl/ynl-regen.sh */\n",
                  text, flags=re.M)  # fmt: skip


def path(name):
    """Convert a path of this tree to a path in the kernel tree."""
    for here, there in (("driver/", HOME + "/"), ("uapi/rnic/", HOME + "/rnic/"),
                        ("uapi/rdma/", "include/uapi/rdma/"),
                        ("uapi/netlink/", "Documentation/netlink/specs/"),
                        ("docs/rnic.md", document.FOLDER + "/rnic.rst")):  # fmt: skip
        if name.startswith(here):
            return there + name[len(here):]
    return name
