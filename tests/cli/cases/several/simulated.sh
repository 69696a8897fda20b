# Results on a stand-in beside measured and imported ones: shown where they are asked for, marked in each line, and left out of everything else.
# covers: dispatch_read.c
golden 26 r.db
asctune best --db r.db | grep -c axpy # what was measured
run best --simulated --db r.db
asctune best --simulated --json --db r.db | grep -o '"simulated":[a-z]*'
asctune best --json --db r.db | grep -o '"simulated":[a-z]*'
run best --simulated --all --db r.db
run best --simulated "$WORKLOADS/poison.json" --db r.db
asctune track --all --db r.db | grep -c npu
asctune export json --db r.db -o out >/dev/null && grep -c npu out/best.json
asctune export csv --db r.db -o out >/dev/null && grep -c stand-in out/trials.csv
asctune export csv --simulated --db r.db -o all >/dev/null && grep -c stand-in all/trials.csv
standin=$(sqlite3 r.db "SELECT max(id) FROM trial") imported=$(sqlite3 r.db "SELECT max(t.id) FROM trial t JOIN run r ON r.id = t.run_id WHERE r.imported")
for trial in "$standin" "$imported"; do
	asctune show "$trial" --db r.db | grep '^ *simulated'
	asctune show "$trial" --json --db r.db | grep -o '"simulated":[a-z]*,"imported":[a-z]*'
	run reproduce "$trial" --db r.db
done
asctune report --db r.db -o r.html >/dev/null 2>&1
grep -o '; [0-9]* \(imported\|simulated\), which count for nothing here' r.html
grep -o '\(imported\|simulated\) results</small>' r.html
echo "# The view best has what was measured; any_best has the answers of stand-ins, too."
sqlite3 r.db "SELECT count(*), sum(simulated) FROM best UNION ALL SELECT count(*), sum(simulated) FROM any_best"
