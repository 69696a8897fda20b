# Models that are not here: their names, what their limits leave out and why, where tiles lie.
F="$ROOT/tests/limits"
asctune list devices --all | grep -E '^(Ascend910B3|sm_90|SuperscalarNPU) '
asctune list devices --all --json | grep -E '"name":"(Ascend910B3|sm_90)"'
asctune list devices --all --json | wc -l | awk '{ print ($1 >= 77) }'
run list probes --all
run space "$F/tiles.json" --device SuperscalarNPU
run space "$F/tiles.json" --device SuperscalarNPU --json
run space "$F/tiles.json" --device SuperscalarNPU --impl sixteen --explain SIDE=128
run space "$F/tiles.json" --device SuperscalarNPU --impl sixteen --explain SIDE=144
run space "$F/tiles.json" --device SuperscalarNPU --impl seventeen
run space "$F/tiles.json" --device Ascend910B3 --impl chain
run space "$F/tiles.json" --device Ascend910B3 --impl chain --explain SIDE=128
run space "$F/add.json" --device 910B --problem bf16
run space "$F/add.json" --device Ascend910B3 --problem bf16 --explain XBLOCK=16384,BLOCK=16384,multibuffer=1
run space "$F/add.json" --device 950 --problem fp32 --explain XBLOCK=31744,BLOCK=31744,multibuffer=1
run space "$F/add.json" --device Ascend910B --problem fp64
run space "$F/add.json" --device Ascend910b3
run space "$F/add.json" --device sm_90
run run "$F/add.json" --device Ascend910B3
