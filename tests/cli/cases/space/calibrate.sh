# Bounds of memory that a planner is asked for, where none is, and what is no question to one.
# covers: space_calibrate.c kernel_variants.c
export ASCTUNE_PYTHON_NPU=/nowhere/python-npu
F="$ROOT/tests/limits/calibrate"
run space "$F/rotary.json" --device Ascend910B3 --calibrate
run space "$F/rotary.json" --device 950 --calibrate=12 --json
run space "$F/rotary.json" --calibrate
run space "$F/rotary.json" --device sm_90 --calibrate
run space "$F/rotary.json" --device SuperscalarNPU --calibrate
run space "$F/rotary.json" --device Ascend910B3 --calibrate --problem f8
run space "$F/rotary.json" --device Ascend910B3 --calibrate --list
run space "$F/rotary.json" --device Ascend910B3 --calibrate=0
run space "$F/rotary.json" --device Ascend910B3 --calibrate=65
run space "$F/rotary.json" --device Ascend910B3 --jobs 2
run space "$F/../add.json" --device Ascend910B3 --calibrate
run space "$ROOT/workloads/softmax.json" --device Ascend910B3 --calibrate --impl rows
