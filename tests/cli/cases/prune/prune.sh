# Samples and logs of old losers go, the file gets smaller, and every answer stays as it is; what asks for nothing sensible is refused.
# covers: cmd_prune.c prune.c
for night in 1 2 3 4; do
	asctune run --device cpu --budget 3 --repeats 40 --cache hot --no-history --db a.db "$WORKLOADS/axpy.json" --problem small >/dev/null 2>&1
done
# Nights ten days apart, each with two configurations that are slower than any, one of them its own.
sqlite3 a.db "UPDATE run SET started_ms = started_ms - (200 - 10 * id) * 86400000;
	CREATE TEMP TABLE loser AS SELECT * FROM trial GROUP BY run_id;
	UPDATE loser SET id = NULL, is_default = 0, config_hash = 7, config_key = 'LOSER=' || run_id, config_json = '{\"LOSER\":1}', status = 'ok', phase = 'measure',
		reason = NULL, log = 'a warning', n_samples = 3, samples = x'020202', notes = NULL, same_hash = NULL, same_implementation_id = NULL,
		min_ns = 9e9, q1_ns = 9e9, median_ns = 9e9, q3_ns = 9e9, max_ns = 9e9, low_ns = NULL, high_ns = NULL;
	INSERT INTO trial SELECT * FROM loser;
	UPDATE loser SET config_hash = 8, config_key = 'LOSER=0';
	INSERT INTO trial SELECT * FROM loser"
asctune prune --keep 99 --db a.db >/dev/null # the answers are kept then
said() { # DATABASE
	asctune best --db $1; asctune best --json --db $1; asctune track --all --db $1; asctune show small --db $1; asctune show run 1 --db $1; asctune show run 4 --db $1
	asctune report --db $1 -o page.html && cat page.html
}
said a.db >before 2>&1
asctune export csv -o - --db a.db | sort >before.csv
numbers() { sed -E 's/^[1-9][0-9]* (trials? in|of them|more)/N \1/; s/, [0-9]+ trials/, N trials/; s/[0-9]+\.[0-9] MB/N MB/g; s/"(trials|removed|[a-z]*_?bytes[a-z_]*)":[0-9][0-9]*/"\1":N/g'; }
cp a.db old.db
run prune --keep 90d --dry-run --db a.db | numbers
sqlite3 a.db 'SELECT count(*) FROM trial WHERE samples IS NULL AND n_samples > 0 AND same_hash IS NULL'
run prune --keep 1 --db a.db --json | numbers
sqlite3 a.db 'SELECT count(*) > 0, max(run_id) FROM trial WHERE samples IS NULL AND n_samples > 0 AND same_hash IS NULL; PRAGMA integrity_check; SELECT count(*) FROM stale'
said a.db >after 2>&1
[ -s before ] && cmp before after && echo the same
# Rows that are gone are gone from exports of all that was tried, and no other changes.
[ $(asctune export csv -o - --db a.db | sort | comm -23 before.csv - | wc -l) -ge 2 ] && echo at least two are gone
asctune export csv -o - --db a.db | sort | comm -13 before.csv - | wc -l
[ $(wc -c <a.db) -le $(wc -c <old.db) ] && echo no larger
run prune --keep 1 --db a.db | numbers
# One that was killed before it wrote the file anew has left free pages.
sqlite3 a.db 'CREATE TABLE freed AS SELECT randomblob(2000000); DROP TABLE freed'
run prune --keep 1 --db a.db --dry-run | numbers
run prune --keep 1 --db a.db | numbers
# Fewer trials than were tried: it is said where they are.
asctune doctor --db a.db | grep -e ' of 4 runs' -e removed | numbers
asctune doctor --db a.db --json | grep -c '"removed":[1-9]'
# What was pruned is not measured again, and is shown with its times.
loser=$(sqlite3 a.db 'SELECT min(id) FROM trial WHERE samples IS NULL AND n_samples > 0 AND same_hash IS NULL')
asctune show $loser --db a.db --json | grep -c '"n_samples":[1-9]'
run prune --keep 3 --db missing.db; ls missing.db 2>&1
run prune --db a.db
run prune --keep 0 --db a.db
run prune --keep 90w --db a.db
run prune --keep 99999999999999999999d --db a.db
run prune 3 --keep 3 --db a.db
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
run prune --keep 3 --db text.db
cp old.db newer.db; sqlite3 newer.db 'pragma user_version = 99'
run prune --keep 3 --db newer.db 2>&1 | sed 's/knows [0-9]*/knows N/'
# While another process has it locked.
sqlite3 a.db 'BEGIN IMMEDIATE' '.shell ASCTUNE_BUSY_TIMEOUT_MS=50 asctune prune --keep 3 --db a.db; echo "exit $?"'
