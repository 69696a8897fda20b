# The best-config table and its JSON.
asctune run "$WORKLOADS/axpy.json" --device cpu --repeats 3 --budget 4 --db b.db >/dev/null 2>&1
# columns are as wide as what stands in them, a processor's name among others
run best --db b.db | sed 's/  */ /g; 1q'
# where a line would be too long, a row is many lines; not every machine tells its clock
COLUMNS=80 run best --db b.db | sed 's/  .*//; /^CLOCK/d'
run best --db b.db --json | tr ',' '\n' | sed -n 's/^{*"\([a-z_]*\)":.*/\1/p' | sort
run best "$WORKLOADS/axpy.json" --db b.db --json | grep -c '"workload":"axpy"'
run best "$WORKLOADS/faults.json" --db b.db
run export json --db b.db -o tables
ls tables
# What the device reaches at best is measured once, and placed where FLOPs and bytes are stated.
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 2 --seed 2 --db b.db 2>/dev/null | sed -n 's/^  peak .* \(attainable at [0-9.]* FLOP.B\) (.*-bound)$/\1/p'
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 2 --resume --db b.db --json 2>/dev/null | grep -c '"roofline":{"peak_flops":[0-9.]*,"peak_bandwidth":'
sqlite3 b.db 'SELECT count(*), min(flops > 0 AND bandwidth > 0) FROM peak'
