# Several devices: what is refused, then three problems on two stand-ins. Answers come in the workload's order, whoever ends first; the record and
# each line of JSON name the device, and who else was busy.
# covers: device_names.c run_deal.c run_problem.c run_lanes.c
sim=npu:sim:Ascend910B3
tune() { asctune run "$ROOT/workloads/softmax.json" --impl triton --budget 3 --repeats 2 --db d.db "$@"; }
for devices in cuda:0,0 cpu,cpu $sim,cpu cuda:all,1 cuda:all npu:all cpu:all auto,cpu $sim,npu:sim:Ascend310P3 $sim,npu:sim:910B33; do
	tune --device $devices
	echo "exit $?"
done
for option in "--config BLOCK_M=1" "--cover 5%" --confirm; do
	asctune run "$ROOT/workloads/softmax.json" --device $sim,$sim $option --db d.db
	echo "exit $?"
done
ls d.db 2>&1
tune --device $sim,$sim 2>/dev/null | sed -n 's|^\(softmax/[a-z0-9-]*\) .* simulated.*|\1|p'
sqlite3 d.db "SELECT count(*), count(DISTINCT p.name), min(r.outcome), count(DISTINCT r.steady_json ->> 'device'), min(r.steady_json ->> 'device')
	FROM run r JOIN problem p ON p.id = r.problem_id"
sqlite3 d.db "SELECT DISTINCT value FROM run, json_each(steady_json, '$.beside') ORDER BY value"
sqlite3 d.db 'SELECT count(*) = count(DISTINCT run_id || config_key || implementation_id) FROM trial'
tune --device $sim,$sim --json --resume 2>/dev/null >lines
grep -o '"type":"[a-z]*"' lines | sort | uniq -c | sed 's/^ *//'
grep -c '"place":"npu:sim:Ascend910B3#[12]"' lines
grep -c '"resumed":true' lines
run runs "$ROOT/workloads/softmax.json" --device $sim --db d.db | sed 's/[0-9][0-9]* trial.*//'
for devices in $sim,$sim cuda:all cpu:all; do run runs "$ROOT/workloads/softmax.json" --device $devices --db d.db; done
# One device, named as a list would: nothing says that there might be others.
tune --device npu:sim:Ascend910B3 --json --resume --problem tiny 2>/dev/null | grep -c '"place"\|"beside"'
# All of a kind may be one.
mkdir driver
ln -s "$(dirname "$(command -v asctune)")/tests/libfake_cuda.so" driver/libcuda.so.1
LD_LIBRARY_PATH=$PWD/driver asctune run "$ROOT/workloads/softmax.json" --device cuda:all --problem tiny --budget 1 --db one.db 2>&1 | grep -o '^softmax/[a-z]*\|several devices.*' | sort -u
# Without finals there are no finalists.
asctune run "$ROOT/workloads/softmax.json" --impl triton --budget 4 --repeats 200 --cache hot --device $sim --problem tiny-bf16 --db r.db 2>/dev/null | grep 'may be as fast'
