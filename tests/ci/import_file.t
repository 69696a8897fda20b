#!/bin/sh
# Files of workloads and what they import: folders of one process share no file, whatever its name.
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${ASCTUNE_PYTHON:-$(command -v python3 || echo python3)}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
	echo "1..0 # SKIP $python is no Python from 3.9 on"
	exit 0
}
scratch=$(mktemp -d) && trap 'rm -r "$scratch"' EXIT
cd "$scratch" || exit 1
for folder in a b; do
	mkdir -p $folder/kernels/parts
	echo "name = '$folder above'" >$folder/above.py
	cat >$folder/kernels/f.py <<-'TEXT'
		"""Of both folders."""
		from __future__ import annotations
		import helper
		import helper as other, sys
		import parts.inner
		import parts.inner as inner
		from helper import name
		from . import helper as relative
		from ..above import name as above
		try:
		    import none_of_these
		except ImportError as e:
		    missing = e.name
		def later() -> unknown:
		    import late
		    from parts.inner import word
		    return late.name, word
		import json
		import string
		import library
		import wave
	TEXT
	echo "name = '$folder'" >$folder/kernels/helper.py
	echo "import helper; name = helper.name + ' late'" >$folder/kernels/late.py
	echo >$folder/kernels/parts/__init__.py
	echo "import helper; word = helper.name + ' inner'" >$folder/kernels/parts/inner.py
	echo >$folder/kernels/json.py
	echo >$folder/kernels/wave.py
	echo >$folder/kernels/library.py
	printf '\n\nraise KeyError("here")\n' >$folder/kernels/raises.py
done
PYTHONPATH=$PWD/a/kernels "$python" -c 'import helper' # leaves its code in __pycache__, which is not what it says
touch -r a/kernels/helper.py stamp && printf 'name = "c"\n' >a/kernels/helper.py && touch -r stamp a/kernels/helper.py
mkdir site && echo >site/library.py
export PYTHONPATH="$PWD/site"
exec "$python" -B - "$root" <<'END_OF_TEST'
import json
import os
import sys
import traceback

exec(open(sys.argv[1] + "/tuner/python/import_file.py").read())
done = 0


def check(what, have, want):
    global done
    done += 1
    print(f"{'ok' if have == want else 'not ok'} {done} - {what}" + ("" if have == want else f"\n# have {have!r}, want {want!r}"))


paths, here = list(sys.path), os.getcwd()
for folder, name, before in ("a", "c", libraries), ("b", "b", standard):
    f = import_file(f"{here}/{folder}/kernels/f.py", before)
    check(f"{folder}: its own helper", (f.helper.name, f.name, f.other is f.helper), (name, name, True))
    check(f"{folder}: the same by a relative import", f.relative is f.helper, True)
    check(f"{folder}: its package, by its top and by a name", (f.parts.inner.word, f.inner is f.parts.inner), (f"{name} inner", True))
    check(f"{folder}: the folder around it", f.above, f"{folder} above")
    check(f"{folder}: what is nowhere", f.missing, "none_of_these")
    check(f"{folder}: within a function", f.later(), (f"{name} late", f"{name} inner"))
    check(f"{folder}: a library that is loaded", f.json is json, True)
    check(f"{folder}: one that is not", f.wave is sys.modules["wave"], True)
    check(f"{folder}: where another library lies", os.path.dirname(f.library.__file__), f"{here}/{'site' if before is libraries else 'b/kernels'}")
    check(f"{folder}: a library without a file of its name beside it", f.string is sys.modules["string"], True)
    check(f"{folder}: its text", f.__doc__, "Of both folders.")
    check(f"{folder}: is imported once", import_file(f"{here}/{folder}/kernels/f.py", before) is f, True)
try:
    import_file(f"{here}/a/kernels/raises.py", libraries)
except KeyError as e:
    frame = traceback.extract_tb(e.__traceback__)[-1]
    check("what is raised has its line", (frame.filename, frame.lineno, frame.line), (f"{here}/a/kernels/raises.py", 3, 'raise KeyError("here")'))
check("is not kept", [name for name in sys.modules if name.endswith(".raises")], [])
check("and no path was added", (sys.path, "helper" in sys.modules), (paths, False))
print(f"1..{done}")
END_OF_TEST
