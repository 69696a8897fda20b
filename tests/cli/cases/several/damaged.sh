# One strange row of a database that comes from elsewhere costs what stands in it, never the whole answer.
# covers: best.c
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --db good.db >/dev/null 2>&1; echo "exit $?"
try() { # WHAT SQL
	echo "- $1"
	cp good.db from.db
	rm -f d.db*
	sqlite3 from.db "$2"
	asctune merge from.db --db d.db >/dev/null; echo "exit $?"
	rm -rf out d.html
	for command in 'report -o d.html' best 'best --json' 'export json -o out' 'export csv -o out' 'export t4 -o out' track "run $WORKLOADS/axpy.json --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --resume"; do
		asctune $command --db d.db >/dev/null 2>err || { echo "$command: exit $?"; grep asctune: err; }
		sed -n 's/trial [0-9]*/trial N/; s/^asctune: warning: //p' err
	done
	grep -q '</html>' d.html || echo "no page"
}
metric() { # NAME UNIT VALUE: of each trial
	echo "insert into metric_name(probe, name, unit) values('own', $1, $2);
	      insert into metric select t.id, (select max(id) from metric_name), $3 from trial t"
}
long=$(printf '%0200d' 0 | tr 0 n)
try 'a long name' "$(metric "'$long'" "'u'" 1)"
grep -o '<bdi>nn*\.\.\.' d.html | head -1
try 'a long unit, of three bytes a character' "$(metric "'n'" "replace('$long', 'n', '€')" 1)"
grep -o '<bdi>€€*\.\.\.' d.html | head -1
try 'a script' "$(metric "'<script>alert(1)</script>'" "'<script>alert(1)</script>'" 1)"
grep -c '<script>alert' d.html
try 'bytes that are no text' "$(metric "cast(x'ff80c3' as text)" "cast(x'c3' as text)" 1)"
try 'no number' "$(metric "'n'" "'u'" 9e999)"
asctune best --json --db d.db 2>/dev/null | grep -o '"own.n":[^,}]*'
try 'a name of an implementation' "update implementation set name = cast(x'42ff' as text)"
try 'a fast implementation that the workload has no more' "update implementation set name = 'gone'; update trial set median_ns = median_ns / 100"
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --resume --db d.db 2>&1 | grep -o '^  gone'
