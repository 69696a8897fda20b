# Compilers, worker and finals over time: lanes of a recorded run, times against the database's, names that are hostile, what is refused.
sqlite3 g.db <"$ROOT/tests/golden/schema-17.sql"
run export trace --db g.db -o - --set run=1
run export trace --db g.db -o - | grep -c '"ph":"X","pid":2'
# In each lane one thing follows another, and all of them take the times that the database has.
cat >check.py <<'PY'
import json, sqlite3, sys
trace = json.load(open(sys.argv[1]))
lanes, names, sums = {}, {}, {"build": 0, "worker": 0, "finals": 0}
for event in trace["traceEvents"]:
    lane = event["pid"], event["tid"]
    if event["name"] in ("thread_name", "process_name"):
        names[lane] = event["args"]["name"]
    if event["ph"] == "X":
        lanes.setdefault(lane, []).append((event["ts"], event["dur"]))
        phase = event["name"].split()[0]
        sums[phase if phase in sums else "worker"] += event["dur"]
for lane, spans in lanes.items():
    spans.sort()
    for (ts, dur), (next_ts, _) in zip(spans, spans[1:]):
        if ts + dur > next_ts + 0.002:
            print(names[lane], "has", ts, "+", dur, "beside", next_ts)
recorded = sqlite3.connect(sys.argv[2]).execute("SELECT sum(build_ns), sum(load_ns + verify_ns + measure_ns),"
    " (SELECT sum(finals_ns) FROM run) FROM trial").fetchone()
for kind, ns in zip(sums, recorded):
    print(kind, "as recorded" if ns > 0 and abs(sums[kind] - ns / 1000) < 1 else (sums[kind], ns))
print(sorted({name for lane, name in names.items() if lane[1] in (1, 2, 3)}), "compilers:", len([n for n in names.values() if n.startswith("compiler")]) <= 2 * int(sys.argv[3]))
PY
export ASCTUNE_CACHE_DIR="$PWD/cache"
asctune run "$WORKLOADS/axpy.json" --problem small --problem large --device cpu --budget 6 --jobs 2 --db r.db >/dev/null 2>&1
run export trace --db r.db -o out
python3 check.py out/trace.json r.db 2
# A second run of the same command has its compilers' work in the cache.
asctune run "$WORKLOADS/axpy.json" --problem small --device cpu --budget 6 --jobs 2 --db r.db >/dev/null 2>&1
run export trace --db r.db -o - --set run=3 | grep -c '"name":"build'
# Names that are hostile
sqlite3 g.db "UPDATE workload SET name = '</script>\"' || char(10) || 'x'; UPDATE problem SET name = CAST(X'ff5c22' AS TEXT); UPDATE implementation SET name = '%s%n,]}'"
run export trace --db g.db -o hostile --set run=1
python3 -c 'import json; t = json.load(open("hostile/trace.json", encoding="utf-8"))["traceEvents"]; print(ascii(t[0]["args"]["name"]), sorted({e["name"] for e in t if e["ph"] == "X"}))'
# Nothing to draw
run export trace --db g.db -o none --set run=3 --simulated
run export trace --db g.db -o none --set run=3
run export trace --db g.db -o none --set run=x
run export trace --db g.db -o none --set lane=1
run export trace --db g.db -o none --simulated
sqlite3 old.db <"$ROOT/tests/golden/schema-15.sql"; asctune merge old.db --db new.db >/dev/null
run export trace --db new.db -o none
sqlite3 g.db "UPDATE trial SET builds = X'ff' WHERE id = 2"
run export trace --db g.db -o none --set run=1
ls none 2>&1
