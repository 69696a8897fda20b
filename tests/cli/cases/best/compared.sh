# One configuration alone was compared with nothing: no output calls it a winner.
# covers: cmd_best.c answer_row.c
tune() { asctune run "$WORKLOADS/axpy.json" --device cpu --impl loop --db c.db "$@"; }
tune --budget 1 2>/dev/null | grep -o 'not compared'
asctune best --db c.db | grep -c 'not compared'
asctune best --db c.db --json | grep -o '"sure":[^,]*'
tune --config BLOCK=64,UNROLL=1,THREADS=1 >/dev/null 2>&1
asctune best --db c.db --json | grep -o '"sure":[^,]*'
