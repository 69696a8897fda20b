# Results on a stand-in, a row for each index as for measured ones: `best`, rules with the library's default_index, few configurations for a ladder, and questions to the database.
# covers: dispatch_read.c dispatch_cells.c cmd_best.c
cp "$ROOT"/tests/data/vendor/operators_reference.c .
python3 - "$ROOT/tests/data/vendor/add_rms_norm.json" <<'END'
import json, sys
w = json.load(open(sys.argv[1]))
w["problems"] = [{"name": "rows", "dims": {"M": [1, 4, 16], "N": 48}, "dtypes": {"T": "f32"}, "devices": ["npu"]}]
w["implementations"].append({"name": "own", "index": 2, "devices": ["npu"], "unsupported": "a kernel of its own"})
w["export"]["infiniops"]["default_index"] = 0
json.dump(w, open("w.json", "w"))
END
asctune run w.json --device npu:sim:Ascend910B3 -p rows --budget 4 --repeats 3 --no-history --db r.db 2>err >said
grep -o 'left out: .*' err
rows() { grep -o '"match":{[^}]*},"implementation_index":[0-9]*\|"default_index":[0-9]*' | paste - - | sort; }
asctune best --simulated --db r.db | sed -E 's/ +[0-9.]+ us .*//'
asctune best --simulated --db r.db --json | sed -E 's/.*"problem":"([^"]*)".*"implementation":"([^"]*)","implementation_index":([0-9]*).*"simulated":([a-z]*),"failed":[a-z]*(,"behind":"[^"]*")?.*/\1 \2 \3 \4 \5/'
echo '- each index over the ladder: no implementation is without one here'
asctune best --indices --simulated --db r.db | sed -E 's/ +[0-9.]+ us/ TIME/g; s/ +INDEX/ INDEX/g'
asctune best --indices --simulated --db r.db --json | python3 -c '
import json, sys
for line in sys.stdin:
    o = json.loads(line)
    print(*(o[k] for k in ("problem", "problem_values", "device_kind", "cache_policy", "simulated")))
    print("  ", *((i["implementation"], i["implementation_index"], i["median_ns"] > 0, i["failed"]) for i in o["implementations"]), o["unsupported"])
'
run best --indices --db r.db --json 2>&1 | sed "s|$PWD|.|g"
run best --indices --db r.db 2>&1 | sed "s|$PWD|.|g"
for other in --all --watch '--objective energy'; do asctune best --indices $other --db r.db 2>&1 | grep indices; done
run best --db r.db 2>&1 | sed "s|$PWD|.|g"
run export infiniops --db r.db -o - 2>&1 | sed "s|$PWD|.|g"
asctune export infiniops --simulated --db r.db -o - | rows
echo '- a cover: the one configuration of each serves all sizes between, too'
asctune export infiniops --simulated --cover 5% --db r.db -o - 2>notes | rows
sed -E 's/loss of [0-9.]+ %, at worst [0-9.]+ %/loss/' notes
asctune export c-header --simulated --cover 5% --db r.db -o - 2>/dev/null | grep -c simulated | sed 's/[1-9][0-9]*/several/'
python3 - "$ROOT/tuner/python" "$(dirname "$(command -v asctune)")/libasctune.so.0" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import asctune
for simulated in False, True:
    with asctune.Table("r.db", simulated=simulated, library=sys.argv[2]) as table:
        for active in [0, 1, 2], [0], [1], [2]:
            answer = table.ask(op="add_rms_norm", device="npu", device_model="Ascend910B3 (stand-in)", types="f32", sizes={"M": 4, "N": 48}, active=active)
            print(simulated, active, answer.found, answer.index)
END
