# A dimension that is a list: a problem for each of its sizes, taken together by the ladder's name or one by one; every command agrees on them.
# covers: workload_ladder.c problem_sizes.c
cp -r "$WORKLOADS/axpy" .
sed -e '/"name": "large"/d' -e 's/.*"name": "small".*/{"name": "alone", "dims": {"N": 64}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "steps", "dims": {"N": [999, 1000, 2000], "K": [7]}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}/' \
	-e 's/"entry": "axpy",/"entry": "axpy", "when": "N % 2 == 0",/' "$WORKLOADS/axpy.json" >w.json
tune() { asctune run w.json -D cpu --cache hot --budget 2 --strategy random --seed 1 --db r.db "$@" >out 2>err; echo "exit $?"; grep 'covered\|no problem' err; sed -n '/^KERNEL/,$d; s/^\(axpy[^ ]*\) .*/\1/p' out; }
names() { sqlite3 r.db 'select name, dims_json, count(*) from problem join run on problem_id = problem.id group by name'; }
run check-workload w.json
for problem in steps steps.N1000.K7 alone; do
	echo "space $problem: $(asctune space w.json -D cpu -p $problem --count | tr '\n' ' ')"
done
run run w.json -D cpu -p stps --db no.db
run run w.json -D cpu -p steps.N4.Q7 --db no.db
tune -p steps.N1000.K7
tune -p steps
tune
names
echo "best: $(asctune best --db r.db | grep -o '^axpy/[^ ]*' | tr '\n' ' ')"
asctune run w.json -D cpu --cache hot --budget 2 --strategy random --seed 1 --db r.db -p steps --resume --json 2>/dev/null | grep -o '"type":"summary".*"problem":"[^"]*"\|"resumed":[0-9][0-9]*'
asctune export t1 w.json -D cpu -p steps -o spaces; ls spaces
asctune export t4 --db r.db -o records 2>&1 | sed 's/-loop-.*_T4/-loop-MODEL_T4/'; ls records | sed 's/-loop.*//'
# of many files the first are named
sed 's/999, 1000, 2000/2, 4, 6, 8, 10, 12, 14, 16, 18, 20/' w.json >many.json; asctune export t1 many.json -D cpu -p steps -o many/
asctune report --db r.db -o r.html >/dev/null 2>&1; echo "report: exit $?"; grep -o 'axpy/steps\.N[0-9]*\.K7' r.html | sort -u
asctune export json --db r.db -o best 2>&1
asctune reproduce --best best/best.json --db r.db -p steps --json 2>/dev/null | sed -n 's/.*"problem":"\([^"]*\)".*/\1/p' | sort -u
