# What tables for libraries need of a run: the workload's names for them, kinds of dimensions, the kernel's source alone.
facts() { sqlite3 r.db 'select export_json, kinds_json from workload join problem' 'select count(*), count(distinct key), count(distinct source_digest) from implementation'; }
tune() { asctune run w/axpy.json -D cpu --budget 2 --db r.db "$@" >/dev/null 2>&1 || echo "exit $?"; }
mkdir w && cp -r "$WORKLOADS/axpy" w
sed 's/"dims": {"N": 1000}/"dims": {"N": 1000, "K": 3, "EPS": 1.0, "CAUSAL": true}/' "$WORKLOADS/axpy.json" >w/axpy.json
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
echo '/* edited */' >>w/axpy/kernel.c
tune
facts
# a workload without names for libraries says so
python3 -c 'import json; w = json.load(open("w/axpy.json")); del w["export"]; json.dump(w, open("w/axpy.json", "w"))'
tune
facts
