# Launches of the answer and its ties are compared behind the finals: one that is wrong in 1 of 50 is not the answer, and the next best is.
# covers: repeats.c worker_finals.c finals.c record_trial.c workers.c
run() { asctune run --trust "$WORKLOADS/races.json" --device cpu "$@" 2>err; }
run --impl own --strategy exhaustive --budget all --db r.db >lines
echo "exit $?"
sed -n 's/^  \([a-z]*  FAULT=.\).*/\1/p' lines
wrong() { sed -n 's/in 1 of [1-9][0-9]* launches/in 1 of N launches/; s/with the inputs of seed [0-9]*: //; s/in a later launch: /in 1 of N launches: /; s/ instead of .*//; s/^  \(wrong .*\)/\1/p' "$@"; }
wrong lines
echo '- the best: bits that vary within the tolerance, launches compared; bits of all are those of set 0'
sqlite3 r.db "select config_key, compared >= 64, varied > compared / 5, varied < compared * 4 / 5, varied_abs > 0 from final where winner"
sqlite3 r.db "select count(distinct bits), min(length(bits)), max(length(bits)), max(varied) from final where config_key like 'FAULT=0%'"
echo '- one alone, so often'
run --impl alone --races 1000 --db alone.db | wrong
run --impl honest --races 100 --db alone.db >lines
sqlite3 alone.db "select compared between 100 and 300, varied from final order by run_id desc limit 1"
echo '- none: finals all the same, which verify one finalist on other sets of inputs'
run --impl honest --races 0 --db none.db >lines; echo "exit $?"
sqlite3 none.db "select compared, varied from final"
run --races -1 >lines; echo "exit $?"
head -n 1 err
echo '- what is said of it'
number() { sed 's/[1-9][0-9]* of [1-9][0-9]* launches/K of N launches/; s/ in [1-9][0-9]* launches/ in N launches/; s/[0-9a-f]\{32\}/BITS/; s/errors of [0-9.e-]*/errors of E/; s/[12] class[es]* among 4/K classes among 4/; s/, at [1-9][0-9]* places//'; }
asctune best --db r.db | grep -o '; bits .*' | number
asctune best --db r.db --json | grep -o '"bits":{"digest":"[0-9a-f]*","compared":[1-9][0-9]*,"varied":[1-9][0-9]*,"varied_abs":[0-9.e-]*,"sets":[1-3],"places":[1-9][0-9]*,"classes":[12]}' | wc -l
asctune show run 1 --db r.db | sed -n '/^ *bits/p' | number
asctune show run 1 --db r.db --json | grep -o '"bits":"[0-9a-f]*","compared":[1-9]' | wc -l
asctune show run 2 --db alone.db | sed -n '/^ *bits/p' | number
echo '- bits that vary in a workload that is deterministic; an answer with the bits of the default'
cp -r "$WORKLOADS/races" "$WORKLOADS/faults" .
sed 's/^{/{"deterministic": true,/' "$WORKLOADS/races.json" >strict.json
asctune run --trust strict.json --device cpu --impl own --strategy exhaustive --budget all --db strict.db 2>err >lines
sqlite3 strict.db "select config_key, status, reason from trial where config_key like 'FAULT=2%' order by id desc limit 1" | number
run --impl bits --strategy exhaustive --budget all --db bits.db >lines
sed -n 's/^  \([a-z]*  FAULT=.\).*/\1/p' lines
run --impl bits --strategy exhaustive --budget all --bits default --db same.db >lines
sed -n 's/^  \([a-z]*  FAULT=.\).*/\1/p' lines
sed -n 's/^asctune: //p' err
asctune best --db same.db --json | grep -o '"classes":1'
run --impl bits --repeats 2 --bits default >lines; echo "exit $?"; head -n 1 err
run --impl bits --bits mine >lines; echo "exit $?"; head -n 1 err
