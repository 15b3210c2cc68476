# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""tidy.py TREE BUILD [SEED]: clang-tidy over the C++ files of BUILD/compile_commands.json.

Files whose keys are in BUILD/known are skipped; keys of clean files go to BUILD/clean. With SEED,
at most a fortieth of all files is checked: first files whose own text has changed, and then files
of which only a header has changed. SEED determines the order within each of these groups. The last
line gives the numbers of files. Runs in a build root, see the lint step "tidy".
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys

TIDY = "clang-tidy-19"
SCAN = "clang-scan-deps-19"


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@functools.cache
def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def tool():
    """Get what affects the result besides the source: versions of the program and its libraries."""
    packages = ("clang-tidy-19", "libclang-cpp19", "libllvm19", "libclang-common-19-dev")
    return run("dpkg-query", "-W", *packages).stdout


def dependencies(database):
    """Map each source file to all files that its translation unit reads, by clang's
    preprocessor."""
    scan = subprocess.run(
        [SCAN, "-compilation-database", database, "-j", str(os.cpu_count())],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if scan.returncode:
        print(scan.stderr)
    # The output contains a make rule for each compilation of a file. If a file is compiled twice,
    # its rules may list different headers, so combine the rules.
    found = {}
    for rule in re.split(r"(?<!\\)\n", scan.stdout):
        words = rule.replace("\\\n", " ").split()
        if len(words) > 1:
            found.setdefault(words[1], set()).update(words[1:])
    return {source: sorted(files) for source, files in found.items()}


def checks(source, tree):
    """Get the .clang-tidy files that apply to a source file."""
    folders = [f for f in pathlib.Path(source).parents if f == tree or tree in f.parents]
    return [f / ".clang-tidy" for f in folders if (f / ".clang-tidy").exists()]


def key(source, commands, files, tree, tools):
    """Get the key of a source file that is compiled by these commands and reads these files."""
    words = [tools, *(c.replace(str(tree), ".") for c in sorted(commands))]
    for path in [*files, *checks(source, tree)]:
        words += [str(path).replace(str(tree), "."), digest(path)]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def text(source, tree):
    """Get the key of a source file without the files that it includes."""
    words = [str(source).replace(str(tree), "."), digest(source)]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def main():
    tree, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    database = build / "compile_commands.json"
    ours = re.compile(rf"{re.escape(str(tree))}/(utils|selftests)/.*\.cpp$")
    entries = {}
    for e in json.loads(database.read_text()):
        if ours.match(e["file"]):
            entries.setdefault(e["file"], []).append(e.get("command") or str(e["arguments"]))
    if not entries:
        print("error: no file to check")
        return 1
    reads = dependencies(database)
    known = set((build / "known").read_text().split())
    tools = tool()
    # Files that the scan did not find have no key, so no run treats them as clean.
    keys = {f: key(f, c, reads[f], tree, tools) for f, c in entries.items() if f in reads}
    todo = [f for f in entries if keys.get(f) not in known]
    clean = [keys[f] for f in entries if keys.get(f) in known]
    left = 0
    if len(sys.argv) > 3:
        share = -(-len(entries) // 40)
        random.Random(sys.argv[3]).shuffle(todo)
        todo.sort(key=lambda f: text(f, tree) in known)
        left = len(todo[share:])
        todo = todo[:share]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(run, TIDY, "-quiet", "-p", str(build), f): f for f in todo}
        for job in concurrent.futures.as_completed(jobs):
            done, name = job.result(), jobs[job]
            if done.returncode == 0 and name in keys:
                clean.append(keys[name])
            elif done.returncode:
                failed += 1
                print(done.stdout or f"{name}:1:1: error: {TIDY} ended with {done.returncode}")
    sources = {k: f for f, k in keys.items()}
    clean += [text(sources[k], tree) for k in clean]
    (build / "clean").write_text("".join(f"{k}\n" for k in clean))
    print(f"{len(entries)} files, {len(todo)} of them checked, {failed} with findings"
          + (f", {left} left to later runs" if left else ""))
    return 1 if failed else 0


sys.exit(main())
