# Finals that time ran out before rank nothing: all outputs say so, and have the command with more time.
# covers: finals.c run_answer.c
mkdir slow && cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" slow
sed -i 's/#include <stdint.h>/&\n#include <time.h>/; s/const int64_t first/if (block_x == 0)\n\t\tnanosleep(\&(struct timespec){0, NAP}, 0);\n\t&/' slow/axpy/kernel.c
sed -i 's/NAP/400000000/' slow/axpy/kernel.c
tune() { asctune run slow/axpy.json --device cpu --impl loop --problem small --db u.db "$@" 2>err; }
words() { grep -o 'not compared: time[a-z ]*' | sed 's/  .*//' | sort -u; }
command() { tr -d '\\\n' | grep -o 'asctune run [^<]*-b [^<]*' | sed 's/  */ /g; s/ asctune: .*//; s/ --db.*//; s|run /[^ ]*/slow|run slow|'; }
tune --budget 8s | tee text | words
grep -o 'finals: .*\|not compared: time.*' err
sed -n '/more time/,/[^\\]$/p' text | command
asctune best --db u.db | tee best | words
command <best
asctune best --db u.db --json | words
asctune show run 1 --db u.db | words
asctune show small --db u.db | words
asctune report --db u.db -o u.html 2>/dev/null
words <u.html
grep -o 'Give it more time' u.html
grep -c 'when the machine is quiet' u.html
