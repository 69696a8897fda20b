# What crashes, hangs or goes wrong in the finals is not the answer of anybody, and the others are measured without it.
export FINALS_MARK="$PWD/mark"
asctune run --trust "$WORKLOADS/finals.json" --device cpu --strategy exhaustive --budget all --limit 1s --db finals.db >lines 2>err
echo "exit $?"
sed -n 's/^  best *\(own  FAULT=0\).*/\1/p' lines
sqlite3 finals.db "select config_key, status, substr(reason, 1, 60) from trial where status <> 'ok' and status <> 'slow' and status <> 'undecided' order by config_key, id"
asctune best --db finals.db --json | grep -o 'FAULT[^,]*,' | sort -u
