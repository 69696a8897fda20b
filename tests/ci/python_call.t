#!/bin/sh
# Python functions as kernels: the checks of python_checks.c, in a Python that has loaded them.
# covers: python_call.c vendor.c
root=$(cd "$(dirname "$0")/../.." && pwd)
library=${ASCTUNE_BUILD:-$root/build/dev}/tests/libpython_checks.so
python=${ASCTUNE_PYTHON:-$(command -v python3 || echo python3)}
if nm "$library" | grep -q ' U __\(asan\|tsan\|ubsan\)_'; then
	echo "1..0 # SKIP the library has a sanitizer, which an interpreter without one cannot load"
	exit 0
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
	echo "1..0 # SKIP $python is no Python from 3.9 on"
	exit 0
}
exec "$python" -B -c "$(cat "$root/tuner/python/python_call.py" "$root/tuner/python/import_file.py")
library = ctypes.CDLL(sys.argv[1])
sys.exit(library.python_checks(ctypes.byref(make_hooks()), sys.argv[2].encode()))" "$library" "$root/tests/data/python_call/attempts.py" </dev/null
