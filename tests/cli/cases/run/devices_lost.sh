# Devices that fall out while they are used: each is left out with a warning, what was measured stays, and --resume ends the job without a second
# trial of anything. Nothing of a driver is left, so no worker opens it again.
# covers: run_lanes.c
cp -r "$(dirname "$(command -v asctune)")/standin" all
sim=npu:sim:Ascend910B3
tune() { exec asctune run "$ROOT/workloads/softmax.json" --impl triton --device $sim,$sim --budget 6 --repeats 8000 --cache hot --cann all/head --trust --db l.db "$@"; }
trials() { sqlite3 l.db 'SELECT count(*) FROM trial' 2>/dev/null || echo 0; }
(tune) >out 2>err &
pid=$!
for i in $(seq 600); do [ "$(trials)" -lt 1 ] || break; sleep 0.05; done
mv all/head/lib64 all/head/gone
for i in $(seq 600); do
	kill -0 $pid 2>/dev/null || break
	for p in /proc/[0-9]*; do
		[ "$(awk '{ print $4 }' "$p/stat" 2>/dev/null)" != $pid ] || ! grep -q worker "$p/cmdline" 2>/dev/null || kill -9 "${p#/proc/}" 2>/dev/null
	done
	sleep 0.1
done
wait $pid
echo "exit $?"
sed -n 's/^asctune: warning: \(npu:sim:Ascend910B3#[12] has fallen out\): .*\(; the other devices go on\)$/\1\2/p' err | sort
grep -o 'every device has fallen out: [123] problems* .*left' err | sed 's/[123] problems*/some/'
mv all/head/gone all/head/lib64
(tune --resume) >out 2>err
echo "exit $?"
sqlite3 l.db 'SELECT count(*) - count(DISTINCT problem_id || config_key || policy_json) FROM trial JOIN run ON run.id = run_id'
