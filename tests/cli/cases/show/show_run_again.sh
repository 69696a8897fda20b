# The best of a run that an earlier run tried: the command that measures again is of that configuration, and of no other finalist.
# covers: cmd_show.c query_run.c
for night in 1 2; do
	asctune run "$WORKLOADS/axpy.json" --problem small --device cpu --cache hot --strategy random --budget 3 --no-history --db r.db >/dev/null 2>&1
done
best="(select config_key from final where run_id = 2 and winner)"
sqlite3 r.db "delete from trial where run_id = 2 and config_key = $best"
trial=$(asctune show run 2 --db r.db | sed -n 's/^again: .* reproduce \([0-9]*\) .*/\1/p')
sqlite3 r.db "select 'run ' || run_id, config_key = $best from trial where id = $trial"
asctune show run 2 --db r.db --json | sed 's/.*"finals":\[{"trial_id":\([0-9]*\),.*/trial \1 of run 2/'
