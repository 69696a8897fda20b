# How far the runs of workloads came, told by what is recorded.
# covers: cmd_runs.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
run runs axpy.json --device cpu --db night.db
asctune run axpy.json --device cpu --config BLOCK=64,UNROLL=1,THREADS=1 --problem small --db night.db >/dev/null 2>&1 # is no search
run runs axpy.json --device cpu --problem small --db night.db
asctune run axpy.json --device cpu --budget 2 --cache hot --problem small --db night.db >/dev/null 2>&1
run runs axpy.json --device cpu --problem small --db night.db --markdown summary.md
cat summary.md
run runs . --device cpu --problem all --db night.db --json
sqlite3 night.db "update run set outcome = null, ended_ms = null"
run runs axpy.json --device cpu --problem small --db night.db
asctune track --db night.db
sqlite3 night.db "update run set outcome = 'interrupted'"
echo '{"asctune": 1, "name": "a|b"' >broken.json
touch .asctune-1-2 # as a process leaves it that was killed while it wrote
run runs . --device cpu --problem all --db night.db --markdown summary.md
ls -A | grep -F .asctune-
cat summary.md
run runs missing.json --device cpu --db night.db
run runs axpy.json --device nothing --db night.db
run runs axpy.json --device cpu --db axpy.json
run runs
