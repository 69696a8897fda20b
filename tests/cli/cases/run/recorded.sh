# Recorded outputs are the reference: to the bit, within the tolerance and beyond it, in float64, in one set of two; where there are none the program's own configuration is.
# covers: own_reference.c
cp -r "$WORKLOADS/recorded" "$WORKLOADS/recorded.json" .
(cd recorded && python3 make.py)
for name in same bit far float64 none masked two fresh; do
	asctune run recorded.json --problem $name --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db r.db >lines 2>err
	echo "$name: exit $?"
	sed "s|$PWD/||" err
	sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
	sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sort -u
	sqlite3 r.db "select distinct verified_by from trial t join run r on r.id = t.run_id join problem p on p.id = r.problem_id where p.name = '$name'"
done
# The default's error says by how much the program's machine computed otherwise: 2^-21.
sqlite3 r.db "select p.name, max_abs from trial t join run r on r.id = t.run_id join problem p on p.id = r.problem_id where is_default"
