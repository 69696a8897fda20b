# Several problems: how many and how long at most, which one it is, where the results are and what is next; options given twice.
# covers: target.c run_show.c run_facts.c
mkdir all && cp -r "$WORKLOADS/axpy" all
sed -e 's/.*"name": "small".*/{"name": "one", "dims": {"N": 1000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "two", "dims": {"N": 2000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "three", "dims": {"N": 3000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},/' \
	-e 's/.*"implementations": \[.*/&\
	{"name": "fast", "devices": ["cpu"], "builder": "vendor", "source": "openblas:axpy", "entry": "axpy", "arguments": [{"tensor": "out"}]},/' \
	"$WORKLOADS/axpy.json" >all/axpy.json
file=all/axpy.json
say() { sed -n 's/^cpu: .*; 2 trials/cpu: 2 trials/p; s/\(axpy.[a-z]*\): [0-9]* valid conf.*/\1/p; /^asctune:/p; /results/p; /^left out/p'; }
asctune run $file -D cpu -b 2 2>&1 >/dev/null | say
asctune run $file -D cpu -b 2 -p three -p one --db 'my results.db' 2>&1 >/dev/null | say
asctune run $file -D cpu -b 1 -p large 2>&1 >/dev/null | sed -n '/warning/p'
run run $file -D cpu -p one -p tow
run run $file -D cpu -b 1 -b 2
run space $file -D cpu -p one -p three --impl loop --json | sed 's/.*"problem":"\([a-z]*\)".*/\1/'
run track --series a --series b
sqlite3 asctune.db "update problem set name = replace(replace(replace(name, 'one', 'p10'), 'two', 'p9'), 'three', 'p1')"
asctune best | sed -n 's/^\(axpy[^ ]*\) .*/\1/p'
# Ties that are not listed, and a run in which nothing passes: the commands name the database, and have something to show.
mkdir same && cp -r "$WORKLOADS/axpy" same
sed -e 's/"BLOCK": {.*}/"BLOCK": {"values": [64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024], "default": 256}/; s/"UNROLL": .*/"UNROLL": [1],/; s/\[1, 2\], "default": 1/[1], "default": 1/' \
	"$WORKLOADS/axpy.json" >same/axpy.json
sed -i 's/^#include <stdint.h>/#include <time.h>\n&/; s/^	const int64_t first = /	if (block_x == 0)\n		nanosleep(\&(struct timespec){.tv_nsec = 2000000}, 0);\n&/' same/axpy/kernel.c
asctune run same/axpy.json -D cpu -p small -b 16 --impl loop --db 'my ties.db' 2>/dev/null | sed -n 's/.* more: /more: /p'
asctune best --json --db 'my ties.db' | grep -o '"standing":"tied"' | wc -l | grep -cE '^(9|1[0-6])$'
asctune run "$WORKLOADS/faults.json" -D cpu --impl wrong -b 1 --db none.db 2>&1 >/dev/null | sed -n '/next/p'
run report --db none.db -o none.html 2>/dev/null
