# Without a compiler there is nothing to measure with: exit status 3. No database is left behind.
# covers: cc.c
mkdir empty
CC=/no/such/compiler asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; cat err; ls *.db 2>&1
program=$(command -v asctune)
unset CC # the machine may have set it
PATH="$PWD/empty" "$program" run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 3 --db c.db 2>err; echo "exit $?"; cat err; ls *.db 2>&1
# A compiler that is a script needs a place for its temporary files, when it is asked for its version too.
printf '#!/bin/sh\nfile=$(mktemp) || exit 9\nrm "$file"\nexec %s "$@"\n' "$(command -v cc)" >wrapper
chmod +x wrapper
CC="$PWD/wrapper" asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 1 --repeats 2 --db c.db >/dev/null 2>err; echo "exit $?"; grep -v '^cpu\|^axpy\|^ \|^results' err
