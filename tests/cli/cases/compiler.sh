# Without a compiler there is nothing to measure with: exit status 3. The first line names this machine and is left out here.
mkdir empty
CC=/no/such/compiler asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; tail -n +2 err
program=$(command -v asctune)
PATH="$PWD/empty" "$program" run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; tail -n +2 err
