# Counting, listing, sampling and explaining the configurations of a workload and of a T1 file.
t1="$ROOT/tests/unit/spaces/bat_expdist.json"
run space "$t1" --count
run space "$t1" --list | head -3
run space "$t1" --sample 3 --seed 5
run space "$t1" --sample 3 --seed 5 --json
run space "$t1"
run space "$WORKLOADS/axpy.json"
run space "$WORKLOADS/axpy.json" --count --json
run space "$WORKLOADS/axpy.json" --explain NO_SUCH=1
run space "$WORKLOADS/axpy.json" --problem nothing
echo '{"asctune": 1' >bad.json
run space bad.json
# nothing to show is said, not shown
sed 's/"devices": \["cpu"\],$/"devices": ["cuda"],/' "$WORKLOADS/axpy.json" >elsewhere.json; cp -r "$WORKLOADS/axpy" .
run space elsewhere.json --device cpu --count
