# asctune show: everything recorded about a trial, a run, a problem. The values are this machine's: names of fields are compared, and what is the same everywhere.
# covers: cmd_show.c show_text.c
asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --cache hot --budget 3 --db s.db >/dev/null 2>&1
asctune run "$WORKLOADS/axpy.json" --device cpu --problem large --cache hot --config BLOCK=1024 --db s.db >/dev/null 2>&1
sqlite3 s.db "delete from reading; delete from profile" # of which show_profile tells
names() { # without what depends on the moment
	sed -E 's/^  ([a-z0-9]+( [a-z0-9]+)*)  .*/  \1/; s/on cpu.*/on cpu/; s/reproduce [0-9]+/reproduce N/; s/^ *([A-Z]+)  *.*/\1 .../' |
		sed '/^profile/,/^again/{/^again/!d}' | grep -vE '^ +[0-9]|^axpy/|^  (noise|low|high)$'
}
known() { grep -E "^  ($1)  "; }
echo '- a trial'
last=$(sqlite3 s.db 'select max(id) from trial')
asctune show "$last" --db s.db >trial; echo "exit $?"
names <trial
known 'workload|problem|implementation|config key|status|sources' <trial
echo '- one that failed'
asctune run "$WORKLOADS/faults.json" --device cpu --cache hot --db s.db --impl segfault >/dev/null 2>&1
asctune show $((last + 1)) --db s.db >trial
known 'implementation|status|phase|reason' <trial
grep '^again' trial
sqlite3 s.db "update run set cache_policy = 'tepid' where id = (select max(id) from run)"
asctune show $((last + 1)) --db s.db | grep -c '^again' # what is not known is not repeated
echo '- a run'
asctune show run 1 --db s.db | names
sqlite3 s.db "update run set noise_pct = 1.5 where id = 1"
asctune show run 1 --db s.db | known noise
echo '- a problem'
asctune show axpy/small --db s.db | names
asctune show small --db s.db | grep -c '^best$'
echo '- for programs'
for what in "$last" 'run 1' small; do asctune show $what --db s.db --json | grep -c '"run_id":[0-9]'; done
asctune show "$last" --db s.db --json | grep -oE '"samples_ns":\[[0-9]|"result":\{"status":"[a-z]*"' | sed 's/\[[0-9]$/[NS/'
echo '- what there is not'
run show 99 --db s.db
run show run 99 --db s.db
run show run x --db s.db
run show tiny --db s.db
run show other/small --db s.db
run show --db s.db
run show '' --db s.db
run show 1 2 --db s.db
run show 1 --db missing.db
echo '- names that would speak to a terminal'
sqlite3 s.db "update problem set name = 'a' || char(27) || '[31mb' where name = 'small'; update implementation set toolchain = 'cc' || char(7)"
asctune show 1 --db s.db | grep -E '^(trial|  problem  |  toolchain)' | sed 's/  */ /g'
