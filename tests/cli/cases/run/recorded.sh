# Recorded outputs are the reference: to the bit, within the tolerance and beyond it, in float64, in one set of two; where there are none the program's own configuration is.
# covers: own_reference.c
tune() { # DEVICE PROBLEM
	asctune run "$WORKLOADS/recorded.json" --device $1 --problem $2 --cache hot --repeats 3 --strategy exhaustive --budget all --json --db r.db >lines 2>err
	echo "$2: exit $?"
	grep -v 'no planner' err
	sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
	sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sort -u
}
for name in same bit far float64 none masked two fresh; do
	tune cpu $name
	sqlite3 r.db "select distinct verified_by from trial t join run r on r.id = t.run_id join problem p on p.id = r.problem_id where p.name = '$name'"
done
echo "- outputs without a finite number verify nothing"
for name in nan infinite; do
	tune cpu $name
done
tune cpu nan # the reference is kept
sqlite3 r.db "select distinct p.name, verified_by from trial t join run r on r.id = t.run_id join problem p on p.id = r.problem_id where p.name in ('nan', 'infinite')"
asctune best --db r.db | tr '\n' ' ' | tr -s ' ' | grep -o 'verified by a[^;]*finite number' | sort -u
echo "- the default's error says by how much the program's machine computed otherwise: 2^-21"
sqlite3 r.db "select p.name, max_abs from trial t join run r on r.id = t.run_id join problem p on p.id = r.problem_id where is_default"
echo "- on the stand-in of an NPU"
tune npu:sim:Ascend910B3 bit
