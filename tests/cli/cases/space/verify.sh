# The limits of memory beside a planner: tables, disagreements, what is drawn and at the edge, the table of verdicts, what the cache answers.
# covers: space_verify.c verify_space.c
export PYTHONPATH="$ROOT/tests/data/npu/python" TRITON_NPU_COMPILER_PATH="$ROOT/tests/data/npu/compiler" ASCTUNE_PYTHON_NPU=python3
export ASCTUNE_CACHE_DIR="$PWD/cache"
verify() { run space "$@" --device Ascend910B3 --verify-with-compiler | sed 's/, [0-9.]* *[mun]*s$/, TIME/'; }
cp -r "$ROOT/tests/data/npu/copy" .
F="$ROOT/tests/data/npu/copy.json"
verify "$F"
verify "$F" # again: no compiler is started
run space "$F" --device Ascend910B3 --verify-with-compiler --problem small --json | sed 's/"wall_ns":[0-9]*/"wall_ns":0/'
# too much is stated: variants that fit are lost; too little: some are not foreseen
sed 's/"4 \* BLOCK"/"5 * BLOCK"/' "$F" >lost.json
verify lost.json
sed 's/"4 \* BLOCK"/"BLOCK"/' "$F" >refused.json
verify refused.json
sed 's/"memory": .*/"memory": {},/' "$F" >none.json
verify none.json --problem small
# the two sides of the edge, and what is drawn beside them
run space "$F" --device Ascend910B3 --problem small --verify-with-compiler=1 --seed 3 --json | grep -o '"config":{[^}]*}'
# two kernels in one implementation, the second with twice the tile: what one of them does not fit is refused
python3 - "$F" >pair.json <<'END'
import json, sys
w = json.load(open(sys.argv[1]))
one = w["implementations"][0]
call = {key: one.pop(key) for key in ("builder", "source", "entry", "launch", "arguments")}
one["scratch"] = {"between": {"shape": ["N"], "dtype": "f32"}}
first, second = dict(call), dict(call)
first["arguments"] = [{"tensor": "x"}, {"tensor": "between"}, call["arguments"][2]]
second["arguments"] = [{"tensor": "between"}, {"tensor": "out"}, call["arguments"][2]]
second["entry"], second["constants"] = "copy_rows", {"BLOCK_ROWS": 2}
one["calls"] = [first, second]
json.dump(w, sys.stdout)
END
verify pair.json --problem small
run space pair.json --device Ascend910B3 --problem small --verify-with-compiler -o pair.csv | tail -1
# options of GPUs are no questions to a planner, unless the kernel has a constant of that name
sed '/^def copy(/s/BLOCK: tl.constexpr/&, num_stages: tl.constexpr/' copy/kernel.py >copy/staged.py
sed -e 's|copy/kernel.py|copy/staged.py|' -e 's/"multibuffer": \[false, true\]/&, "num_stages": [1, 2], "num_warps": [4, 8], "enable_fp_fusion": [true]/' "$F" >staged.json
verify staged.json --problem small | tail -2
# a table for others
echo text >kernel.txt
run space "$F" --device Ascend910B3 --verify-with-compiler -o copy.csv >all.txt
cat copy.csv
run space "$F" --device Ascend910B3 --verify-with-compiler -o kernel.txt # another file stays
run space "$F" --device Ascend910B3 -o copy.csv
run space "$F" --device Ascend910B3 --verify-with-compiler --count
# a table of another kernel is not written over
sed -i 's/^# kernel: .*/# kernel: other.py other/' copy.csv
run space "$F" --device Ascend910B3 --verify-with-compiler -o copy.csv | tail -2
head -n 2 copy.csv
