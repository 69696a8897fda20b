#!/bin/sh
# CUDA kernels for rows, and the references that a GPU computes, emulated on the CPU: a problem of each operator and combination of types.
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/kernels/emulate.py" "${ASCTUNE_BUILD:-$root/build/dev}/asctune" 1
