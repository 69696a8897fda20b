# What crashes, hangs or goes wrong in the finals is not the answer of anybody, and the others are measured without it.
# covers: finals.c worker_finals.c
export FINALS_MARK="$PWD/mark" ASCTUNE_PASS_ENV=FINALS_MARK # kernels get no other variable of their own
asctune run --trust "$WORKLOADS/finals.json" --device cpu --strategy exhaustive --budget all --limit 1s --db finals.db >lines 2>err
echo "exit $?"
sed -n 's/^  \(own  FAULT=0\).*/\1/p' lines
sqlite3 finals.db "select config_key, status, substr(reason, 1, 60) from trial where status <> 'ok' and status <> 'slow' and status <> 'undecided' order by config_key, id" | sed 's/in 1 of [0-9]* /in 1 of N /'
asctune best --db finals.db --json | grep -o 'FAULT[^,]*,' | sort -u
# All outputs say the same: of trials that have another status in the end, the last line counts.
counts() { grep -o '[a-z_]*":[0-9]*\|[0-9][0-9]* [a-z]*' | sed 's/\(.*\)":\(.*\)/\2 \1/' | sort; }
sed -n 's/; .*//; s/^  .* configurations: *//p' lines | counts >text
asctune show run 1 --db finals.db | sed -n 's/^  statuses//p' | counts >shown
sqlite3 finals.db 'select distinct config_key from trial' | wc -l
asctune show run 1 --db finals.db | sed -n 's/^  trials *//p'
cmp text shown && echo same
rm -f mark
asctune run --trust "$WORKLOADS/finals.json" --device cpu --strategy exhaustive --budget all --limit 1s --db json.db --json 2>err >lines
sed -n 's/.*"statuses":{\([^}]*\)}.*/\1/p' lines | counts >summary
sed -n 's/.*"type":"trial".*"config":{\([^}]*\)}.*"status":"\([a-z]*\)".*/\1 \2/p' lines | tac | sort -u -s -k1,1 | sed 's/.* //' | sort | uniq -c | sed 's/^ *//' | sort >last
cmp summary last && echo same
# How noisy the ratios are stands behind the configuration, the words alone in the column.
sqlite3 finals.db "update run set sure = 'too noisy to rank', noise_pct = 16.2"
asctune best --db finals.db | grep -o '  undecided.*\|; ratios .*'
asctune best --db finals.db | sed -n '/once more/,$p'
