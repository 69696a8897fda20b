# One answer: the end of a run, what goes on where it ended, `best`, the exports and the page name the same configuration and time.
# covers: run_answer.c answer_row.c
axpy="$WORKLOADS/axpy.json"
of_run() { sed -n 's/.*"type":"summary".*"best":{"implementation":"\([^"]*\)","config":{[^}]*},"config_key":"\([^"]*\)","median_ns":\([0-9.]*\),.*"sure":"\([^"]*\)".*/\1 \2 \3 \4/p'; }
of_best() { sed -n 's/.*"implementation":"\([^"]*\)".*"config_key":"\([^"]*\)".*"median_ns":\([0-9.]*\),.*"sure":"\([^"]*\)".*/\1 \2 \3 \4/p'; }
compare() { # what the run said, against all others
	asctune best --db a.db --json | of_best | diff ran - && echo "best: the same"
	asctune export json --db a.db -o e >/dev/null && grep '"workload"' e/best.json | of_best | diff ran - && echo "export: the same"
	asctune report --db a.db -o a.html >/dev/null 2>&1
	printf '%s %.9g\n' "$(cut -d' ' -f2 ran)" "$(cut -d' ' -f3 ran)" >wanted
	{
		sed 's/<[^>]*>//g' a.html | sed -nE 's/.*Use it: ([^ ]*)( or as macros .*)?$/\1/p'
		sed -n '/id="best-all"/,/<\/table>/p' a.html | grep -o 'data-v="[0-9.e+]*' | head -1 | cut -c9-
	} | paste -sd' ' | diff wanted - && echo "report: the same"
	asctune run "$axpy" --device cpu --resume --budget 1 --db a.db --json 2>/dev/null | of_run | diff ran - && echo "run --resume: the same"
}
asctune run "$axpy" --device cpu --budget 6 --db a.db --json 2>/dev/null | of_run >ran
grep -c 'loop BLOCK=[0-9]*,THREADS=[12],UNROLL=[0-9] [0-9.]* [a-z]' ran
compare
# a smaller run, with another seed, does not speak for itself
asctune run "$axpy" --device cpu --budget 2 --seed 2 --db a.db --json 2>/dev/null | of_run >ran
compare
# what became wrong is withdrawn
winner=$(sqlite3 a.db "SELECT trial_id FROM best")
sqlite3 a.db "CREATE TEMP TABLE again AS SELECT * FROM trial WHERE id = $winner; UPDATE again SET id = (SELECT max(id) + 1 FROM trial),
	recorded_ms = recorded_ms + 1000000, status = 'wrong'; INSERT INTO trial SELECT * FROM again"
before=$(cut -d' ' -f2 ran)
asctune best --db a.db --json | of_best | grep -c "$before"
# of several defaults (the workload was edited) all mean the one that was recorded last
asctune run "$axpy" --device cpu --budget 4 --db d.db >/dev/null 2>&1
sqlite3 d.db "UPDATE trial SET is_default = 1, recorded_ms = recorded_ms - 5000 + 5000 * (config_key = (SELECT config_key FROM final WHERE winner))"
asctune best --db d.db --json | sed -n 's/.*"default_key":"\([^"]*\)".*/\1/p' >ours
asctune run "$axpy" --device cpu --resume --budget 4 --db d.db --json 2>/dev/null | sed -n 's/.*"default":{"implementation":"loop","config":{[^}]*},"config_key":"\([^"]*\)".*/\1/p' >theirs
[ -s ours ] && diff ours theirs && echo "default: the same"
# one configuration that passed is compared with none, whatever else was tried or is still to be
asctune run "$WORKLOADS/faults.json" -D cpu -p small -b 4 --cache hot --limit 200ms --db one.db 2>/dev/null | grep -o 'not compared.*\|undecided.*\|clear winner.*'
asctune best --db one.db | grep -o 'not compared.*\|undecided.*\|clear winner.*'
asctune show small --db one.db | grep -o 'not compared\|undecided\|clear winner'
asctune report --db one.db -o one.html 2>/dev/null; grep -o '>not compared<\|>undecided[^<]*<\|>clear winner<' one.html | sort -u
# answers to another problem that cannot be worked out are a warning, and one is enough
sqlite3 d.db "UPDATE run SET policy_json = '{', sure = NULL, decided = NULL; DELETE FROM final"
asctune run "$WORKLOADS/rounding.json" -D cpu -b 3 --db d.db 2>&1 | grep -c 'answers are not kept: .* the policy of run'
