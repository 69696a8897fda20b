# asctune track over a database: what there is to say after two nights, acknowledgements that have nothing to acknowledge, wrong words.
# covers: cmd_track.c
plain() { sed -E 's/cpu: .* axpy/cpu: DEVICE axpy/; s/[0-9]+ runs?/N runs/; s/"points":[0-9]+/"points":N/; s/"spread":[0-9.e-]+/"spread":S/; s/"device":"[^"]*"/"device":"D"/'; }
for night in 1 2; do
	asctune run --device cpu --budget 1 --cache hot --db t.db --problem small "$WORKLOADS/axpy.json" >/dev/null 2>&1
done
run track --db t.db | plain
run track --db t.db --json | plain
run track --db t.db --strict | plain
name=$(asctune track --all --db t.db | sed -n '2s/^undecided  *\(.*\)  [0-9]* runs*.*$/\1/p')
asctune track ack "$name" --reason known --db t.db 2>&1 | plain
run track ack nothing --reason known --db t.db
run track ack --db t.db
run track ack nothing --db t.db
run track ack nothing --reason r --for 0 --db t.db
run track ack nothing --reason r --for 40000 --db t.db
run track --reason r --db t.db
run track --series a.csv --db t.db
run track nonsense --db t.db
run track --db missing.db
run track ack x --reason y --db missing.db
ls
sqlite3 t.db "update device set model = 'M' || char(27) || '[2J' || char(10) || 'other: regression (new)'" # a name is text in its line
run track --all --db t.db | plain
