# Databases that cannot be used: one message, exit status 2, nothing lost.
# covers: db.c
axpy="$WORKLOADS/axpy.json"
asctune run "$axpy" --device cpu --cache hot --budget 3 --db d.db >/dev/null 2>&1; echo "exit $?"
cp d.db newer.db; sqlite3 newer.db 'pragma user_version = 99'
run run "$axpy" --device cpu --budget 3 --db newer.db 2>&1 | sed "s/knows [0-9]*/knows N/"
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
run run "$axpy" --device cpu --budget 3 --db text.db
sqlite3 foreign.db 'create table mine (x)'
run run "$axpy" --device cpu --budget 3 --db foreign.db
run run "$axpy" --device cpu --budget 3 --db no/such/folder/d.db
mkdir folder.db
run run "$axpy" --device cpu --budget 3 --db folder.db
# what a reader finds is said: nothing, a file of another program, results of a version before 0.1.0
: >empty.db
sqlite3 old.db <"$ROOT/tests/data/golden/schema-16.sql"
for file in empty.db foreign.db text.db old.db; do
	for command in best track report; do run $command --db $file 2>&1 | sed 's/reads [0-9]*/reads N/'; done
done
# what recurses without end is given up
cp d.db endless.db
sqlite3 endless.db 'alter table device rename to hidden; create view device as with recursive n(i) as (select 1 union all select i + 1 from n) select hidden.* from hidden, n'
run best --db endless.db
run merge endless.db --db into.db
run merge empty.db --db none.db
[ ! -e none.db ] && echo 'nothing is made of an empty one'
run merge old.db --db over.db 2>&1 | sed 's/reads [0-9]*/reads N/'
[ ! -e over.db ] && echo 'nothing is made of an old one'
"$ROOT/tests/data/golden/convert.py" old.db over.db && asctune best --db over.db | sed -n '2,$p'
run runs "$axpy" --device cpu --db empty.db
# locked by another program, for as long as it takes
mkfifo release
cp d.db copy.db
(printf 'begin exclusive;\n.shell touch locked; cat release\n' | sqlite3 d.db >/dev/null) &
while [ ! -e locked ]; do sleep 0.05; done
ASCTUNE_BUSY_TIMEOUT_MS=200 asctune merge copy.db --db d.db; echo "exit $?"
# run waits, and says so
: >err
ASCTUNE_BUSY_TIMEOUT_MS=200 asctune run "$axpy" --device cpu --cache hot --budget 3 --db d.db >/dev/null 2>err &
until grep -q waiting err; do sleep 0.05; done
grep waiting err | sed 's/for [0-9.]* m*s/for .../'
# and ends as it does elsewhere when it is interrupted meanwhile
waits=$!
: >err
ASCTUNE_BUSY_TIMEOUT_MS=200 asctune run "$axpy" --device cpu --cache hot --budget 3 --db d.db >/dev/null 2>err &
until grep -q waiting err; do sleep 0.05; done
kill -INT $!
wait $!; echo "exit $?"
tail -n 1 err
: >release
wait $waits; echo "exit $?"
wait
sqlite3 d.db 'pragma integrity_check; select count(*) from trial'
