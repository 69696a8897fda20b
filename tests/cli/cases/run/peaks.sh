# Peaks of a busy machine are measured again an hour later, not by the next run; those of a quiet one by the next.
# covers: loop.c peaks_file.c
export ASCTUNE_CACHE_DIR="$PWD/cache"
cp -r "$WORKLOADS/axpy" .
sed '0,/"problems"/s//"flops": "2 * N", "bytes": "3 * sizeof(x)", "problems"/' "$WORKLOADS/axpy.json" >axpy.json
tune() { asctune run axpy.json --problem small --device cpu --cache hot --budget 1 --db r.db >out 2>said || { echo "exit $?"; cat said; }; }
tune
file=$(ls cache/peaks/*.json)
python3 - "$file" <<'END'
import json, sys
kept = json.load(open(sys.argv[1]))
print([t["type"] for t in kept["tries"]], len(kept["peaks"]) > 5)
END
# What there is, last tried so many seconds ago, by a machine that was quiet or not, and of so many quiet moments; prints whether a run tries anew.
try() { # SECONDS CALM MOMENTS
	python3 - "$file" "$@" <<'END'
import json, sys, time
path, ago, calm, moments = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "calm", int(sys.argv[4])
kept = json.load(open(path))
for peak in kept["peaks"]: # a rate that no kernel reaches
    peak.update(rate=1e18, low=1e18, moments=moments)
kept["tries"] = [{"type": "f32", "ms": int(time.time() * 1000) - 1000 * ago, "calm": calm}]
json.dump(kept, open(path, "w"))
END
	cp "$file" before
	tune
	cmp -s "$file" before && echo "$* as it was" || echo "$* measured"
}
try 60 busy 14
try 3700 busy 14
try 60 calm 5
