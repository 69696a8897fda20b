# Databases of two machines become one: each thing once, in whatever order; what cannot be merged leaves the other as it was.
# covers: cmd_merge.c merge.c
for machine in a b; do
	asctune run --device cpu --budget 2 --cache hot --db $machine.db "$WORKLOADS/axpy.json" --problem small >/dev/null 2>&1
done
asctune run --device cpu --budget 2 --cache cold --db b.db "$WORKLOADS/axpy.json" >/dev/null 2>&1
sqlite3 b.db "update device set fingerprint = 'another', model = 'another |\`</script>'"
said() { # what best and track print, but for the numbers of rows
	asctune best --db "$1" --json | sed -E 's/"(run|trial)_id":[0-9]+/"\1_id":N/g'
	asctune track --all --db "$1"
}
trials() { sed -E 's/[0-9]+ trials/N trials/; s/"trials":[1-9][0-9]*/"trials":N/'; }
run merge a.db b.db --db ab.db | trials
run merge b.db a.db --db ba.db --json | trials
said ab.db >ab; said ba.db >ba
[ -s ab ] && diff ab ba && echo same
run merge a.db b.db ba.db --db ab.db
said ab.db | diff ab - && echo same
# Simulated results stay simulated.
asctune export t4 --db a.db -o out >/dev/null 2>&1
asctune import out/*.json --db s.db 2>/dev/null
run merge s.db --db ab.db | trials
said ab.db | diff ab - && echo same
# What cannot be.
run merge ab.db --db ab.db
ln -s ab.db other.db; run merge other.db --db ab.db
run merge missing.db --db new.db
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
run merge a.db text.db --db ab.db
# What was merged before a file that cannot be has its answers; a policy that cannot be read costs those to its own results.
run merge b.db text.db --db half.db | trials; sqlite3 half.db 'select count(*) > 0 from best union all select count(*) from stale'
cp a.db policy.db; sqlite3 policy.db "delete from final; update run set policy_json = '{', sure = null, decided = null"
run merge policy.db b.db --db odd.db 2>&1 | trials | sed 's/run [0-9]* /run N /'; sqlite3 odd.db 'select count(*) > 0 from best union all select count(*) from stale'
# The others of a fleet are merged, wherever the one stands that was killed before it had a table.
: >empty.db; run merge empty.db a.db missing.db b.db text.db --db rest.db 2>&1 | trials
said rest.db | diff ab - && echo same
name=$(printf 'a\nb\033[31m.db'); cp a.db "$name"; run merge "$name" --db name.db | trials
run merge text.db --db new.db
cp b.db newer.db; sqlite3 newer.db 'pragma user_version = 99'
run merge newer.db --db new.db 2>&1 | sed 's/knows [0-9]*/knows N/'
ls new.db 2>&1
run merge
