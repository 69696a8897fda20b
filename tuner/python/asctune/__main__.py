"""Runs a program whose Triton kernels, those of installed libraries too, take their configurations from a table. PROGRAM is a file of Python, `-m MODULE`, or a
command; every Python that it starts in its turn does the same."""

import argparse
import os
import shutil
import site
import sys

parser = argparse.ArgumentParser(prog="python -m asctune", usage="%(prog)s --table TABLE [--kernels GLOB] [--] PROGRAM ...", description=__doc__)
parser.add_argument("--table", required=True, help="database, best.json or file of rules")
parser.add_argument("--kernels", default="*", metavar="GLOB", help='kernels by MODULE:KERNEL, such as "fla.*" (default: all)')
# Words behind these options are the program's own, whatever they begin with.
words, n = sys.argv[1:], 0
while n < len(words) and words[n].startswith(("--", "-h")) and words[n] != "--":
    n += 1 if "=" in words[n] else 2
given, words = parser.parse_args(words[:n]), words[n + (words[n:n + 1] == ["--"]):]
if words and (words[0] == "-m" or words[0].endswith(".py")):
    words = [sys.executable, *words]
if not words or not shutil.which(words[0]):
    parser.error(f"no program {words[0]}" if words else "which program?")
here = os.path.dirname(os.path.abspath(__file__))
home = os.path.dirname(here)
# The folder `start` has the sitecustomize that every Python runs as it begins. A folder of packages that Python knows by itself must not come first.
folders = [os.path.join(here, "start"), "" if home in site.getsitepackages() else home, os.environ.get("PYTHONPATH", "")]
os.environ.update(ASCTUNE_TABLE=os.path.abspath(given.table), ASCTUNE_KERNELS=given.kernels, PYTHONPATH=os.pathsep.join(filter(None, folders)))
os.execvp(words[0], words)
