#!/bin/sh
# A double of InfiniOps' module on the stand-in (tests/data/infiniops): indices 0 and 1 launch CANN's Add through ctypes, are verified and timed by MSPTI's records; 2 was not
# built in, which its module is asked before it would end the process; 3 keeps addresses and is wrong. Rules and libasctune have the index. Functions of odd_adds.py launch two
# kernels, a fill and a kernel, one kernel more each time, none, some from another thread or on another stream, or are slow after a pause, one adds in place; profiled_add.py has a profiler of its own. Takes $ASCTUNE_BUILD.
# covers: python_call.c python_worker.c
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH" PYTHONPATH="$root/tests/data/infiniops"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-library.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
export ASCTUNE_PYTHON_NPU=/nowhere/python # no kernel of Triton is run
cd "$work" || exit 1
n=0
check() { # NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if "$@"; then echo "ok $n - $name"; else
		echo "not ok $n - $name"
		{ cat err; cut -c 1-400 lines; } 2>/dev/null | sed 's/^/# /'
	fi
}

# The shipped rows of Add, and those of two more indices of the double.
for folder in "$root"/workloads/*/; do ln -s "$folder" .; done
python3 - "$root/workloads/add.json" <<'END'
import json, sys
w = json.load(open(sys.argv[1]))
rows = [i for i in w["implementations"] if i["name"] in ("aclnn-add", "infiniops-0", "infiniops-1")]
for index in 2, 3:
    rows.append({**rows[-1], "name": f"infiniops-{index}", "index": index, "constants": {"implementation_index": index}})
base = {key: value for key, value in rows[1].items() if key not in ("index", "available")}
w["implementations"] = rows
json.dump(w, open("add.json", "w"))
w["implementations"] = [{**base, "name": name, "source": f"odd_adds:{name}"} for name in ("twice", "filled", "grows", "idle", "rested", "elsewhere", "ahead", "aside")]
json.dump(w, open("odd.json", "w"))
w["implementations"] = [{**base, "name": "profiled", "source": "profiled_add:add"}]
json.dump(w, open("profiled.json", "w"))
x, y, stream = {"tensor": "x"}, {"tensor": "y"}, {"builtin": "stream", "name": "stream"}
size = {"scalar": "M * N", "type": "i64"}
json.dump({
    "asctune": 1, "name": "bump", "operator": "bump", "description": "y += x",
    "problems": [{"name": "13x4", "dims": {"M": 13, "N": 4}, "dtypes": {"T": "f32"}, "devices": ["npu"]}],
    "tensors": {"x": {"shape": ["M", "N"], "dtype": "T", "role": "in"},
                "y": {"shape": ["M", "N"], "dtype": "T", "role": "inout", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 1e-6, "rtol": 1e-6}}}}},
    "reference": {"source": "bump.c", "entry": "bump", "arguments": [x, y, size]},
    "implementations": [
        {"name": "python", "devices": ["npu"], "builder": "python", "source": "odd_adds:bump", "arguments": [x, y, stream], "constants": {"implementation_index": 0}},
        {"name": "aclnn", "devices": ["npu"], "builder": "vendor", "source": "aclnn:Add", "arguments": [x, y, {"scalar": 1, "type": "f32"}, y]}]},
    open("bump.json", "w"))
END
cat >bump.c <<'END'
void bump(const double *x, double *y, long long n);
void bump(const double *x, double *y, long long n) { for (long long i = 0; i < n; i++) y[i] += x[i]; }
END
asctune run add.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --budget 8 --no-history --db r.db --json >lines 2>err
status() { # IMPLEMENTATION: its status and reason
	python3 - "$1" <<'END'
import json, sys
for line in map(json.loads, open("lines")):
    if line["type"] == "trial" and line["implementation"] == sys.argv[1]:
        print(line["status"], line.get("reason", ""))
END
}
is() { [ "$1" = "$2" ] || { echo "# $1"; false; }; }
like() { echo "$1" | grep -q "$2" || { echo "# $1"; false; }; }
check "index 0, described at each call" is "$(status infiniops-0)" "ok "
check "index 1, kept by shapes and addresses" is "$(status infiniops-1)" "ok "
check "index 2, which was not built in" is "$(status infiniops-2)" "unsupported InfiniOps has no index 2 of Add for npu, but 0, 1, 3"
check "index 3, kept without addresses" like "$(status infiniops-3)" "^wrong "
timed() { # of those that are right
	python3 - <<'END'
import json
trials = {line["implementation"]: line for line in map(json.loads, open("lines")) if line["type"] == "trial"}
print(*sorted(name for name, line in trials.items() if line["status"] == "ok" and len(line["samples_ns"]) > 1 and 0 < min(line["samples_ns"]) < 1e5))
END
}
check "each has times of the stand-in's records" is "$(timed)" "aclnn-add infiniops-0 infiniops-1"
check "nothing else is said, but how far a busy machine comes" is "$(grep -v 'infiniops-3\|threadpoolctl\|time ran out before' err)" ""
asctune run odd.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --repeats 3 --no-history --db o.db --json >lines 2>err
check "a function that launches more each time is never warm" like "$(status grows)" "^launch_failed grows has not done the same on the device 3 times in a row in 10 calls; last difference: kernel Add: 10 instead of 9"
check "one that launches nothing has no time" like "$(status idle)" "^launch_failed idle does nothing on the device"
work() { # of each function that is right: its kernels, and whether their sum and the span fit them
	python3 - <<'END'
import json
for line in map(json.loads, open("lines")):
    metrics = {metric["name"]: metric["value"] for metric in line.get("metrics", [])}
    if line["type"] == "trial" and line["status"] == "ok" and "launches" in metrics:
        one_ns, span_ns = metrics["kernels_ns"] / metrics["launches"], min(line["samples_ns"])
        fits = 1e2 < one_ns < 1e4 and span_ns > 0.9 * metrics["kernels_ns"] and metrics["host_ns"] > 0
        print(line["implementation"], metrics["launches"], fits, line["log"])
END
}
check "all that a launch puts on the device is its time" is "$(work | sort | tr '\n' ';')" "ahead 2.0 True on the device: kernel Add 2 times;aside 1.0 True on the device: kernel Add;elsewhere 1.0 True on the device: kernel Add;filled 2.0 True on the device: fills of 208 bytes; kernel Add;rested 1.0 True on the device: kernel Add;twice 2.0 True on the device: kernel Add 2 times;"
check "show names it, too" like "$(asctune show "$(sqlite3 o.db "SELECT t.id FROM trial t JOIN implementation i ON i.id = t.implementation_id WHERE i.name = 'twice'")" --db o.db)" "log *on the device: kernel Add 2 times"
host_us() { grep '"type":"trial"' lines | grep "\"implementation\":\"$1\"" | sed -n 's/.*"name":"host_ns","value":\([0-9]*\)[0-9]\{3\}[.,}].*/\1/p'; }
check "the host's time of a call is that of one behind another" [ "$(host_us rested)" -lt 5000 ]
for _ in 1 2 3; do # another program may come between two calls
	asctune run odd.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --impl rested --config '' --db o.db --json >lines 2>err
	[ "$(host_us rested)" -ge 5000 ] || break
