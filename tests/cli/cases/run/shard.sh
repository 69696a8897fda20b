# asctune run --shard: commands that know nothing of each other tune all problems, each once, and their databases become one.
# covers: run_shard.c share.c cmd_run.c
cp -r "$WORKLOADS/axpy" .
sed 's/{"name": "small", "dims": {"N": 1000}/{"name": "rung", "dims": {"N": [500, 600, 700, 800, 900]}/' "$WORKLOADS/axpy.json" >axpy.json
share() { place=$1; shift; asctune run axpy.json --device cpu --cache hot --budget 2 --shard "$place" "$@" >out 2>said || { echo "share $place: exit $?"; tail -n 3 said; }; }
names() { sqlite3 "$1" "select group_concat(name, ' ') from (select p.name from run r join problem p on p.id = r.problem_id order by p.name)"; }
for k in 1 2 3; do share $k/3 --db $k.db; sqlite3 $k.db "select number || '/' || count, way, problems, all_problems, outcome, history is null, (select count(*) from run where share_id = share.id) from share"; done
grep -o 'share 3/3: [0-9]* of [0-9]* problems' said
asctune merge 3.db 1.db 2.db 1.db --db all.db >/dev/null; names all.db
sqlite3 all.db "select count(*), count(distinct dealt), (select count(*) from run r join share s on s.id = r.share_id) from share"
# The same command, the same share, whatever its own database has by now.
mv 2.db again.db; share 2/3 --db again.db; names again.db
# More machines than problems: what has nothing to do is no failure, and says so.
share 7/9 --db none.db; grep -o 'share 7/9.*' said; sqlite3 none.db "select number, count, problems, all_problems, outcome, (select count(*) from run) from share"
# Once there are times the longest go first: one share has the problem that took as long as all others.
sqlite3 all.db "update run set ended_ms = started_ms + iif((select name from problem p where p.id = problem_id) = 'rung.N700', 4000, 1000)"
cp all.db before.db; chmod a-w all.db
for k in 1 2; do share $k/2 --with all.db --db with-$k.db; names with-$k.db; done
sqlite3 with-1.db 'select length(history) from share'; cmp all.db before.db; ls all.db*
# A file of a folder that cannot be tuned is one share's to say.
mkdir folder; cp -r axpy axpy.json folder; echo '{"asctune": 1, "name": "bad"}' >folder/bad.json
for k in 1 2; do asctune run folder --device cpu --cache hot --budget 1 --shard $k/2 --db bad-$k.db >/dev/null 2>said; echo "exit $?"; grep -o '^asctune: .*faults' said; sqlite3 bad-$k.db 'select outcome from share'; done; rm bad-*.db
# What cannot be.
for place in 0/4 5/4 1/0 x auto; do run run axpy.json --device cpu --shard $place --db bad.db; done
CI_NODE_INDEX=1 CI_NODE_TOTAL=4 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 run run axpy.json --device cpu --shard auto --db bad.db
run run axpy.json --device cpu --shard 1/2 --confirm --db bad.db
run run axpy.json --device cpu --shard 1/2 --config BLOCK=64 --db bad.db
run run axpy.json --device cpu --shard 1/2 --problem rong --db bad.db
run run axpy.json --device cpu --shard 1/2 --with missing.db --db bad.db
chmod u+w all.db; cp all.db busy.db; echo pending >busy.db-wal
run run axpy.json --device cpu --shard 1/2 --with busy.db --db bad.db
head -c 20000 all.db >torn.db; : >empty.db; ln -s all.db link.db
run run axpy.json --device cpu --shard 1/2 --with torn.db --db bad.db
run run axpy.json --device cpu --shard 1/2 --with empty.db --db bad.db
run run axpy.json --device cpu --shard 1/2 --with . --db bad.db
run run axpy.json --device cpu --shard 1/2 --with link.db --db all.db
run run axpy.json --device cpu --shard 1/2 --with all.db --no-history --db bad.db
sqlite3 all.db 'pragma user_version = 99'; asctune run axpy.json --device cpu --shard 1/2 --with all.db --db bad.db 2>&1 | sed 's/knows [0-9]*/knows N/'
ls bad.db 2>&1
