# Without a compiler there is nothing to measure with: exit status 3. No database is left behind.
mkdir empty
CC=/no/such/compiler asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; cat err; ls *.db 2>&1
program=$(command -v asctune)
unset CC # the machine may have set it
PATH="$PWD/empty" "$program" run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; cat err; ls *.db 2>&1
