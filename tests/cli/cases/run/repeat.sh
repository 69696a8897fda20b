# What failed says which configuration it was, why, in full where this is no terminal, and the command that repeats it; the command does.
# covers: run_answer.c repeat.c
cp -r "$WORKLOADS/faults" "$WORKLOADS/faults.json" .
mkdir "a b" && mv faults faults.json "a b"
export ASCTUNE_DB="$PWD/r.db"
for name in wrong segfault sleep; do
	asctune run "a b/faults.json" -D cpu --cache hot --limit 1500ms --impl $name --budget 1 2>/dev/null >out
	sed -n '/^  [a-z_]* *'$name': /p; /repeat/p' out
	sed -n 's/^ *repeat: //p' out >command
	sh command >again 2>/dev/null; echo "exit $?"
	grep '^  result' again
done
# on a terminal the reason is broken between words, nothing of it is lost
terminal -c 60 asctune run "a b/faults.json" -D cpu --cache hot --impl wrong --budget 1 >screen
sed -n "/^  wrong/,/allowed/p" screen
