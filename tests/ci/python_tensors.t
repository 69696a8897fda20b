#!/bin/sh
# Tensors as libraries of Python take them: numpy's interface of arrays, and torch's import by DLPack and its view for "tensors": "torch", of every type, without a copy;
# and what libraries return, read back. Arguments of any name are bound.
# covers: python_call.c
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${ASCTUNE_PYTHON:-$(command -v python3 || echo python3)}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
	echo "1..0 # SKIP $python is no Python from 3.9 on"
	exit 0
}
exec "$python" -B -c "$(cat "$root/tuner/python/python_call.py" "$root/tuner/python/import_file.py" "$root/tests/data/python_call/tensors.py")" </dev/null
