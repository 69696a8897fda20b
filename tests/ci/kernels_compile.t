#!/bin/sh
# Triton kernels of the workloads are compiled for GPUs that need not be here: default and one more configuration. $ASCTUNE_PYTHON has Triton, else it is skipped.
root=$(cd "$(dirname "$0")/../.." && pwd)
exec "${ASCTUNE_PYTHON:-python3}" "$root/tests/kernels/compile.py" "${ASCTUNE_BUILD:-$root/build/dev}/asctune" 1
