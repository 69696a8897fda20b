# Runs that another process makes, a line for each change: in text, and in JSON.
# covers: best_watch.c watch_board.c
asctune best --watch=0.1 --db w.db >text & text=$!
asctune best --watch=0.1 --db w.db --json >json & json=$!
seen() { # FILE PATTERN: within 60 s
	for i in $(seq 600); do grep -q "$2" "$1" && return; sleep 0.1; done
	echo "$1: nothing like $2"
}
seen text 'no such database'
asctune run "$WORKLOADS/faults.json" --device cpu --impl wrong --budget 1 --db w.db >/dev/null 2>&1
seen text done
seen json '"state":"done"'
kill -INT $text $json
wait $text
echo "exit $?"
wait $json
echo "exit $?"
sed -n '1p; $p' text | sed 's/on cpu: .*: done/on cpu: ...: done/'
sed -n '1p; $p' json | sed 's/"device":"[^"]*"/"device":"..."/; s/_ms":[0-9]*/_ms":.../g'
# The file goes and another one comes.
asctune best --watch=0.1 --db w.db >text & text=$!
seen text done
rm -f w.db*
seen text 'no such database'
echo nothing >w.db
seen text 'w.db: not a database'
rm w.db
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 1 --db w.db >/dev/null 2>&1
seen text 'axpy/small.*done'
kill -TERM $text
wait $text
echo "exit $?"
run best --watch=0 --db w.db
run best --watch=2h --db w.db
