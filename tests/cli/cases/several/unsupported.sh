# Implementations of a library that cannot be called have a row with the reason: every command names them, none builds them, no export has them.
# covers: unsupported.c workload.c workload_implementation.c
cp -r "$WORKLOADS"/axpy* .
sed -e 's/"implementations": \[/&\n    {"name": "atb", "index": 1, "devices": ["cpu"], "unsupported": "C++ ABI"},\n    {"name": "own", "unsupported": "a kernel of its own, in no function of CANN’s"},\n    {"name": "gpu", "index": 2, "devices": ["cuda"], "unsupported": "on GPUs alone"},/' \
	-e 's/{"operator": "Axpy"}/{"operator": "Axpy"}, "infiniops": {"operator": "Axpy"}/; s/"entry": "axpy",/& "index": 0,/' axpy.json >w.json
run check-workload w.json
run space w.json -D cpu
run space w.json -D cpu --json | grep unsupported
run space w.json -D cpu --count
asctune run w.json -D cpu --budget 3 --repeats 3 --db a.db 2>&1 | grep -o 'left out.*'
asctune run w.json -D cpu --budget 3 --repeats 3 --db a.db --json 2>/dev/null | grep -c 'atb'
run run w.json -D cpu --impl atb --db a.db
asctune best --db a.db | grep unsupported
# of two workloads each has its line, also where the name of one ends as that of the other
sed 's/"name": "axpy"/"name": "a-axpy"/' w.json >a-w.json && cp a.db names.db
asctune run a-w.json -D cpu --budget 3 --repeats 3 --db names.db >/dev/null 2>&1; asctune best --db names.db | grep unsupported
# another index than that of the best has a row behind it
python3 - <<'END'
import json
w = json.load(open("w.json"))
w["implementations"].append({**w["implementations"][-1], "name": "twin", "index": 3, "parameters": {"BLOCK": [64], "UNROLL": [1], "THREADS": [1]}})
json.dump(w, open("two.json", "w"))
END
asctune run two.json -D cpu --budget 3 --repeats 3 --db two.db >/dev/null 2>&1
asctune best --db two.db | grep -o 'index [03]' | sort
asctune best --db two.db --json | grep -o '"behind":"[a-z]*"' | sed 's/loop/one/; s/twin/one/'
asctune best --db a.db --json | grep -o '"unsupported":[^]]*]'
asctune show axpy/small --db a.db | grep unsupported
asctune show axpy/small --db a.db --json | grep -o '"unsupported":[^]]*]'
run export infiniops --db a.db -o out && grep -o '"implementation_index":[0-9]*\|"default_index":[0-9]*\|atb' out/*.json
asctune export json --db a.db -o - | grep -c atb
mkdir workloads && cp -r w.json axpy workloads && asctune list workloads --json | grep -o '"workloads/[^}]*'
# a database of an edited file has what the file says now
sed -i '/"name": "own"/d' w.json && asctune run w.json -D cpu --budget 3 --repeats 3 --db a.db >/dev/null 2>&1; asctune best --db a.db | grep unsupported
# what such a row may have, and what may name it
change() { sed "$@" w.json >x.json; run check-workload x.json; }
change 's/"unsupported": "C++ ABI"/&, "source": "axpy\/kernel.c", "when": 1/'
change 's/"unsupported": "C++ ABI"/"unsupported": ""/; s/"unsupported": "on GPUs alone"/"unsupported": 3/'
change 's/"unsupported": "C++ ABI"/"unsupported": "a\\u001bb"/'
change 's/"name": "atb"/"name": "loop"/'
change 's/"implementations"/"baseline": "atb", &/'
change 's/"infiniops": {/&"default_index": 1, /'
change 's/"infiniops"/"$unsupported"/'
python3 - <<'END'
import json
w = json.load(open("w.json"))
w["implementations"] = [i for i in w["implementations"] if "unsupported" in i]
json.dump(w, open("x.json", "w"))
END
run check-workload x.json
