# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Make patches for the source of another project, from a git repository of the changed files."""
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]


def read(path):
    return path.read_text(encoding="utf-8")


def write(top, files):
    """Write the files that have changed."""
    for path, text in files.items():
        if (top / path).is_file() and read(top / path) == text:
            continue
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, encoding="utf-8")


def git(top, *words):
    try:
        subprocess.run(["git", "-C", top, *words], check=True, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        sys.exit(f"git {words[0]} ended with {error.returncode}")


def identity(what):
    found = subprocess.run(["git", "-C", TOP, "config", f"user.{what}"], capture_output=True,
                           text=True, check=False)  # fmt: skip
    return found.stdout.strip() or {"name": "The xiw authors", "email": "xiw@localhost"}[what]


def filled(text):
    return "\n\n".join(textwrap.fill(part, 72, break_on_hyphens=False)
                       for part in textwrap.dedent(text).split("\n\n"))  # fmt: skip


def make(out, base, steps, cover, put=write):
    """Write the patches, and the repository out/tree from which they come.

    base: the files that the other project has, by path
    steps: for each patch its files, its subject and its body
    cover: subject and text of the cover letter
    put: the function that writes files into the repository
    """
    work = out / "tree"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for patch in out.glob("[0-9]*.patch"):
        patch.unlink()
    git(work, "init", "-q")
    for name, value in (("user.name", identity("name")), ("user.email", identity("email")),
                        ("commit.gpgsign", "false"), ("core.autocrlf", "false")):  # fmt: skip
        git(work, "config", name, value)
    write(work, base)
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "base")
    for files, subject, body in steps:
        put(work, files)
        git(work, "add", "-A")
        git(work, "commit", "-q", "-s", "-m", subject, "-m", filled(body))
    git(work, "format-patch", "-q", "--cover-letter", "-o", out.resolve(), f"HEAD~{len(steps)}")
    letter = out / "0000-cover-letter.patch"
    text = read(letter).replace("*** SUBJECT HERE ***", cover[0])
    letter.write_text(text.replace("*** BLURB HERE ***", filled(cover[1])), encoding="utf-8")
    print(f"{len(steps)} patches in {out}")
