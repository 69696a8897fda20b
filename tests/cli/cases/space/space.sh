# Counting, listing, sampling and explaining the configurations of a workload and of a T1 file.
# covers: cmd_space.c space_explain.c
t1="$ROOT/tests/data/spaces/bat_expdist.json"
run space "$t1" --count
run space "$t1" --list | head -3
run space "$t1" --sample 3 --seed 5
run space "$t1" --sample 3 --seed 5 --json
run space "$t1"
run space "$t1" --json
# a line is no command of a CI runner, whatever a value is
mkdir ci && cp -r "$WORKLOADS/axpy" ci/
sed 's/"BLOCK": {"values": \[64, 256, 1024\], "default": 256}/"A": {"values": ["::error::x", "row"], "default": "row"}, "BLOCK": [1024]/' "$WORKLOADS/axpy.json" >ci/axpy.json
run space ci/axpy.json --list | head -4
# a T1 file has no workload's options, and is no workload
run space "$t1" --count --device Ascend910B3
run space "$t1" --count --impl loop
run check-workload "$t1"
run space "$WORKLOADS/axpy.json"
run space "$WORKLOADS/axpy.json" --count --json
# a seed means the same configurations for ever: of conditions over several parameters as well
run space "$WORKLOADS/axpy.json" --problem small --sample 4 --seed 5
run space "$ROOT/tests/data/spaces/gemm_kt_small.json" --sample 2 --seed 7
run space "$WORKLOADS/axpy.json" --explain NO_SUCH=1
run space "$WORKLOADS/axpy.json" --problem nothing
echo '{"asctune": 1' >bad.json
run space bad.json
# nothing to show is said, not shown
sed 's/"devices": \["cpu"\],$/"devices": ["cuda"],/' "$WORKLOADS/axpy.json" >elsewhere.json; cp -r "$WORKLOADS/axpy" .
run space elsewhere.json --device cpu --count
# far more than could be listed: counted and sampled; beyond 2^64, and a condition that is a number, refused
t1() { # CONDITION PARAMETERS
	awk -v n="$2" -v c="$1" 'BEGIN {
		printf "{\"ConfigurationSpace\":{\"TuningParameters\":["
		for (i = 1; i <= n; i++)
			printf "%s{\"Name\":\"p%d\",\"Type\":\"int\",\"Values\":\"[1,2,3,4,5,6,7,8,9,10]\"}", (i > 1 ? "," : ""), i
		printf "],\"Conditions\":[{\"Expression\":\"%s\"}]}}\n", c
	}' >t1.json
}
t1 'p1 <= p2' 12
run space t1.json --count
run space t1.json --sample 2 --seed 7
run space t1.json --list | head -2
t1 'p1 + p2 > 2' 19
run space t1.json --json
t1 'p1 + p2 > 2' 20
run space t1.json
t1 'p1 - p2' 3
run space t1.json --count
# without parameters there is one configuration, and one line for it
echo '{"ConfigurationSpace":{"TuningParameters":[],"Conditions":[]}}' >none.json
run space none.json --list
run space none.json --sample 2 --json