done
check "and of none that is timed alone behind these" [ "$(host_us rested)" -lt 5000 ]
asctune run odd.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --impl aside --no-history --db a.db --json >lines 2>err
check "what runs on another stream is waited for, in the finals too" is "$(status aside)" "ok "
ASCTUNE_NPU_CLOCK=event asctune run odd.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --impl aside --config '' --no-history --db o.db --json >lines 2>err
check "events around nothing are no time of what runs on another stream" like "$(status aside)" '^launch_failed nothing ran in the stream that the clock "event" has its marks in'
asctune run bump.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --budget 8 --no-history --db b.db --json >lines 2>err
check "a function that adds in place is right, launched in a row or alone" is "$(status python)" "ok "
check "so is CANN's, whose kernels are counted" is "$(status aclnn)" "ok "
asctune run profiled.json --device npu:sim:Ascend910B3 --problem 13x4 --python python3 --no-history --db p.db >said 2>err
check "another profiler in the process is named" like "$(cat err)" '"mspti".*: another profiler is at work'
asctune export infiniops --simulated --db r.db -o out >said 2>err
ask() { # ACTIVE...: the index that libasctune names for a caller whose library has these
	python3 - "$root/tuner/python" "$(dirname "$(command -v asctune)")/libasctune.so.0" "$@" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import asctune
with asctune.Table("out/implementation_index.json", simulated=True, library=sys.argv[2]) as table:
    sizes = {"M": 13, "N": 4, "A_GAP": 0, "B_GAP": 0, "OUT_GAP": 0, "inplace": 0, "ALPHA": 1}
    answer = table.ask(op="Add", device="npu", device_model="Ascend910B3 (stand-in)", types="f32", sizes=sizes, active=list(map(int, sys.argv[3:])))
    print(answer.found, answer.index)
END
}
check "what is made of the same operator has no rule of its own" is "$(grep -c aclnn-add out/implementation_index.json)" 0
check "libasctune answers from its rules" like "$(ask 0 1 3)" "^1 [01]$"
check "but not with an index that is wrong" is "$(ask 2 3 | cut -d ' ' -f 1)" 0
echo "1..$n"
