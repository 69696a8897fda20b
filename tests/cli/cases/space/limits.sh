# Models that are not here: their names, what their limits leave out and why, where tiles lie.
# covers: limits_ascend.c limits_cuda.c space_overview.c
export ASCTUNE_PYTHON_NPU=/nowhere/python # who plans is the machine's affair
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
# more than 2^63 configurations left out, counted to the last
tens=$(for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18; do printf '"P%s": [1,2,3,4,5,6,7,8,9,10], ' $i; done)
sed '/"name": "ascendc"/,/"arguments"/ {
s/"parameters": .*/"parameters": {'"$tens"'"B": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]},/
s/"memory": .*/"memory": {"ub": "B * 100000"},/
}' "$F/launches.json" >many.json; cp "$F/reference.c" .
run space many.json --device 950 --impl ascendc
run space many.json --device 950 --impl ascendc --json
# what a rewrite adds is not counted where the space without it is too large; everything else is shown
all=$(for i in A B C D E G H I J K L M; do printf '"%s": [1,38,149,334,593,926,1333,1814,2369,2998,3701,4478], ' $i; done)
sed '/"name": "folded"/,/"arguments"/ {
s/"parameters": .*/"parameters": {'"$all"'"BLOCK": [64]},/
s/"grid": .*/"grid": ["(A * B + C * D + E * G + H * I + J * K + L * M) % 1000003 + 1"]},/
}' "$F/launches.json" >hard.json
run space hard.json --device Ascend910B3 --impl folded
run space hard.json --device Ascend910B3 --impl folded --json
# what leaves nothing is named, at a length that can be read
run space "$F/tiles.json" --device Ascend910B3 --impl sixteen
# what is the same for several problems is said once
run space "$F/add.json" --device Ascend910B3
edges=$(for i in 2 3 4 5 6; do printf ', {"name": "edge%s", "dims": {"N": 1048576}, "dtypes": {"T": "f32"}}' $i; done)
sed 's/\("problems": \[.*\)\]/\1'"$edges"']/' "$F/launches.json" >edges.json
run space edges.json --device Ascend910B3
