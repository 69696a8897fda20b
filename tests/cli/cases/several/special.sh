# What is no file is refused as a database at once, by every command: exit status 2.
# covers: db.c
mkfifo pipe
mkdir folder
asctune run "$WORKLOADS/faults.json" --device cpu --impl wrong --budget 1 --db d.db >/dev/null 2>&1
try() { # COMMAND...: `run`, which must end by itself
	timeout -k 1 20 asctune "$@"
	echo "exit $?"
}
for name in pipe folder /dev/null; do
	echo "- $name"
	for command in best 'best --watch=0.1' report track 'export json' "runs $WORKLOADS/faults.json" 'merge d.db' "run $WORKLOADS/faults.json --device cpu --budget 1"; do
		try $command --db $name
	done
done
echo '- merged from'
try merge pipe --db d.db
echo '- beside a database'
for log in wal shm journal; do
	mkfifo d.db-$log
	try best --db d.db
	rm -f d.db-$log
done
