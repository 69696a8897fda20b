# asctune runs --shards: which shares of a run are there, by what their databases say of themselves.
# covers: share_states.c share.c
cp -r "$WORKLOADS/axpy" .
sed 's/{"name": "small", "dims": {"N": 1000}/{"name": "rung", "dims": {"N": [500, 600, 700]}/' "$WORKLOADS/axpy.json" >axpy.json
share() { place=$1; shift; asctune run axpy.json --device cpu --cache hot --budget 1 --shard "$place" "$@" >out 2>said || { echo "share $place: exit $?"; cat said; }; }
for k in 1 2 3; do share $k/4 --db $k.db; done
run runs --shards 4 1.db 3.db
run runs --shards 4 3.db 2.db 1.db missing.db # the fourth has no problem
share 4/4 --db 4.db; run runs --shards 4 1.db 2.db 3.db 4.db | tail -n 2 # nor has it one where it ran
asctune merge 1.db 2.db 3.db --db all.db >/dev/null
run runs --shards 4 all.db 1.db --json
# A task that was killed, one that was stopped, one that ran again, and ended.
cp 2.db killed.db; sqlite3 killed.db "update share set ended_ms = null, outcome = null, uid = randomblob(16)"
run runs --shards 4 1.db killed.db 3.db
cp 3.db stopped.db; sqlite3 stopped.db "update share set outcome = 'interrupted'"
run runs --shards 4 1.db 2.db stopped.db | grep torn
run runs --shards 4 1.db killed.db 2.db 3.db | head -n 2
cp 1.db twice.db; sqlite3 twice.db "update share set uid = randomblob(16)"
run runs --shards 4 all.db twice.db | head -n 1
# Two tasks with one index at the same time, on one database: a share that ran twice.
(share 2/4 --db both.db) & (cp -r . ../beside && cd ../beside && share 2/4 --db "$OLDPWD/both.db"); wait; rm -r ../beside
sqlite3 both.db "select number, outcome from share; select count(*), count(distinct share_id), sum(outcome = 'done') from run"
run runs --shards 4 1.db both.db 3.db
head -c 20000 both.db >torn.db
run runs --shards 4 1.db torn.db 3.db
# Those that do not belong to the others are named.
share 2/4 --seed 9 --db seed.db; share 2/5 --db five.db
cp 2.db version.db; sqlite3 version.db "update share set uid = randomblob(16), version = '9.9'"
share 3/4 --with all.db --db history.db
sed -i 's/1024\]/512, 1024]/' axpy.json; share 2/4 --db file.db
share 2/4 --by configurations --db way.db
run runs --shards 4 1.db 3.db seed.db five.db version.db history.db file.db way.db
name=$(printf 'a\nb\033[31m.db'); cp 1.db "$name"; run runs --shards 1 "$name"
# They merge as what they are: no run of another seed counts as a share of these.
asctune merge 1.db 3.db seed.db five.db file.db --db mixed.db >/dev/null
sqlite3 mixed.db 'select count(*), count(distinct seed), count(distinct count), count(distinct dealt) from share; select count(*) from run'
run runs --shards 4 mixed.db
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
run runs --shards 1 text.db
run runs --shards 0 1.db
run runs --shards 4
run runs --shards 4 1.db --device cpu
