#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""intree.py TREE: check that after each commit of TREE, all sources that the driver's Makefile
lists exist, all headers that they include exist, and the Makefile lists each source.
"""
import re
import subprocess
import sys

TREE = sys.argv[1]
HOME = "drivers/infiniband/sw/xiw/"


def git(*words):
    command = ["git", "-c", f"safe.directory={TREE}", "-C", TREE, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def wrong_at(commit):
    files = set(git("ls-tree", "-r", "--name-only", commit).split("\n"))
    sources = {path for path in files if path.startswith(HOME) and path.endswith((".c", ".h"))}
    listed = set()
    for folder in ("", "tests/"):
        if HOME + folder + "Makefile" in files:
            text = re.sub("#.*", "", git("show", f"{commit}:{HOME}{folder}Makefile"))
            listed |= {HOME + folder + name + ".c" for name in re.findall(r"(?<![\w/])([a-z_0-9/]+)\.o\b", text)}
    # A Makefile also lists xiw.o and xiw_test.o. These are the modules, and have no C file.
    listed -= {HOME + "xiw.c", HOME + "tests/xiw_test.c"}
    wrong = [f"no {path}" for path in sorted(listed - sources)]
    wrong += [f"{path} is not built" for path in sorted(sources - listed) if path.endswith(".c")]
    found = git("grep", "-E", '^#include ("|<uapi/linux/xiw|<rdma/xiw)', commit, "--", HOME)
    for line in found.splitlines():
        _, path, include = line.split(":", 2)
        name = re.search(r'["<](.*)[">]', include)[1]
        here = path.rpartition("/")[0] + "/" + name
        if not {HOME + name, here, "include/" + name, "include/uapi/" + name} & files:
            wrong.append(f"{path} includes {name}")
    return wrong


commits = git("rev-list", "--reverse", "HEAD").split()[1:]
bad = 0
for commit in commits:
    for text in wrong_at(commit):
        print(f"{git('log', '-1', '--format=%s', commit).strip()}: {text}")
        bad = 1
print(f"{len(commits)} patches")
sys.exit(bad)
