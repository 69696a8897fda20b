# asctune run --confirm: a kernel that became slower is confirmed, one that only a planted history calls slower is not, one without its artifact is not
# judged. Two real runs are the patterns; the nights around them are made of their rows.
# covers: run_confirm.c run_session.c measure_again.c
ASCTUNE_CACHE_DIR="$PWD/cache"; export ASCTUNE_CACHE_DIR
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
tune() { asctune run axpy.json --device cpu --budget 1 --cache hot --problem small --db "$1" >/dev/null 2>&1; }
night() { # DB PATTERN DAY NS: one more run like number PATTERN
	sqlite3 "$1" "create temp table r as select * from run where id = $2;
		update r set id = null, uid = randomblob(16), started_ms = $3 * 86400000, steady_json = null, simulated = 0;
		insert into run select * from r;
		create temp table t as select * from trial where run_id = $2;
		update t set id = null, run_id = (select max(id) from run), median_ns = $4, cached = 1;
		insert into trial select * from t;
		insert into run_implementation select (select max(id) from run), implementation_id from run_implementation where run_id = $2"
}
history() { # DB: twelve nights of the first run and three of the second, which takes twice as long
	for day in 1 2 3 4 5 6 7 8 9 10 11 12; do night "$1" 1 $day $((100000 + day * 7919 % 1000)); done
	for day in 13 14 15; do night "$1" 2 $day $((200000 + day * 7919 % 1000)); done
	sqlite3 "$1" 'update run set simulated = 1 where id <= 2'
}
plain() { sed -E 's/cpu: .* axpy/cpu: DEVICE axpy/; s/[+-]?[0-9]+\.[0-9]+/F/g; s/takes [^ ]+ [^ ]+ now/takes T now/; s/now, [0-9]+ us before/now, T before/; s/p = .*/p = F/'; }

tune slow.db
sed 's/^\t\tout.*/\t\tfor (int again = 0; again < 20; again++) {\n&\n\t\t__asm__ volatile("" ::: "memory"); }/' "$WORKLOADS/axpy/kernel.c" >axpy/kernel.c
tune slow.db
history slow.db
run track --db slow.db 2>&1 | plain
run run axpy.json --device cpu --db slow.db --confirm 2>/dev/null | plain
sqlite3 slow.db "select figure, kind, ratio > 2, note like 're-measured%' from verdict join series on series.id = series_id"
run track --db slow.db --markdown summary.md --junit junit.xml 2>&1 | plain
plain <summary.md
grep -o 'failure type="[a-z]*"' junit.xml
asctune track --db slow.db --json | grep -o '"state":"[a-z]*"'
run run axpy.json --device cpu --db slow.db --confirm 2>/dev/null
name=$(asctune track --db slow.db 2>/dev/null | sed -n '2s/^slower  *\(.*\)  [0-9]* runs*.*$/\1/p')
asctune track ack "$name" --reason known --db slow.db 2>&1 | plain | sed "s|until .*|until DAY|"
run track --db slow.db 2>&1 | plain

cp "$WORKLOADS/axpy/kernel.c" axpy/kernel.c
tune same.db
echo '/* edited */' >>axpy/kernel.c
tune same.db
history same.db
cp same.db gone.db
run run axpy.json --device cpu --db same.db --confirm 2>/dev/null | plain | sed 's/within .*/within/'
run track --db same.db 2>&1 | plain | sed 's/within .*/within/'
asctune track --db same.db --json | grep -o '"state":"[a-z ]*"'
night same.db 2 20000 200500
sqlite3 same.db 'update run set started_ms = 4102444800000 where started_ms = 20000 * 86400000' # a night later
run track --db same.db 2>&1 | plain

artifact=$(sqlite3 gone.db 'select artifact from trial where run_id = 1')
rm cache/artifacts/*/"$artifact".so
run run axpy.json --device cpu --db gone.db --confirm 2>/dev/null | plain | sed 's/be rebuilt: .*/be rebuilt: WHY/'
sqlite3 gone.db "delete from verdict; update trial set implementation_id = (select min(id) from implementation);
	update or ignore run_implementation set implementation_id = (select min(id) from implementation)" # the source did not change
run run axpy.json --device cpu --db gone.db --confirm 2>/dev/null | plain
run track --db gone.db 2>&1 | plain
run track --db gone.db --strict 2>&1 | plain | tail -1
sqlite3 gone.db "delete from verdict; update trial set artifact = '../../../../../../../cache/../ab'" # names no file of the cache
run run axpy.json --device cpu --db gone.db --confirm 2>/dev/null | plain | sed 's/.*; //'
sqlite3 gone.db "delete from verdict; update run set cache_policy = 'tepid'"
run run axpy.json --device cpu --db gone.db --confirm 2>/dev/null | plain | sed 's/.*; //'
sqlite3 gone.db "update run set cache_policy = 'hot'"
sed -i 's/"BLOCK": {"values": \[64, 256, 1024\], "default": 256}/"BLOCK": {"values": [64, 1024], "default": 64}/' axpy.json
sqlite3 gone.db 'delete from verdict'
run run axpy.json --device cpu --db gone.db --confirm 2>/dev/null | plain
run run axpy.json --device cpu --db gone.db --confirm --problem large
run run axpy.json --device cpu --db gone.db --confirm --resume
run run axpy.json --device cpu --db missing.db --confirm
