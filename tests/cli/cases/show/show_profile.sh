# Profiles that are recorded: shown with the answer, a trial and a run, and exported.
# covers: cmd_show.c cmd_best.c profile_text.c profile_json.c
sqlite3 p.db <"$ROOT/tests/data/golden/schema-26.sql"
profile() { sed -n '/^profile/,$p' | sed '/^again/d'; }
echo '- best: the one with counters, of a later run that measured no time'
run best --db p.db
asctune best --db p.db --json | grep -o '"profile":{.*"trials"'
asctune export json --db p.db -o out >/dev/null && grep -o '"profile":{.*"trials"' out/best.json
echo '- its trial, and one without'
asctune show 7 --db p.db | profile
asctune show 7 --db p.db --json | grep -o '"profile":.*'
asctune show 6 --db p.db | profile
asctune show 6 --db p.db --json | grep -c '"profile":'
echo '- runs: what each found out'
asctune show run 2 --db p.db | profile
asctune show run 5 --db p.db | profile
asctune show run 5 --db p.db --json | grep -o '"profiles":\[.*\]'
asctune show run 1 --db p.db --json | grep -o '"profiles":\[.*\]'
echo '- a label of a later version, names for a terminal'
sqlite3 p.db "update profile set label = 'haste', basis = 'guess', sentence = 'a' || char(27) || '[31mb'"
asctune show 7 --db p.db | profile
asctune best --db p.db | tail -n 1
