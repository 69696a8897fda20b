#!/bin/sh
# Launches of kernels whose tables libraries read, as `asctune init --from` states them, in Triton's interpreter; $ASCTUNE_PYTHON is one that has triton and numpy, else it is skipped.
# covers: reader_workload.c reader_kernel.c
root=$(cd "$(dirname "$0")/../.." && pwd)
exec "${ASCTUNE_PYTHON:-python3}" "$root/tests/kernels/layers.py" "${ASCTUNE_BUILD:-$root/build/dev}/asctune" "$root/tests/data/package/" vllm:moe vllm:block-fp8 sglang:moe sglang:block-fp8
