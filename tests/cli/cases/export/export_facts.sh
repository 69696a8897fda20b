# What tables for libraries need of a run: the workload's names for them, kinds of dimensions, the kernel's source alone.
# covers: cmd_export.c
facts() { sqlite3 r.db 'select export_json, kinds_json from workload join problem' 'select count(*), count(distinct key), count(distinct source_digest) from implementation'; }
tune() { asctune run w/axpy.json -D cpu --budget 2 --db r.db "$@" >/dev/null 2>&1 || echo "exit $?"; }
mkdir w && cp -r "$WORKLOADS/axpy" w
sed 's/"dims": {"N": 1000}/"dims": {"N": 1000, "K": 3, "EPS": 1.0, "CAUSAL": true}/; s/{"operator": "Axpy"}/{"operator": "Axpy", "sizes": {"n": "N"}}/' "$WORKLOADS/axpy.json" >w/axpy.json
tune
facts
# recorded by an earlier version: the next run adds it, though it measures nothing
sqlite3 r.db 'update workload set export_json = null; update problem set kinds_json = null; update implementation set source_digest = null'
tune --resume
facts
# the compiler's flags are not the kernel's source, its text is
sed -i 's/"entry": "axpy",/"entry": "axpy", "flags": ["-fno-inline"],/' w/axpy.json
tune
facts
# a table names what was made from a source that was edited since
run export c-header --db r.db -o out 2>&1 | sed 's| on [^:]*: left| on X: left|'
run export c-header --set library=example --db r.db -o out
run export --check out --db r.db
echo '/* edited */' >>w/axpy/kernel.c
run export --check out --db r.db
mv w/axpy/kernel.c kept.c; run export --check out --db r.db; mv kept.c w/axpy/kernel.c
mv w kept; run export --check out --db r.db; mv kept w
tune
facts
# a workload without names for libraries says so
python3 -c 'import json; w = json.load(open("w/axpy.json")); del w["export"]; json.dump(w, open("w/axpy.json", "w"))'
tune
facts
