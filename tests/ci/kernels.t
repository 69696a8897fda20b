#!/bin/sh
# Kernels that no device here can run, in their language's interpreter; $ASCTUNE_PYTHON is one that has triton and numpy, else it is skipped.
exec "${ASCTUNE_PYTHON:-python3}" "$(dirname "$0")/../kernels/interpret.py"
