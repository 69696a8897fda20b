# Several baselines: each has its ratio wherever the best is shown, and its default is tried whatever the budget is.
# covers: baselines.c
cp -r "$WORKLOADS/axpy" .
python3 - "$WORKLOADS/axpy.json" <<'END'
import copy
import json
import sys
w = json.load(open(sys.argv[1]))
loop = w["implementations"][0]
for name in "compiled", "eager":
    other = copy.deepcopy(loop)
    other.update(name=name, parameters={"BLOCK": [256], "UNROLL": [1], "THREADS": [1]}, constraints=[])
    w["implementations"].append(other)
w["baseline"] = {"cpu": ["eager", "compiled"]}
json.dump(w, open("w.json", "w"))
END
numbers() { sed -E 's/[0-9]+\.[0-9]+([x×])/N\1/g; s/ +/ /g'; }
run check-workload w.json
asctune run w.json --budget 1 --db b.db --json 2>/dev/null >ran.json
grep '"type":"trial"' ran.json | sed -n 's/.*"implementation":"\([^"]*\)".*/\1/p' | sort
grep -o '"trials":[0-9]*,\|"vs_baseline":\|"baselines":.*\(eager\).*"ratio":.*\(compiled\).*"ratio":' ran.json | sed 's/"baselines":.*/"baselines"/'
# the first is `baseline`, as if it were the only one
asctune best --db b.db --json | python3 -c '
import json, sys
row = json.load(sys.stdin)
print([b["implementation"] for b in row["baselines"]], row["baseline"],
      row["baselines"][0]["ns"] == row["baseline_ns"], row["baselines"][0]["ratio"] == row["vs_baseline"])'
asctune best --db b.db | numbers | grep -o ' Nx eager Nx compiled'
asctune run w.json --budget 3 --resume --db b.db 2>/dev/null | numbers | grep -o ' Nx eager Nx compiled'
asctune run w.json --budget 3 --resume --verbose --db b.db 2>/dev/null | tr -s '\n ' ' ' | grep -c 'baseline [0-9.]* [nu]s (eager, BLOCK=256,UNROLL=1,THREADS=1): the best is [0-9.]* times as fast; [0-9.]* [nu]s (compiled, '
sqlite3 b.db "SELECT DISTINCT baseline FROM run; SELECT DISTINCT baseline, baselines ->> '\$[1].implementation' FROM compared"
# one that did not take part is left out
asctune run w.json --impl loop --budget 1 --db c.db 2>/dev/null | grep -c 'eager\|compiled'
asctune report --db b.db >/dev/null 2>&1; page_check report.html
numbers <report.html | grep -o '<span>N× <bdi>[a-z]*</bdi></span>\|<small><svg [^!]*</svg> N× <bdi>[a-z]*</bdi></small>' | sed 's/<svg.*svg>/BAR/'
