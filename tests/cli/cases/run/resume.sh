# A second identical run with --resume measures nothing; another seed measures only what is new.
# covers: recorder.c
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 6 --strategy random --seed 3 --db r.db >/dev/null 2>&1
echo "exit $?"
sqlite3 r.db 'select count(*) from trial'
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 6 --strategy random --seed 3 --db r.db --resume --json 2>/dev/null |
	grep -o '"type":"summary"\|"trials":[0-9]*\|"resumed":[0-9][0-9]*'
sqlite3 r.db 'select count(*) from trial'
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget all --db r.db --resume --json 2>/dev/null |
	grep -o '"type":"summary"\|"trials":[0-9]*\|"resumed":[0-9][0-9]*'
sqlite3 r.db 'select count(*), count(distinct config_key) from trial'
# another budget is no other rule
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --impl loop --db b.db >/dev/null 2>&1
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --impl loop --budget 1h --db b.db --resume --json 2>/dev/null |
	grep -o '"resumed":[0-9][0-9]*'
# another rule is another measurement
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 6 --seed 3 --strategy random --repeats 3 --db r.db --resume --json 2>/dev/null |
	grep -o '"resumed":[0-9][0-9]*'
# so is another verification: what passed within a tolerance is verified again without one
mkdir strict && cp -r "$WORKLOADS/axpy" strict && sed 's/"atol": "[^"]*", "rtol": "[^"]*"/"atol": "0", "rtol": "0"/' "$WORKLOADS/axpy.json" >strict/axpy.json
asctune run strict/axpy.json --device cpu --cache hot --budget 6 --strategy random --seed 3 --db r.db --resume --json 2>/dev/null |
	grep -o '"trials":[0-9]*\|"resumed":[0-9][0-9]*\|"statuses":{[^}]*}'
asctune best --db r.db 2>&1 | grep -c loop
# an implementation that has become one of the library's is another: its results are its own
mkdir indexed && cp -r "$WORKLOADS/axpy" indexed && sed 's/"name": "loop",/"name": "loop", "index": 2,/' "$WORKLOADS/axpy.json" >indexed/axpy.json
asctune run indexed/axpy.json --device cpu --cache hot --budget 6 --strategy random --seed 3 --db r.db --resume --json 2>/dev/null | grep -o '"trials":[0-9]*\|"resumed":[0-9][0-9]*\|"best":{"implementation"'
