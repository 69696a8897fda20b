# What a gate measured is recorded as two sides, which are no histories and no answers; the page of both; databases and files that cannot be written.
# covers: gate_record.c cmd_gate.c cmd_report.c
mkdir -p tree/kernels
for k in one two; do
	cp -r "$WORKLOADS/axpy" tree/kernels/$k
	sed "s|\"name\": \"axpy\"|\"name\": \"$k\"|; s|axpy/|$k/|" "$WORKLOADS/axpy.json" >tree/kernels/$k.json
done
export TMPDIR="$PWD/scratch" ASCTUNE_DB="$PWD/best.db"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME GITHUB_ACTIONS GITHUB_STEP_SUMMARY
mkdir scratch
git -C tree init -q -b main && git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m first
id=$(git -C tree rev-parse HEAD)
gate() { (cd tree && asctune gate -D cpu kernels "$@") >out 2>err; echo "exit $?"; sed "s/$(printf %.12s "$id")/ID/g" err; }
text() { sed 's/<[^>]*>//g' "$1" | sed "s/$id/ID/g; s/$(printf %.12s "$id")/ID/g"; }
slow() { sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' "$1"; }

echo '--- nothing measured: nothing recorded, no page'
gate --db ../g.db --html ../page.html
sqlite3 g.db 'SELECT count(*) FROM run'; ls page.html 2>&1
echo '--- two kernels, two sides'
# the first by far the slower one: runs are in the order of what is said
slow tree/kernels/one/kernel.c && sed -i 's/pass < 40/pass < 400/' tree/kernels/one/kernel.c
slow tree/kernels/two/kernel.c
gate --db ../g.db --html ../page.html
page_check page.html
text page.html | grep -oE '^[0-9]+ kernels? slower|asctune: ID → ID with changes|asctune report --db .*'
sqlite3 g.db "SELECT r.id, r.strategy, replace(r.source_commit, '$id', 'ID'), r.source_clean, replace(r.workload_file, '$PWD', '.'), r.outcome, t.status, t.config_key, t.n_samples > 0 FROM run r JOIN trial t ON t.run_id = r.id ORDER BY r.id"
sqlite3 g.db 'SELECT count(*) FROM run_implementation; SELECT count(*) FROM run a JOIN run b ON b.id = a.id + 2 JOIN trial t ON t.run_id = a.id JOIN trial u ON u.run_id = b.id WHERE u.median_ns > 2 * t.median_ns AND t.artifact <> u.artifact AND a.problem_id = b.problem_id'
echo '--- the other commands'
asctune report --db g.db --base 1-2 --against 3-4 -o both.html 2>/dev/null; text both.html | grep -oE '^[0-9]+ kernels? slower'
asctune report --db g.db --base 3 --against 1 -o one.html 2>/dev/null || asctune report --db g.db --base 4 --against 1 -o one.html 2>/dev/null; text one.html | grep -oE '^[0-9]+ kernels? faster'
run report --db g.db --base 1-9
run report --db g.db --base 4-1
asctune show --db g.db 4 | grep -E '^  (status|config key) '
(cd tree && asctune compare --db ../g.db run:1 run:3) | grep -o '^B is slower'
run best --db g.db
asctune track --db g.db 2>&1 | sed 's/(.*//'
echo '--- beside a search: its answer, its names and its history stay'
cp -r tree/kernels plain && git -C tree show HEAD:kernels/one/kernel.c >plain/one/kernel.c
(cd plain && asctune run one.json -D cpu --budget 2 --seed 1 --db ../h.db) >/dev/null 2>&1
asctune best --db h.db --json >before
sed -i 's/"operator": "axpy"/"operator": "other"/' tree/kernels/one.json
gate --db ../h.db
asctune best --db h.db --json | cmp - before && echo 'the same answer'
sqlite3 h.db 'SELECT operator FROM workload; SELECT count(*) FROM stale; SELECT strategy, count(*) FROM run GROUP BY strategy = "gate"'
asctune report --db h.db --base 2-3 --against 4-5 -o both.html 2>/dev/null; text both.html | grep -oE '^[0-9]+ kernels? slower'
run report --db h.db --base g.db
asctune track --db h.db
git -C tree checkout -q kernels/one.json
echo '--- a workload with another name in the head: both sides have that one'
sed -i 's/"name": "one"/"name": "uno"/' tree/kernels/one.json
gate --db ../r.db --html ../r.html -p small
text r.html | grep -oE '^[0-9]+ kernels? slower'
sqlite3 r.db 'SELECT w.name, count(*) FROM run r JOIN problem p ON p.id = r.problem_id JOIN workload w ON w.id = p.workload_id GROUP BY w.name'
echo '--- another text of the reference: both sides were measured with the one of the head'
echo '/* another text */' >>tree/kernels/one/reference.c
gate --db ../f.db --html ../f.html -p small
text f.html | grep -oE '^[0-9]+ kernels? slower'
git -C tree checkout -q kernels/one/reference.c
echo '--- two gates, one database'
(cd tree && asctune gate -D cpu kernels --db ../both.db >/dev/null 2>&1) &
gate --db ../both.db >/dev/null
wait $!
sqlite3 both.db 'PRAGMA integrity_check; SELECT count(*) FROM run'
echo '--- a head that is wrong, a base that was: what was measured of each'
git -C tree checkout -q .
sed -i 's/alpha \* x\[i\] + y\[i\]/alpha * x[i] - y[i]/' tree/kernels/one/kernel.c
gate --db ../w.db --html ../w.html
sqlite3 w.db 'SELECT r.source_clean, t.status FROM run r JOIN trial t ON t.run_id = r.id ORDER BY r.id'
echo '--- what cannot be written is said before anything is measured'
gate --db ../none/g.db; cat out
echo 'no database' >text.db
gate --db ../text.db; cat out
echo mine >mine.html
gate --html ../mine.html; cat out mine.html
echo '--- nothing is left'
ls scratch
