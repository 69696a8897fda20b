# The best-config table and its JSON.
# FLOPs and bytes are stated, rightly and wrongly.
# covers: cmd_best.c answer_row.c best_json.c loop.c peaks_file.c
mkdir lies && cp -r "$WORKLOADS/axpy" . && cp -r "$WORKLOADS/axpy" lies
counted() { sed 's/^  "reference"/  "flops": "'"$1"'", "bytes": "sizeof(x) + sizeof(y) + sizeof(out)",\n&/' "$WORKLOADS/axpy.json"; }
counted '2 * N' >axpy.json && counted '1000000 * 2 * N' >lies/axpy.json
asctune run axpy.json --device cpu --repeats 3 --budget 4 --db b.db >/dev/null 2>&1
# columns are as wide as what stands in them, a processor's name among others
# what all rows have in common is said once, above them
run best --db b.db | sed 's/  */ /g; s/^cpu: .*,/cpu: MODEL,/; s/ ATTAINS//; 2q'
# a narrow terminal has a line for each cell
COLUMNS=40 run best --db b.db | sed '1,/^KERNEL/{/^KERNEL/!d}; s/  [^ ].*//; /^ *$/d; /^ATTAINS/d'
whole() { python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps({**json.loads(line), "profile": 0}, separators=(",", ":")) if line[0] == "{" else line.strip())'; } # what limits it, too, depends on the machine
run best --db b.db --json | whole | sed 's|,"provenance":{.*|,"provenance":{}}|' | tr ',' '\n' | sed -n 's/^{*"\([a-z_]*\)":.*/\1/p' | sort
run best axpy.json --db b.db --json | grep -c '"workload":"axpy"'
run best "$WORKLOADS/faults.json" --db b.db
run export json --db b.db -o tables
ls tables
# What the device reaches at best is measured once, and placed where FLOPs and bytes are stated; again while others hold the memory.
for try in 1 2 3 4 5 6 7 8 9; do
	asctune run axpy.json --device cpu --budget 2 --seed 2 --verbose --db b.db 2>/dev/null | sed -n 's/^  attains .* attainable \(at [0-9.]* FLOP.B\) (.*-bound).*$/attainable \1/p' >peak
	[ ! -s peak ] || break
done
cat peak
asctune run axpy.json --device cpu --budget 2 --resume --db b.db --json 2>/dev/null | grep -c '"roofline":{"peak_flops":[0-9.]*,"peak_bandwidth":'
sqlite3 b.db 'SELECT unit, type, rate >= low AND low > 0 AND moments >= 0 FROM peak WHERE type IN ("", "f32") ORDER BY unit'
# The cache has them for other databases, and for one that has lost them.
ls "$ASCTUNE_CACHE_DIR/peaks" | sed 's/^[0-9a-f]\{32\}\.json$/FINGERPRINT.json/' | uniq
sqlite3 b.db "DELETE FROM peak WHERE unit = 'B/s'"
run best --db b.db --json | grep -c '"peak_bandwidth":[0-9]'
ASCTUNE_CACHE_DIR=none run best --db b.db --json | grep -c '"peak_bandwidth":null'
ls none 2>&1
# A bandwidth that could not be measured, as others held the memory, is looked for again.
rm -r "$ASCTUNE_CACHE_DIR/peaks"
for try in 1 2 3 4 5 6 7 8 9; do
	asctune run axpy.json --device cpu --budget 2 --resume --db b.db >/dev/null 2>&1
	sqlite3 b.db "SELECT rate > 0 FROM peak WHERE unit = 'B/s' AND type = ''" >rate
	[ ! -s rate ] || break
done
cat rate
# A later run's higher rate replaces a lower one.
sqlite3 b.db "UPDATE peak SET rate = 1000, low = 1000 WHERE type = 'f32'"
asctune run axpy.json --device cpu --budget 2 --resume --verbose --db b.db 2>&1 | grep -c '^  attains '
sqlite3 b.db "SELECT rate > 1e9, low = 1000 FROM peak WHERE type = 'f32'"
# A peak that was never measured at a quiet moment is marked, and so is more than a peak: FLOPs that are stated wrongly.
asctune run lies/axpy.json --device cpu --budget 2 --db lies.db >/dev/null 2>&1
for moments in 0 15; do
	sqlite3 lies.db "UPDATE peak SET moments = $moments"
	ASCTUNE_CACHE_DIR=none asctune best --db lies.db | sed -n 's/.*[0-9] % \(([a-z ]*)\).*/\1/p'
	ASCTUNE_CACHE_DIR=none asctune best --db lies.db --json | grep -o '"attainable_note":"[a-z ]*"'
done
# Peaks that another user may have written are not used, with a warning.
chmod 777 "$ASCTUNE_CACHE_DIR/peaks"
asctune best --db lies.db --json 2>&1 >/dev/null | sed "s|$ASCTUNE_CACHE_DIR|CACHE|g"
chmod 700 "$ASCTUNE_CACHE_DIR/peaks"
# What cold caches cost is said.
for cache in cold hot; do
	asctune run "$WORKLOADS/axpy.json" --device cpu --budget 2 --cache $cache --verbose --db f.db 2>&1 | grep -c '^  spent .* of it to flush caches$'
done
