# A planner that is missing or strange, and what is then said: what is missing, and what still works.
# covers: space_verify.c planner_questions.c triton_python.c
export PYTHONPATH="$ROOT/tests/data/npu/python" ASCTUNE_PYTHON_NPU=python3
export ASCTUNE_CACHE_DIR="$PWD/cache"
cp -r "$ROOT/tests/data/npu/copy" .
cp "$ROOT/tests/data/npu/copy.json" .
version=$(python3 -c 'import platform; print(platform.python_implementation(), platform.python_version())')
python=$(python3 -c 'import sys; print(sys.executable)')
plainly() { sed -e 's/, [0-9.]* *[mun]*s$/, TIME/' -e "s/$version/VERSION/" -e "s|$python|PYTHON|g"; }
verify() { run space copy.json --device Ascend910B3 --verify-with-compiler "$@" 2>&1 | plainly; }
compiler() { # a compiler that is the test's but for what standard input says before it plans, in a folder of its own
	mkdir -p "$1"
	sed -e '/^elements=/q' "$ROOT/tests/data/npu/compiler/bishengir-compile" | sed -e '$d' -e "s/0.0.1 (a test)/0.0.1 ($1)/" >"$1/bishengir-compile"
	cat >>"$1/bishengir-compile"
	sed -n '/^elements=/,$p' "$ROOT/tests/data/npu/compiler/bishengir-compile" >>"$1/bishengir-compile"
	chmod +x "$1/bishengir-compile"
	export TRITON_NPU_COMPILER_PATH="$PWD/$1"
}
export TRITON_NPU_COMPILER_PATH="$ROOT/tests/data/npu/compiler"
# no interpreter, another program, one without Triton, Triton in the place of triton-ascend
verify --python-npu /nowhere/python
verify --python-npu /bin/true
PYTHONPATH= verify | sed 's/has Triton [0-9.]*, which is not triton-ascend/cannot use triton-ascend: ImportError: No module named '"'triton'/" # the machine's own may have one
mkdir -p other && cp -r "$PYTHONPATH/triton" other && rm -r other/triton/backends/ascend
PYTHONPATH="$PWD/other" verify
# no compiler; one without a version
TRITON_NPU_COMPILER_PATH= verify
mkdir mute && printf '#!/bin/sh\nexit 0\n' >mute/bishengir-compile && chmod +x mute/bishengir-compile
TRITON_NPU_COMPILER_PATH="$PWD/mute" verify
# models without a planner, and what is no model of an NPU
for device in Ascend310P3 SuperscalarNPU Ascend950PR_9579 sm_90 cpu; do run space copy.json --device $device --verify-with-compiler; done 2>&1 | plainly
run space copy.json --verify-with-compiler
# nothing to ask; a module that cannot be imported
run space "$WORKLOADS/axpy.json" --device Ascend910B3 --verify-with-compiler
run space "$ROOT/tests/data/spaces/bat_gemm.json" --device Ascend910B3 --verify-with-compiler
mkdir broken && cp -r copy copy.json broken && echo 'import nowhere' >>broken/copy/kernel.py
run space broken/copy.json --device Ascend910B3 --verify-with-compiler
# a compiler without an option that is asked for
sed 's/"multibuffer": /"unit_flag": /' copy.json >flag.json
run space flag.json --device Ascend910B3 --verify-with-compiler | plainly
# one that prints 10 MB, and `required` below `available`: a refusal, whatever the numbers
compiler loud <<'END'
head -c 10000000 /dev/zero | tr '\0' 'x'
END
verify --problem small | tail -2
compiler less <<'END'
grep -q 'tensor<8192xf32>' "$1" && { echo "error: ub overflow, requires 1490944 bits while 1572864 bits available! (possible reason: none)"; exit 1; }
END
verify --problem small
# one that is killed plans nothing: no verdict, and no probe
compiler killed <<'END'
grep -q 'tensor<8192xf32>' "$1" && kill -9 $$
END
verify --problem small
compiler dead <<'END'
kill -9 $$
END
verify
# one that is another one when it has answered
compiler changed <<'END'
grep -q 'tensor<8192xf32>' "$1" && echo >>"$0"
END
verify --problem small --trust 2>&1 | sed -n 's/^[0-9]* \(unanswered: .*, in 3 tries\):.*/\1/p; /^exit/p' # how many had their answer by then is no matter
# one that is removed while others are asked
compiler gone <<'END'
grep -q 'tensor<8192xf32>' "$1" && rm -f "$0"
END
verify --problem small --trust --jobs 1 2>&1 | sed -n 's/^[0-9]* \(unanswered: .*\), in 3 tries:.*/\1/p; /^exit/p'
# a machine that can start no process for the moment: no verdict either
export TRITON_NPU_COMPILER_PATH="$ROOT/tests/data/npu/compiler"
cp -r "$PYTHONPATH" busy
sed -i 's/^        return f/        if elements == 8192:\n            raise BlockingIOError(11, "Resource temporarily unavailable")\n&/' busy/triton/compiler/__init__.py
PYTHONPATH="$PWD/busy" verify --problem small | sed -n '/unanswered/p; /^exit/p'
# a lowering that dies by chance is tried three times, and so is the question; what dies more often has no verdict
sed -e 's/"entry": "copy",/"entry": "copy_crashing",/' -e 's/"multibuffer": .*}/"CRASHES": [0, 2, 5, 9]}/' -e 's/"values": .*, "default"/"values": [1024], "default"/' copy.json >crashing.json
run space crashing.json --device Ascend910B3 --verify-with-compiler --problem small --jobs 1 | plainly
# what lies around the compiler's folder is not read by kernels
mkdir -p home/bin work && cp -r copy copy.json work && cp "$TRITON_NPU_COMPILER_PATH/bishengir-compile" home/bin && echo secret >home/key
sed -i "1i open('$PWD/home/key').read()" work/copy/kernel.py
TRITON_NPU_COMPILER_PATH="$PWD/home/bin" run space work/copy.json --device Ascend910B3 --verify-with-compiler
# a full disk
export ASCTUNE_CACHE_DIR="$PWD/full"
(ulimit -f 0 && verify)
verify --problem small | tail -2
