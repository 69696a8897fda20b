# A limit on the size of files ends the run like a full disk: with a message, and what was printed is recorded.
# covers: db.c
tune() {
	asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 300 --problem all --strategy exhaustive --budget all --db limit.db --json "$@" >out 2>err
	echo "exit $?"
}
(ulimit -f 460; tune) # 230 KiB: the schema and some trials
grep asctune: err | sed 's/after [0-9]* trials/after N trials/'
printed=$(grep -c '"type":"trial"' out)
[ "$printed" -gt 0 ] || echo "nothing was recorded before"
sqlite3 limit.db "pragma integrity_check; select count(*) = $printed from trial"
tune --resume
[ "$(grep -c '"resumed":true' out)" = "$printed" ] || echo "something was lost"
# what is only asked for is written, or said not to be
(ulimit -f 0; run export json --db limit.db -o out.json)
# without gnuplot no pictures are drawn, and none are missed
command -v gnuplot >/dev/null || echo "asctune: warning: pictures are not drawn: cannot write ...: File too large; set TMPDIR to another folder"
(ulimit -f 0; run report --db limit.db -o report.html 2>&1 | sed "s/cannot write .*:/cannot write ...:/")
(ulimit -f 0; asctune best --db limit.db >best.txt; echo "exit $?")
ls -A | grep -v limit.db
