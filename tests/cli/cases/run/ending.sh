# The end of a run for people: why trials failed, what became of the default, and an early end.
# covers: run_answer.c
faults="$WORKLOADS/faults.json"
asctune run "$faults" --device cpu --problem all --impl wrong --budget 3 --db e.db 2>/dev/null | sed -n 's/ 1st.*//; /configurations:/s/; .*//; /configurations:/p; /usable/p; /^  wrong/p'
asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --budget 1 --db e.db 2>/dev/null | grep -o 'the default is .*'
asctune run "$WORKLOADS/axpy.json" --device cpu --problem small --budget 1 --db e.db 2>&1 >/dev/null | grep -c 'cpu: '
# SIGHUP ends a run as SIGINT does, unless it is ignored, as nohup's children have it
env --default-signal=HUP asctune run "$faults" --device cpu --problem all --impl sleep --limit 60s --budget 3 --db e.db >out 2>err & pid=$!
while ! grep -qs configurations err; do sleep 0.05; done
kill -HUP $pid
wait $pid
echo "exit $?"
grep -o 'interrupted' out
grep -o 'nothing was tried' out
