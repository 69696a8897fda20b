# Compilers, worker and finals over time: lanes of a recorded run, times against the database's, names that are hostile, what is refused.
# covers: trace_export.c
golden 26 g.db
run export trace --db g.db -o - --set run=1
run export trace --db g.db -o - | grep -c '"ph":"X","pid":2'
# In each lane one thing follows another, and all of them take the times that the database has.
cat >check.py <<'PY'
import json, math, sqlite3, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
lanes, names, sums = {}, {}, {"build": 0, "worker": 0, "finals": 0}
# The form: Chrome's Trace Event Format has metadata events, which name what they are about, and complete events in microseconds.
for event in trace["traceEvents"]:
    lane = event["pid"], event["tid"]
    assert all(type(n) is int and n >= 0 for n in lane) and event["name"] and type(event["args"]) is dict, event
    if event["ph"] == "M":
        assert event["name"].startswith("process_" if lane[1] == 0 else "thread_"), event
        if event["name"].endswith("_name"):
            assert lane not in names and event["args"]["name"], event
            names[lane] = event["args"]["name"]
        else:
            assert event["name"].endswith("_sort_index") and type(event["args"]["sort_index"]) is int, event
        continue
    assert event["ph"] == "X" and all(type(event[k]) in (int, float) and math.isfinite(event[k]) and event[k] >= 0 for k in ("ts", "dur")), event
    lanes.setdefault(lane, []).append((event["ts"], event["dur"]))
    phase = event["name"].split()[0]
    sums[phase if phase in sums else "worker"] += event["dur"]
for lane, spans in lanes.items():
    assert lane in names and (lane[0], 0) in names, ("a lane without a name", lane)
    spans.sort()
    for (ts, dur), (next_ts, _) in zip(spans, spans[1:]):
        if ts + dur > next_ts + 0.002:
            print(names[lane], "has", ts, "+", dur, "beside", next_ts)
# The times: those of the database, each run from its start on.
db = sqlite3.connect(sys.argv[2])
runs = db.execute("SELECT id, (started_ms - (SELECT min(started_ms) FROM run)) * 1000 + finals_begin_ns / 1000.0 FROM run ORDER BY id").fetchall()
finals = {lane[0]: spans[0][0] for lane, spans in lanes.items() if names[lane] == "finals"}
print("finals of", len(runs), "runs stand", "where they were" if all(abs(finals[run] - us) < 0.002 for run, us in runs) else (finals, runs))
recorded = db.execute("SELECT sum(build_ns), sum(load_ns + verify_ns + measure_ns), (SELECT sum(finals_ns) FROM run) FROM trial").fetchone()
for kind, ns in zip(sums, recorded):
    print(kind, "as recorded" if ns > 0 and abs(sums[kind] - ns / 1000) < 1 else (sums[kind], ns))
print(sorted({name for lane, name in names.items() if lane[1] in (1, 2, 3)}), "compilers:", len([n for n in names.values() if n.startswith("compiler")]) <= 2 * int(sys.argv[3]))
PY
export ASCTUNE_CACHE_DIR="$PWD/cache"
asctune run "$WORKLOADS/axpy.json" --problem small --problem large --device cpu --strategy random --budget 6 --jobs 2 --db r.db >/dev/null 2>&1
run export trace --db r.db -o out
python3 check.py out/trace.json r.db 2
# A second run of the same command has its compilers' work in the cache.
asctune run "$WORKLOADS/axpy.json" --problem small --device cpu --strategy random --budget 6 --jobs 2 --db r.db >/dev/null 2>&1
run export trace --db r.db -o - --set run=3 | grep -c '"name":"build'
# The newest run of a problem with a cold cache, and that with a hot one.
sqlite3 r.db "UPDATE run SET cache_policy = 'hot' WHERE id = 3"
run export trace --db r.db -o - | grep -o '"run [0-9]*:[^"]*' | sed 's/ on .*,/,/'
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
golden 15 new.db
run export trace --db new.db -o none
sqlite3 g.db "UPDATE trial SET builds = X'ff' WHERE id = 2"
run export trace --db g.db -o none --set run=1
ls none 2>&1
