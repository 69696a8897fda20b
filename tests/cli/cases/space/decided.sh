# What decided whether a configuration fits: a planner, asked now or before; without one a table of verdicts, or the expressions.
# covers: explain_verdict.c planner_questions.c
export PYTHONPATH="$ROOT/tests/data/npu/python" TRITON_NPU_COMPILER_PATH="$ROOT/tests/data/npu/compiler" ASCTUNE_PYTHON_NPU=python3
export ASCTUNE_CACHE_DIR="$PWD/cache"
cp -r "$ROOT/tests/data/npu/copy" .
sed 's/"entry": "copy",/& "verdicts": "t.csv",/' "$ROOT/tests/data/npu/copy.json" >copy.json
explain() { run space copy.json --device "${SOC:-Ascend910B3}" --problem small --explain "$1" | grep -v holds; }
run space copy.json --device Ascend910B3 --problem small --verify-with-compiler -o t.csv | sed 's|, [0-9.]* *[mun]*s$|, TIME|'
explain BLOCK=8192,multibuffer=false
rm -r cache
explain BLOCK=8192,multibuffer=false
explain BLOCK=131072,multibuffer=false
echo '- without a planner'
export ASCTUNE_PYTHON_NPU=/nowhere
explain BLOCK=8192,multibuffer=false
explain BLOCK=131072,multibuffer=false
SOC=Ascend910B4 explain BLOCK=8192,multibuffer=false
