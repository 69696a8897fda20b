# Commands that are printed begin as the program was started, so that they run where they are pasted: by a path, by a script, from PATH.
# covers: repeat.c shell.c
mkdir 'my tools'; ln -s "$(command -v asctune)" 'my tools/asctune'
'./my tools/asctune' init a --lang c >out; cat out
eval "$(sed -n 's/^next: \(.*check-workload.*\)/\1/p' out)"; echo "exit $?"
'./my tools/asctune' list gadgets; './my tools/asctune' export nothing
sqlite3 r.db <"$ROOT/tests/data/golden/schema-16.sql"; golden 16 new.db
'./my tools/asctune' best --db r.db; './my tools/asctune' show 1 --db new.db | grep ^again
./my\ tools/asctune report --db new.db -o r.html >/dev/null 2>&1; grep -o "[^ ]*my tools/asctune[^ ]* report" r.html
mkdir -p tree/ci tree/build/dev; cp "$ROOT/ci/asctune" tree/ci; for step in setup build; do printf '#!/bin/sh\n' >tree/ci/$step; chmod +x tree/ci/$step; done
ln -s "$(command -v asctune)" tree/build/dev
tree/ci/asctune show 1 --db new.db | grep ^again
# what says which devices there are: the first line of a run, and an error
'./my tools/asctune' run "$WORKLOADS/axpy.json" -p small --budget 1 --db first.db 2>&1 | grep -o 'not here; see [^)]*'
'./my tools/asctune' runs "$WORKLOADS/axpy.json" --device nothing --db new.db
tree/ci/asctune rnu; tree/ci/asctune what
asctune what
