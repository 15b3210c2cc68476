#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""series.py RDMA_CORE [OUT]: make patches of the provider for rdma-core, into OUT

RDMA_CORE is the source of rdma-core 65 or later. The patches are in the order in which rdma-core
reviews them: the kernel header, the provider, the direct verbs, the packages. Needs Python 3.9 and
git.
"""
import argparse
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # keep __pycache__ out of the tree
sys.path.append(str(Path(__file__).resolve().parents[1]))
import patches
from patches import TOP, read
from texts import COVER, MAINTAINERS, STEPS

HOME = "providers/xiw"
HEADER = "kernel-headers/rdma/xiw-abi.h"
# Replacements for text that is specific to this tree, by file: a regular expression and the new
# text.
NAMES = {
    "device.c": [
        # Use the macros of rdma-core instead of the provider's own code.
        (r"_verbs_init_and_alloc_context\(\n\t\tibdev, cmd_fd, sizeof\(\*ctx\),\n"
         r"\t\t\(struct verbs_context \*\)offsetof\(struct xiw_context, base\), "
         r"XIW_ABI_DRIVER_ID\)",
         "verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, base, XIW_ABI_DRIVER_ID)"),
        (r"\{ \.u\.driver_id = XIW_ABI_DRIVER_ID, \.kind = VERBS_MATCH_DRIVER_ID \}",
         "VERBS_DRIVER_ID(XIW_ABI_DRIVER_ID)"),
        (r"static __attribute__\(\(constructor\)\) void xiw_register\(void\)\n\{\n.*?\n\}\n",
         "PROVIDER_DRIVER(xiw, xiw_device_ops);\n"),
        (r" PABI_65_NOTHING\n\t\t\t\t", " NULL,\n\t\t\t\t"),
    ],
    "cq.c": [(r" PABI_65_NOTHING ", " NULL, ")],
    "provider.h": [(r'#include "pabi\.h"\n', "#include <infiniband/driver.h>\n\n")],
    "slot.h": [(r"#ifdef __cplusplus\t/\* .* \*/\nextern \"C\" \{\n#endif\n\n", ""),
               (r"#ifdef __cplusplus\n\}\n#endif\n\n", "")],
    "xiwdv.h": [(r"-lxiwdv", "-lxiw")],
}  # fmt: skip
FOREIGN = re.compile(r"\bpabi\b|PABI_|\b(?:docs|selftests|utils)/\w")
SIMPLE = """\
rdma_provider(xiw
{sources})
"""
SHARED = """\
rdma_shared_provider(xiw libxiw.map
  1 1.0.${{PACKAGE_VERSION}}
{sources})

publish_headers(infiniband
  xiwdv.h
)

