# asctune run --finals: after a merge, what may be the answer by all shares is compared in the same rounds, and nothing is searched.
# covers: run_known.c query_earlier.c cmd_run.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
for k in 1 2; do asctune run axpy.json --device cpu --cache hot --problem small --budget all --shard $k/2 --by configurations --db $k.db >/dev/null 2>said || cat said; done
asctune merge 1.db 2.db --db all.db >/dev/null
sqlite3 all.db "select count(*) from final; select count(*) from best"
asctune run axpy.json --device cpu --cache hot --problem small --finals --db all.db >out 2>said || { echo "exit $?"; cat said; }
sed -n 's/\(for the finals\).*/\1/p' said | sed 's/[0-9]* more configuration[s]*/N more/'
sqlite3 all.db "select strategy, outcome, decided is not null, share_id is null from run order by id desc limit 1"
# The default and the fastest of both shares took part; the answer rests on these finals, and is a night of the history.
sqlite3 all.db "select count(*) > 1 from final where run_id = 3; select count(*) from final f join trial t on t.run_id = 3 and t.config_key = f.config_key where t.is_default and f.run_id = 3;
	select count(*) from (select config_key from trial where run_id < 3 and status = 'ok' order by median_ns limit 1) join final f using (config_key) where f.run_id = 3;
	select final_run_id, sure <> '' from best"
asctune track --db all.db --all 2>&1 | grep -c 'axpy/small'; run runs axpy.json --device cpu --problem small --db all.db | sed 's/[0-9]* trials recorded, [0-9]* ok/N trials/'
# A contender that is clearly slower here leaves early, whatever a share has measured.
asctune merge 1.db 2.db --db slow.db >/dev/null
sqlite3 slow.db "update trial set status = 'ok', median_ns = (select min(median_ns) from trial where status = 'ok') where config_key like '%THREADS=2%'"
asctune run axpy.json --device cpu --cache hot --problem small --finals --db slow.db >out 2>said || { echo "exit $?"; cat said; }
sqlite3 slow.db "select sum(status = 'slow') > 0 from trial where run_id = 3"
# What it is not for, and what it has nothing of.
run run axpy.json --device cpu --finals --db missing.db; ls missing.db 2>&1
run run axpy.json --device cpu --cache cold --problem small --finals --db all.db 2>&1 | grep -o 'axpy/small: all.db has no result\|with cold caches\|exit .*'
run run axpy.json --device cpu --finals --resume --db all.db
run run axpy.json --device cpu --finals --shard 1/2 --db all.db
run run axpy.json --device cpu --finals --repeats 3 --db all.db
# A full disk is said, and not waited for.
mkdir small; full='asctune: small/all.db: no space left on its disk
exit 2'
unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small' 2>/dev/null && full=$(unshare -m sh -c 'mount -t tmpfs -o size=1m,mode=700 tmpfs small && cp all.db small && cat /dev/zero >small/rest 2>/dev/null
	timeout 60 asctune run axpy.json --device cpu --cache hot --problem small --finals --db small/all.db 2>&1; echo "exit $?"' | sed '/^cpu: /d')
echo "$full"
