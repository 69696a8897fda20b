#!/bin/sh
# Triton kernels of the workloads are compiled for an A100, or else an H100, that need not be here, for each of their types; t-cuda_workloads has the defaults.
# `tests/kernels/compile.py ASCTUNE --all` compiles every configuration. $ASCTUNE_PYTHON has Triton, else it is skipped.
root=$(cd "$(dirname "$0")/../.." && pwd)
exec "${ASCTUNE_PYTHON:-python3}" "$root/tests/kernels/compile.py" "${ASCTUNE_BUILD:-$root/build/dev}/asctune" 1
