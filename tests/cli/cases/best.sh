# The best-config table and its JSON.
asctune run "$WORKLOADS/axpy.json" --device cpu --repeats 3 --budget 4 --db b.db >/dev/null 2>&1
run best --db b.db | sed 's/  *[0-9.]* [num]*s  .*/ ... /; s/cpu: .*  axpy/cpu: ...  axpy/; s/ *$//' | cut -c1-40 | sed 1q
run best --db b.db --json | tr ',' '\n' | sed -n 's/^{*"\([a-z_]*\)":.*/\1/p' | sort
run best "$WORKLOADS/axpy.json" --db b.db --json | grep -c '"workload":"axpy"'
run best "$WORKLOADS/faults.json" --db b.db
run export json --db b.db -o tables
ls tables
