#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""tree.py intree LINUX: put the driver into a kernel tree
tree.py series LINUX [OUT]: make patches of the driver, in the order of review, into OUT

LINUX is the source of a kernel, of the newest version that driver/compat/range names or of a later
version. Both commands may be repeated: they replace files of an earlier run, and unchanged files
keep their time. Needs Python 3.9 and, for patches, git.
"""
import argparse
import re
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True  # keep __pycache__ out of the tree
sys.path.append(str(Path(__file__).resolve().parents[1]))
import document
import patches
import translate
from patches import TOP, read
from series import COMPLETE, COVER, LAST, PATCH, STEPS
from translate import HOME

OPTIONS = "drivers/infiniband/Kconfig"
SIBLINGS = "drivers/infiniband/sw/Makefile"
CONTENTS = "Documentation/infiniband/index.rst"
SPDX = "# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n"


def die(text):
    sys.exit(f"tree.py: {text}")


class Kernel:
    """The files that are added to a kernel tree, by path."""

    def __init__(self, linux):
        self.linux = linux
        self.files = {}
        self.add_sources()
        self.add_tests()
        self.add_shared()
        self.add_pages()
        self.check()
        self.number = self.numbers()

    def add_sources(self):
        kbuild = re.sub("#.*", "", read(TOP / "driver/Kbuild"))
        listed = set(re.findall(r"(?<![\w/])([a-z_0-9/]+)\.o\b", kbuild))
        for path in sorted((TOP / "driver").rglob("*.[ch]")):
            name = str(path.relative_to(TOP / "driver"))
            if name.startswith("compat/") or name == "probe.h":
                continue
            if path.with_suffix(".c").exists() and name[:-2] not in listed:
                continue
            self.put(name, translate.source(read(path), name))
        for name in translate.FROM_COMPAT:
            self.put(*translate.compat_header(name))
        for name in ("xiw_rnic.h", "xiw_rnic_pci.h"):
            self.put("rnic/" + name, translate.source(read(TOP / "uapi/rnic" / name), name))
        self.change("device.c", translate.expand_operations)
        self.change("verbs/restrack.h", translate.without_macros)
        version = read(TOP / "VERSION").strip()
        self.change("xiw.h", lambda text: text.replace(
            "#define XIW_UVERBS_ABI 1\n",
            f'#define XIW_UVERBS_ABI 1\n#define XIW_VERSION "{version}"\n'))  # fmt: skip
        self.change("soft/soft.h", lambda text: re.sub(
            r"(#define xiw_soft_count\(soft, field, n\))\s*\\\ndo \{\s*\\\n"
            r"\t(this_cpu_add\(.*\));\s*\\\n\} while \(0\)\n", r"\1 \\\n\t\2\n", text))
        for name, kind in (("generated.c", "source"), ("generated.h", "header")):
            self.change("netlink/" + name,
                        lambda text, kind=kind: translate.generated(text, "kernel " + kind))

    def add_tests(self):
        """Add the exerciser of verbs, but no other module of selftests/kmod."""
        kbuild = read(TOP / "selftests/kmod/Kbuild").replace("\\\n", "")
        self.tests = re.search(r"^xiw_test-y := (.*)$", kbuild, re.M)[1].split()
        for path in sorted((TOP / "selftests/kmod").glob("*.[ch]")):
            if path.suffix == ".c" and path.stem + ".o" not in self.tests:
                continue
            text = translate.source(read(path), path.name)
            self.put("tests/" + path.name, text.replace('"../../driver/probe.h"', '"probe.h"'))
        self.put("tests/probe.h", translate.source(read(TOP / "driver/probe.h"), "probe.h"))

    def add_shared(self):
        self.files["include/uapi/rdma/xiw-abi.h"] = read(TOP / "uapi/rdma/xiw-abi.h")
        self.files["include/uapi/linux/xiw.h"] = translate.generated(
            read(TOP / "uapi/linux/xiw.h"), "uapi header")
        self.files["Documentation/netlink/specs/xiw.yaml"] = read(TOP / "uapi/netlink/xiw.yaml")

    def add_pages(self):
        for name in document.PAGES:
            text = document.converted(name, read(TOP / "docs" / name), translate.path)
            self.files[f"{document.FOLDER}/{document.page(name)}.rst"] = text

    def put(self, name, text):
        self.files[f"{HOME}/{name}"] = text

    def change(self, name, how):
        old = self.files[f"{HOME}/{name}"]
        new = how(old)
        if new == old:
            die(f"driver/{name}: nothing to change for the kernel tree")
        self.files[f"{HOME}/{name}"] = new

    def check(self):
        """Check that no file refers to a part of this project that a kernel tree does not have."""
        wrong = foreign(self.files)
        cited = {decision for text in self.files.values()
                 for decision in re.findall(r"\bDEC-\d+\b", text)}  # fmt: skip
        decisions = self.files[f"{document.FOLDER}/decisions.rst"]
        wrong += [f"decisions.rst: no {decision}" for decision in sorted(cited)
                  if not re.search(rf"^{decision}: ", decisions, re.M)]  # fmt: skip
        refuse(wrong)

    # -------------------------------------------------------------------- patches

    def numbers(self):
        """Map each file to the patch that adds it."""
        number = {path: self.own_number(path) for path in self.files}
        for patch in range(LAST + 1):
            for path in [p for p in self.files if number[p] == patch]:
                self.pull(path, patch, number)
        # A header that no source includes is for user space. The last patch adds such headers.
        return {path: min(patch, LAST) for path, patch in number.items()}

    def own_number(self, path):
        if path.startswith(document.FOLDER):
            page = path.removeprefix(document.FOLDER + "/")
            return PATCH["pci" if page == "rnic-function.rst" else
                         "ring" if page.startswith("rnic") else "core"]  # fmt: skip
        if path.endswith(".yaml"):
            return PATCH["diag"]    # the patch with the header that is generated from the file
        name = path.removeprefix(HOME + "/")
        if name.startswith("rnic/"):
            return PATCH["pci"] if name.endswith("pci.h") else PATCH["core"]
        return PATCH.get(name if name.endswith(".c") else name.split("/")[0],
                         PATCH.get(name.split("/")[0], LAST))  # fmt: skip

    def pull(self, path, patch, number):
        """Move the headers that a file includes to the patch of the file, or keep them in an
        earlier one."""
        for name in re.findall(r'#include ["<]([^">]+)[">]', self.files[path]):
            here = str(Path(path).parent / name)
            for header in (f"{HOME}/{name}", here, "include/" + name, "include/uapi/" + name):
                if header in self.files and number[header] > patch:
                    number[header] = patch
                    self.pull(header, patch, number)

    # ------------------------------------------- Makefile, Kconfig and changed files of the kernel

    def makefile(self, patch):
        """Get the Makefile after a patch: Kbuild without the part for builds outside of a kernel
        tree."""
        text = re.sub(r"^ifneq \(\$\(KBUILD_EXTMOD\),\)\n.*?^endif\n\n?", "",
                      read(TOP / "driver/Kbuild"), flags=re.M | re.S)  # fmt: skip
        text = re.sub(r" core/deframe\.o, .*?\(docs/architecture\.md\)\.", "", text, flags=re.S)
        out = [SPDX + "obj-$(CONFIG_INFINIBAND_XIW) := xiw.o"]
        for paragraph in text.split("\n\n")[1:]:
            if "CFLAGS_diag/" in paragraph and patch < PATCH["diag"]:
                continue
            lines = self.paragraph(paragraph.replace("\\\n", " "), patch)
            if any(not line.startswith("#") for line in lines):
                out.append("\n".join(lines))
        if patch >= PATCH["tests"]:
            out.append("obj-$(CONFIG_INFINIBAND_XIW_TEST) += tests/")
        return "\n\n".join(out).rstrip() + "\n"

    def paragraph(self, text, patch):
        lines = []
        for line in text.splitlines():
            match = re.match(r"(xiw-\S+) [:+]?= (.*)", line)
            if match:
                objects = [o for o in match[2].split()
                           if self.number[f"{HOME}/{o[:-2]}.c"] <= patch]  # fmt: skip
                if objects:
                    lines += folded(f"{match[1]} += " + " ".join(objects))
            elif "xiw.o" not in line:
                lines.append(line)
        return lines

    def kconfig(self, patch):
        options = re.split(r"\n\n(?=config )", read(TOP / "Kconfig").rstrip())
        if patch < PATCH["pci"]:
            options = [option for option in options if "config INFINIBAND_XIW_PCI\n" not in option]
        text = "\n\n".join(options) + "\n"
        if patch >= PATCH["tests"]:
            text += read(TOP / "packaging/kernel/Kconfig.test").removeprefix(SPDX)
        return text

    def original(self, path):
        """Get a file of the kernel without additions of an earlier run. Only CONTENTS may be
        missing; the result is then None."""
        if path == CONTENTS and not (self.linux / path).is_file():
            return None
        text = read(self.linux / path)
        for line in (rf'^source "{HOME}/Kconfig"\n', r"^obj-\$\(CONFIG_INFINIBAND_XIW\).*\n",
                     r"^   xiw/index\n", r"^XIW IWARP DRIVER\n(?:[A-Z]:\t.*\n)+\n"):  # fmt: skip
            text = re.sub(line, "", text, flags=re.M)
        return text

    def changed(self, path, after, line):
        text = self.original(path)
        new, count = re.subn(rf"({after})", lambda match: match[1] + line, text, flags=re.M)
        if count != 1:
            die(f"{self.linux / path}: no place for xiw")
        return new

    def whole(self, patch):
        """Get all files of the tree after a patch."""
        files = {p: t for p, t in self.files.items() if self.number[p] <= patch}
        files[f"{HOME}/Makefile"] = self.makefile(patch)
        pages = [name for name in document.PAGES
                 if f"{document.FOLDER}/{document.page(name)}.rst" in files]  # fmt: skip
        files[f"{document.FOLDER}/index.rst"] = document.contents(pages)
        files["MAINTAINERS"] = with_maintainers(self.original("MAINTAINERS"))
        if self.original(CONTENTS):
            files[CONTENTS] = self.changed(CONTENTS, r"^   user_verbs\n", "   xiw/index\n")
        if patch >= COMPLETE:
            files[f"{HOME}/Kconfig"] = self.kconfig(patch)
            files[OPTIONS] = self.changed(OPTIONS, r'^source "drivers/infiniband/sw/siw/Kconfig"\n',
                                          f'source "{HOME}/Kconfig"\n')  # fmt: skip
            files[SIBLINGS] = self.changed(SIBLINGS, r"^obj-\$\(CONFIG_RDMA_SIW\).*\n",
                                           "obj-$(CONFIG_INFINIBAND_XIW)\t\t+= xiw/\n")  # fmt: skip
        if patch >= PATCH["tests"]:
            files[f"{HOME}/tests/Makefile"] = "\n".join([
                SPDX + "obj-$(CONFIG_INFINIBAND_XIW_TEST) := xiw_test.o", "",
                *folded("xiw_test-y := " + " ".join(self.tests))]) + "\n"  # fmt: skip
        refuse(foreign({p: t for p, t in files.items()
                        if p in (f"{HOME}/Makefile", f"{HOME}/Kconfig")}))  # fmt: skip
        return files


def foreign(files):
    """List the references to a part of this project that a kernel tree does not have."""
    return [f"{path}: {match[0]}" for path, text in files.items()
            for match in [translate.FOREIGN.search(text)] if match]  # fmt: skip


def refuse(wrong):
    if wrong:
        die("not for a kernel tree:\n  " + "\n  ".join(wrong))


def folded(line):
    """Fold a line of a Makefile."""
    lines = textwrap.wrap(line, 84, subsequent_indent="\t ", break_long_words=False,
                          break_on_hyphens=False)  # fmt: skip
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def with_maintainers(text):
    entry = read(TOP / "packaging/kernel/MAINTAINERS").removeprefix(SPDX)
    begin = text.find("\n3C59X")
    later = next((m for m in re.finditer(r"^([A-Z0-9].*)\n(?=[A-Z]:\t)", text, re.M)
                  if m.start() > begin and m[1].upper() > entry.split("\n")[0]), None)  # fmt: skip
    if begin < 0 or not later:
        die("MAINTAINERS: no place for xiw")
    return text[:later.start()] + entry + "\n" + text[later.start():]


def write(top, files):
    """Write changed files, and remove sources of the driver that no longer exist."""
    for folder in (HOME, document.FOLDER):
        for path in (top / folder).rglob("*"):
            ours = path.suffix in (".c", ".h", ".rst") and not path.name.endswith(".mod.c")
            if ours and str(path.relative_to(top)) not in files:
                path.unlink()
    patches.write(top, files)


# ------------------------------------------------------------------ the source of the kernel

def kernel_source(word, what):
    """Check that LINUX is a suitable kernel source, and return its folder."""
    if not word:
        die(f"what kernel? make {what} LINUX=path, with the source of a kernel")
    linux = Path(word)
    if not linux.is_dir():
        die(f"{linux} is no folder")
    if not (linux / "Makefile").is_file():
        die(f"{linux} is not the source of a kernel: it has no Makefile")
    for path in (OPTIONS, SIBLINGS, "MAINTAINERS"):
        if not (linux / path).is_file():
            die(f"{linux} is not the whole source of a kernel (headers are not sufficient): "
                f"it has no {path}")  # fmt: skip
    words = dict(re.findall(r"^(VERSION|PATCHLEVEL) = (\d+)$", read(linux / "Makefile"), re.M))
    if len(words) < 2:
        die(f"{linux / 'Makefile'} has no VERSION and PATCHLEVEL of a kernel")
    found = (int(words["VERSION"]), int(words["PATCHLEVEL"]))
    newest = re.search(r"XIW_KERNEL_TESTED=([\d.]+)", read(TOP / "driver/compat/range"))[1]
    if found < tuple(map(int, newest.split(".")[:2])):
        die(f"{linux} is kernel {found[0]}.{found[1]}, and the driver in a kernel tree needs "
            f"{newest}; for older kernels use make modules KDIR=path")  # fmt: skip
    return linux


# ------------------------------------------------------------------- the series of patches

def series(kernel, out):
    base = {path: kernel.original(path) for path in (OPTIONS, SIBLINGS, CONTENTS, "MAINTAINERS")}
    steps = [(kernel.whole(patch), f"RDMA/xiw: {subject}", body)
             for patch, (_, _, subject, body) in enumerate(STEPS)]  # fmt: skip
    patches.make(out, {path: text for path, text in base.items() if text}, steps,
                 ("RDMA/xiw: " + COVER[0], COVER[1]), write)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("intree", "series"))
    parser.add_argument("linux", help="source of a kernel")
    parser.add_argument("out", type=Path, nargs="?", default=TOP / "build/series")
    options = parser.parse_args()
    try:
        kernel = Kernel(kernel_source(options.linux, options.what))
        if options.what == "series":
            series(kernel, options.out)
        else:
            write(kernel.linux, kernel.whole(LAST))
            print(f"{HOME} is in {kernel.linux}: enable CONFIG_INFINIBAND_XIW")
    except (OSError, ValueError) as error:
        die(error)


if __name__ == "__main__":
    main()
