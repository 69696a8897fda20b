# What a run makes on the stand-in for an NPU is gone when its processes end; the sandbox would keep the worker from writing the log.
# covers: npu.c npu_buffer.c npu_kernel.c
export STANDIN=log=balance STANDIN_LOG="$PWD/log"
asctune run "$ROOT/workloads/softmax.json" --device npu:sim:Ascend910B3 --problem tiny --impl triton --cache hot --budget 6 --trust --db n.db >out 2>&1
grep -c "^softmax/tiny .*, simulated" out
sed -n 's/^balance \(.*\): \([1-9][0-9]*\) made, \2 freed$/\1/p' log | sort -u
sed -n '/^balance/{/: \([0-9]*\) made, \1 freed$/d;p}' log
