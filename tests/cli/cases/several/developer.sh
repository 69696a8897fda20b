# A search without an NPU: the stand-in says what it is, spaces have the limits of the SoC, results are marked, vendor operators run and are freed, and a stand-in is no device.
# covers: doctor_device.c
run_on() { device=$1; shift; timeout 120 asctune run "$@" --device "$device" --no-history --db r.db >out 2>err; echo "exit $?"; }
first() { head -n 1 err | sed 's/;.*//'; }
run_on npu:sim:Ascend910B3 "$ROOT/workloads/sdpa.json" --problem tiny-causal --budget 3
first
sed -n '/valid/s/; 3 trials.*//p' err
grep -c '^sdpa/tiny-causal .*, simulated' out
tail -n 1 err
asctune space "$ROOT/workloads/sdpa.json" --device Ascend910B3 --problem tiny-causal --impl triton --count
run_on npu:sim:910B "$ROOT/workloads/sdpa.json" --budget 1
head -n 2 err | sed 's/;.*//'
sed -n 's/^\(sdpa[^ ]*\)  .*, \(simulated\).*/\1 \2/p' out # the small ones
echo '- an operator of the vendor'
export STANDIN_LOG=$PWD/log
timeout 120 asctune run "$ROOT/workloads/rms_norm.json" --device npu:sim:Ascend910B3 --impl aclnn --problem tiny --budget 1 --trust --db r.db --json >out 2>err
grep '"type":"trial"' out | grep -o '"simulated":true\|"status":"ok"\|"name":"\(workspace_bytes\|host_ns\|capturable\)"' | sort
sed -n 's/.*balance \([a-z ]*\): \([0-9]*\) made, \([0-9]*\) freed/\1 \2 \3/p' log | awk '$(NF - 1) != $NF' | sort -u
grep '^error' log # a second use of an executor, and the like
grep -c 'balance executors' log | sed 's/^[1-9][0-9]*$/executors are counted/'
unset STANDIN_LOG
asctune best --simulated --db r.db --json | grep -o '"workload":"[a-z_]*","operator":"[a-z_]*","problem":"[a-z0-9-]*"'
run best --db r.db
echo '- what is named as it is not'
standin=$(dirname "$(command -v asctune)")/standin
run_on npu "$ROOT/workloads/sdpa.json" --cann "$standin/head"
cat err
run_on npu:sim:Ascend910B3 "$ROOT/workloads/sdpa.json" --cann "$standin/2022" --problem tiny-causal --budget 1
first
echo '- a cover, and measuring again'
run_on npu:sim:Ascend910B3 "$ROOT/workloads/sdpa.json" --cover 5%
cat err
asctune show run 1 --db r.db >out; echo "exit $?"; grep -c '^again' out
echo '- doctor'
timeout 120 asctune doctor --device npu:sim:Ascend910B3 >out; echo "exit $?"
sed 's/^\([^ ]*\( [^ ]\+\)*\)  *\(yes\|no\) .*/\1 \3/; 1d' out
timeout 120 asctune doctor --device cpu --json | grep -o '"name":"test.copy","usable":true'
run doctor --device auto
run doctor --device npu:sim:none
