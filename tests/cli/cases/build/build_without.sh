# What cannot be built: no compiler, no planner, no library, a model that nobody compiles for, a kernel that is none; each one line, and exit status 3.
# covers: cmd_build.c builds.c impl_search.c
export ASCTUNE_CACHE_DIR="$PWD/cache" ASCTUNE_PYTHON=/nowhere/python3 ASCTUNE_PYTHON_NPU=/nowhere/python3 ASCTUNE_NVRTC=/nowhere/libnvrtc.so
CC=/nowhere/cc run build "$WORKLOADS/axpy.json" -D cpu 2>&1 | sed '/^cpu: /d; s/built for .*: implementation/built for CPU: implementation/'
run build "$ROOT/workloads/softmax.json" -D sm_90 -p odd
run build "$ROOT/workloads/softmax.json" -D Ascend910B3 -p odd
run build "$ROOT/workloads/softmax.json" -D SuperscalarNPU -p odd
run build "$ROOT/workloads/softmax.json" -D sm_91
run build "$ROOT/workloads/gemm.json" -D sm_90 -p odd --impl cublaslt
# nothing is left where nothing was built
find cache -name '*.cubin' -o -name '*.so'
# a reference that does not build is a default that does not: no run of the problem would measure anything
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" . && echo '#error "no reference"' >>axpy/reference.c
asctune build axpy.json -D cpu --budget 1 >out 2>err; echo "exit $?"
grep -A1 '^!' out
