#!/bin/sh
# Functions of Python on a GPU, through the driver alone: copies and fills on any stream and from any thread are the launch; one that waits for the device is let go and held no
# more; one that does nothing there, or more each time, has no time.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
python3 -c 'import ctypes' 2>/dev/null || skip "no python3"

explain() {
	sed 's/^/# /' "$base/err" | head -n 10
	grep '"type":"trial"' "$base/lines" | cut -c1-900 | sed 's/^/# /'
}
is() { [ "$1" = "$2" ] || { echo "# $1"; false; }; }
like() { echo "$1" | grep -q "$2" || { echo "# $1"; false; }; }
asctune run "$here/anywhere.json" --device cuda --problem small --python python3 --strategy exhaustive --budget all --repeats 5 --no-history --json --db "$base/t.db" >"$base/lines" 2>"$base/err"
said() { # IMPLEMENTATION: status, number of kernels, copies and fills, whether it waits; or the reason
	python3 - "$base/lines" "$1" <<'END'
import json, sys
for line in map(json.loads, open(sys.argv[1])):
    if line["type"] == "trial" and line["implementation"] == sys.argv[2]:
        metrics = {metric["name"]: metric["value"] for metric in line.get("metrics", [])}
        print(line["status"], *(f"{metrics[name]:g}" for name in ("launches", "waits") if name in metrics), line.get("reason", ""), sep=" ")
        break
END
}
asctune best --db "$base/t.db" --json | grep -q '"clock":"event' && skip "the clock of this GPU has no records of work"
check "a copy" is "$(said one)" "ok 1 0 "
check "a fill and a copy" is "$(said filled)" "ok 2 0 "
check "a copy on a stream of its own" is "$(said streams)" "ok 2 0 "
check "a copy from a thread of its own" is "$(said threads)" "ok 1 0 "
check "a function that waits for the device" is "$(said waits)" "ok 1 1 "
check "one that does nothing" like "$(said idle)" "^launch_failed idle does nothing on the device"
check "one that does more each time" like "$(said grows)" "^launch_failed grows has not done the same on the device 3 times in a row in 10 calls; last difference: copies of 4000000 bytes: 10 instead of 9"
sums() { # a time is at least a tenth of the sum, which may overlap, and no host's gap of a millisecond
	python3 - "$base/lines" <<'END'
import json, sys
bad = []
for line in map(json.loads, open(sys.argv[1])):
    metrics = {metric["name"]: metric["value"] for metric in line.get("metrics", [])}
    if line["type"] == "trial" and line["status"] == "ok":
        span = sorted(line["samples_ns"])[len(line["samples_ns"]) // 2]
        if not (0 < metrics.get("kernels_ns", 0) and 0.3 * metrics["kernels_ns"] < span < metrics["kernels_ns"] + 1e6 and metrics["host_ns"] > 0):
            bad.append((line["implementation"], span, metrics))
print(*(f"# {row}" for row in bad), sep="\n")
sys.exit(bool(bad))
END
}
check "spans fit the sums" sums
captured() { # IMPLEMENTATION: whether its launches may be recorded into a graph
	asctune profile "$here/anywhere.json" --device cuda --problem small --python python3 --impl "$1" --db "$base/t.db" --json 2>"$base/err" |
		sed -n 's/.*"capturable":\([01]\).*/\1/p'
}
check "a copy may be recorded into a graph" is "$(captured one)" 1
check "a copy from another thread, too" is "$(captured threads)" 1
check "one that waits for the device may not" is "$(captured waits)" 0
check "nor one that leaves half of its work out of the graph" is "$(captured streams)" 0
echo "1..$n"
exit $failed