rdma_pkg_config("xiw" "libibverbs" "${{CMAKE_THREAD_LIBS_INIT}}")
"""


def die(text):
    sys.exit(f"series.py: {text}")


class Core:
    """The changed files of rdma-core, and the files of the provider, by path."""

    def __init__(self, source):
        self.source = source
        self.base = {}
        self.files = {}
        cmake = read(TOP / "utils/provider/CMakeLists.txt")
        self.sources = sorted(re.findall(r"\b(\w+\.c)\b", cmake))
        self.version = re.search(r'PACKAGE_VERSION "([\d.]+)"', self.original("CMakeLists.txt"))[1]

    def original(self, path):
        if path not in self.base:
            if not (self.source / path).is_file():
                die(f"{self.source} is not the source of rdma-core: it has no {path}")
            self.base[path] = read(self.source / path)
        return self.base[path]

    def change(self, path, after, new):
        """Add lines after those that match a regular expression."""
        text = self.files.get(path, self.original(path))
        text, count = re.subn(rf"({after})", lambda match: match[1] + new, text, flags=re.M)
        if count != 1:
            die(f"{self.source / path}: no place for xiw")
        self.files[path] = text

    def add(self, *names):
        """Add files of the provider, with the names and macros of rdma-core."""
        for name in names:
            text = read(TOP / "utils/provider" / name)
            for old, new in NAMES.get(name, []):
                text, count = re.subn(old, new, text, flags=re.S)
                if count != 1:
                    die(f"utils/provider/{name}: nothing matches {old}")
            if FOREIGN.search(text):
                die(f"utils/provider/{name}: not for rdma-core: {FOREIGN.search(text)[0]}")
            self.files[f"{HOME}/{name}"] = text

    def build(self, template, sources):
        self.files[f"{HOME}/CMakeLists.txt"] = template.format(
            sources="".join(f"  {name}\n" for name in sources))  # fmt: skip

    # ------------------------------------------------------------------ the patches

    def kernel_header(self):
        self.files[HEADER] = read(TOP / "uapi/rdma/xiw-abi.h")
        self.change("kernel-headers/CMakeLists.txt", r"^  rdma/siw-abi\.h\n  rdma/vmw_pvrdma-abi"
                    r"\.h\n(?=  \)\n\npublish_internal)", "  rdma/xiw-abi.h\n")  # fmt: skip

    def provider(self):
        headers = {path.name for path in (TOP / "utils/provider").glob("*.h")}
        sources = [name for name in self.sources if name != "dv.c"]
        self.add(*sources, *sorted(headers - {"pabi.h", "xiwdv.h"}))
        self.build(SIMPLE, sources)
        self.change("CMakeLists.txt", r"^add_subdirectory\(providers/siw\)\n",
                    f"add_subdirectory({HOME})\n")  # fmt: skip
        self.change("MAINTAINERS", r"^F:\tproviders/vmw_pvrdma/\n\n", MAINTAINERS)
        self.change("README.md", r"^ - vmw_pvrdma\.ko\n", " - xiw.ko\n")

    def direct_verbs(self):
        self.add("dv.c", "xiwdv.h")
        self.files[f"{HOME}/libxiw.map"] = (
            "/* Export symbols should be added below according to\n"
            "   Documentation/versioning.md document. */\n"
            "XIW_1.0 {\n\tglobal:\n" + "".join(f"\t\t{name};\n" for name in self.functions()) +
            "\tlocal: *;\n};\n")  # fmt: skip
        self.build(SHARED, self.sources)
        page = read(TOP / "packaging/rdma-core/xiwdv.7.md")
        self.files[f"{HOME}/man/xiwdv.7.md"] = page.split("\n", 1)[1]  # without the licence
        self.files[f"{HOME}/man/CMakeLists.txt"] = "rdma_man_pages(\n  xiwdv.7.md\n)\n"
        self.change("CMakeLists.txt", rf"^add_subdirectory\({HOME}\)\n",
                    f"add_subdirectory({HOME}/man)\n")  # fmt: skip

    def functions(self):
        """Get the functions of the direct verbs."""
        text = re.sub(r"/\*.*?\*/", "", self.files[f"{HOME}/xiwdv.h"], flags=re.S)
        return sorted(re.findall(r"\b(xiwdv_\w+)\(", text))

    def packages(self):
        about = "xiw: A software implementation of iWARP with RFC 7306"
        version = self.version.split(".")[0]
        self.change("debian/control", r"^  - vmw_pvrdma: .*\n", f"  - {about}\n")
        self.change("debian/copyright", r"^Files: providers/vmw_pvrdma/\*\n(?:.+\n)+\n",
                    f"Files: {HOME}/*\nCopyright: 2026 the xiw authors\n"
                    "License: BSD-3-clause or GPL-2\n\n")  # fmt: skip
        self.change("debian/ibverbs-providers.install", r"^usr/lib/\*/libmlx5\.so\.\*\n",
                    "usr/lib/*/libxiw.so.*\n")  # fmt: skip
        self.change("debian/ibverbs-providers.symbols", r"\Z", "\n".join(
            ["libxiw.so.1 ibverbs-providers #MINVER#", "* Build-Depends-Package: libibverbs-dev",
             f" XIW_1.0@XIW_1.0 {version}",
             *(f" {name}@XIW_1.0 {version}" for name in self.functions())]) + "\n")  # fmt: skip
        for after, line in (("include/infiniband/verbs_api.h", "include/infiniband/xiwdv.h"),
                            ("lib/*/libmlx5.a", "lib/*/libxiw.a"),
                            ("lib/*/libmlx5.so", "lib/*/libxiw.so"),
                            ("lib/*/pkgconfig/libmlx5.pc", "lib/*/pkgconfig/libxiw.pc"),
                            ("share/man/man7/mlx5dv.7", "share/man/man7/xiwdv.7")):  # fmt: skip
            self.change("debian/libibverbs-dev.install", f"^usr/{re.escape(after)}\n",
                        f"usr/{line}\n")  # fmt: skip
        self.change("redhat/rdma-core.spec", r"^- libvmw_pvrdma: .*\n", f"- lib{about}\n")
        self.change("redhat/rdma-core.spec", r"^%\{_mandir\}/man7/mlx5dv\*\n",
                    "%{_mandir}/man7/xiwdv*\n")  # fmt: skip
        self.change("redhat/rdma-core.spec", r"^%\{_libdir\}/libmana\.so\.\*\n",
                    "%{_libdir}/libxiw.so.*\n")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="source of rdma-core")
    parser.add_argument("out", type=Path, nargs="?", default=TOP / "build/rdma-core")
    options = parser.parse_args()
    if not options.source:
        die("what rdma-core? make provider-series SOURCE=path, with its source")
    try:
        core = Core(Path(options.source))
        if int(core.version.split(".")[0]) < 65:
            die(f"{options.source} is rdma-core {core.version}, and the patches need 65 or later")
        steps = []
        for step, subject, body in STEPS:
            getattr(core, step)()
            steps.append((dict(core.files), subject, body))
        patches.make(options.out, core.base, steps, COVER)
    except (OSError, ValueError) as error:
        die(error)


if __name__ == "__main__":
    main()
