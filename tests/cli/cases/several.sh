# Several problems: how many and how long at most, which one it is, where the results are and what is next; options given twice.
mkdir all && cp -r "$WORKLOADS/axpy" all
sed -e 's/.*"name": "small".*/{"name": "one", "dims": {"N": 1000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "two", "dims": {"N": 2000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "three", "dims": {"N": 3000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},/' \
	-e 's/.*"implementations": \[.*/&\
	{"name": "fast", "devices": ["cpu"], "builder": "vendor", "source": "openblas:axpy", "entry": "axpy", "arguments": [{"tensor": "out"}]},/' \
	"$WORKLOADS/axpy.json" >all/axpy.json
file=all/axpy.json
say() { sed -n 's/^cpu: .*; 2 trials/cpu: 2 trials/p; s/\(axpy.[a-z]*\): [0-9]* conf.*/\1/p; /^asctune:/p; /results/p; /^left out/p'; }
asctune run $file -D cpu -b 2 2>&1 >/dev/null | say
asctune run $file -D cpu -b 2 -p three -p one --db 'my results.db' 2>&1 >/dev/null | say
asctune run $file -D cpu -b 1 -p large 2>&1 >/dev/null | sed -n '/warning/p'
run run $file -D cpu -p one -p tow
run run $file -D cpu -b 1 -b 2
run space $file -D cpu -p one -p three --impl loop --json | sed 's/.*"problem":"\([a-z]*\)".*/\1/'
run track --series a --series b
