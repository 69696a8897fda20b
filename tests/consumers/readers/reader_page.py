"""Runs a reader's page, docs/readers/NAME.md, as a user would, for ci/consumers: NAME PACKAGE_FOLDER VERSION ASCTUNE SEED [PAGE]

The commands of its `sh` blocks run one after another in an empty folder. A command whose comment begins with "on" or "with" needs what is not here: it is left out, and the
comment is the reason. In the place of `asctune run`, which needs a GPU, stands a database of random results (reader_tables.py), exported with --unproved. A module of the library that holds its look-up is
what is cut out of its package (reader_libraries.py), in a process with the device and the Triton of these results; `python3 -c` on the page asks that.
Lines of a log, in a table whose head has "it logs" first, have to be in the library's text. A line says what ran; exit status 1 where a command failed or a text is gone.
"""
import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from reader_libraries import LIBRARIES, Gone
from reader_tables import DEVICES, TRITON, Tuned

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIMIT_S = 300
PYTHON = os.environ.get("ASCTUNE_PYTHON") or "python3"


def commands(page):
    """The commands of the page's blocks: (text, reason why it is left out)."""
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        text = ""
        for line in block.replace("\\\n", " ").splitlines():
            text += line
            try:
                words = shlex.split(text, comments=True)
            except ValueError:  # a quote is open
                text += "\n"
                continue
            reason = re.search(r"\s#\s+((?:on|with)\b.*)", text)
            if words:
                yield text, reason and reason[1]
            text = ""


def script(name, page, database):
    """The page as a shell script, which says each command's number before it runs it, and what was left out."""
    lines, left = ["set -e", f'asctune() {{ [ "$1 $2" != "export {name}" ] || set -- "$@" --unproved; command asctune "$@"; }}'], []
    for number, (text, reason) in enumerate(commands(page)):
        if reason:
            left.append(f"{re.sub(' +', ' ', text.split(' #')[0].strip())}: {reason}")
        if reason and "asctune run " in text:
            lines.append(f"[ -e asctune.db ] || cp {shlex.quote(str(database))} asctune.db")
        elif not reason:
            lines += [f"echo {number} >ran", text]
    return "\n".join(lines) + "\n", left


def logged(page):
    """Lines of a log that the page tells, each as its parts between ellipses."""
    for table in re.findall(r"^\| it logs \|.*\n(?:\|.*\n)+", page, re.MULTILINE):
        for row in table.splitlines()[2:]:
            for text in re.findall(r"`([^`]*)`", row.split("|")[1]):
                yield text, [part.strip() for part in text.split("…") if part.strip()]


def strings(file):
    """The texts in a Python file; what is filled in is left out of them."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.JoinedStr):
            yield "\0".join(v.value for v in node.values if isinstance(v, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def triton_of(python):
    """The version of Triton that a Python has; "": none."""
    done = subprocess.run([python, "-c", "import triton; print(triton.__version__)"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def run(name, text, library, package, asctune, triton, work):
    """Runs the script in a folder of its own, beside which the library's files lie as if they were installed; gives its status and what it said."""
    site, folder = work / "site", work / "page"
    folder.mkdir()
    site.mkdir()
    for top in {Path(path).parts[0] for path in library.FUNCTIONS}:
        subprocess.run(["cp", "-rs", Path(package, top), site / top], check=True)
    for path in library.FUNCTIONS:  # they ask for the folder that they are in
        (site / path).unlink()
        shutil.copy(Path(package, path), site / path)
    for place in library.OWN_FOLDERS:
        (site / place).mkdir(exist_ok=True)
    if library.FUNCTIONS:
        (site / "sitecustomize.py").write_text(f"import reader_libraries\nreader_libraries.serve({name!r}, {str(package)!r}, {str(site)!r}, {DEVICES[0]!r}, {triton!r})\n")
    environment = {k: v for k, v in os.environ.items() if not re.match("ASCTUNE_|VLLM_|SGLANG_|FLA_|TRITON_", k)}
    environment.update(PYTHONPATH=f"{site}:{HERE}", PATH=f"{Path(asctune).parent}:{os.environ['PATH']}", XDG_CACHE_HOME=str(work / "cache"))
    if library.IN_PYTHON:
        environment.update(PYTHONPATH=os.pathsep.join(map(str, library.path(package))), ASCTUNE_PYTHON=PYTHON, TRITON_CACHE_DIR=str(work / "triton"))
        text = f'python3() {{ "$ASCTUNE_PYTHON" "$@"; }}\n{text}'
    done = subprocess.run(["timeout", str(LIMIT_S), "sh", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = int((folder / "ran").read_text()) if (folder / "ran").exists() else -1
    return done.returncode, ran, done.stdout


def main(name, package, version, asctune, seed, page=None):
    file = Path(page or ROOT / "docs" / "readers" / f"{name}.md")
    if not file.exists():
        print(f"{name}: there is no page {file}")
        return 1
    page, library, wrong = file.read_text(), LIBRARIES[name], []
    with tempfile.TemporaryDirectory(prefix="asctune-page.") as work:
        tuned = Tuned(asctune, ROOT / "db" / "schema.sql", work, seed, most=4)
        tuned.triton = triton_of(PYTHON if library.IN_PYTHON else "python3") or TRITON  # which --check compares with
        tuned.say_triton()
        text, left = script(name, page, tuned.db)
        status, ran, said = run(name, text, library, Path(package).resolve(), Path(asctune).resolve(), tuned.triton, Path(work))
    every = list(commands(page))
    if status:
        wrong.append(f"{every[ran][0].strip()}: exit status {status}: {' / '.join(said.splitlines()[-3:])}")
    known = "\n".join(s for path in library.texts_with_logs(package) for s in strings(path))
    for line, parts in logged(page):
        wrong += [f"{line}: the library's text has no \"{part}\"" for part in parts if part not in known]
    print(f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}, version {version}: {len(every) - len(left)} commands, {len(list(logged(page)))} lines of a log, right: {f'all but {len(wrong)}' if wrong else 'all'}")
    for line in [*wrong, *(f"left out: {one}" for one in left)]:
        print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Gone as gone:
        print(f"{sys.argv[1]}: the look-up is another one: {gone}")
        sys.exit(1)
