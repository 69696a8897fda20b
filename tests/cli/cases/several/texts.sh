# Values of parameters may be texts: macros of the compiler, compared in conditions, recorded, exported and imported.
# covers: value.c
mkdir -p w/axpy; cp "$WORKLOADS/axpy/reference.c" w/axpy
sed 's/out\[i\] = .*/out[i] = (float)((ACC)alpha * x[i] + y[i]);/' "$WORKLOADS/axpy/kernel.c" >w/axpy/kernel.c
sed -e 's/"UNROLL": \[1, 2, 4\]/"UNROLL": [1], "ACC": {"values": ["float", "long double"], "default": "long double"}/' \
	-e "s/\"BLOCK >= 64 \* UNROLL\"/\"ACC != 'float' or BLOCK == 64\"/" "$WORKLOADS/axpy.json" >w/axpy.json
run space w/axpy.json --problem small --list
run space w/axpy.json --problem small --explain 'BLOCK=256,UNROLL=1,ACC=float,THREADS=1'
run space w/axpy.json --problem small --explain 'BLOCK=256,UNROLL=1,ACC=half,THREADS=1'
asctune run w/axpy.json -D cpu -p small --budget all --repeats 3 --db a.db --json 2>/dev/null | grep -c '"ACC":"long double".*"status":"ok"'
asctune run w/axpy.json -D cpu -p small --budget all --repeats 3 --db a.db --resume --json 2>/dev/null | grep -c '"resumed":true'
asctune run w/axpy.json -D cpu -p small --repeats 3 --config 'ACC=float,BLOCK=64' --db b.db 2>&1 | grep -o "'*-DACC=[^ ]*"
asctune best --db a.db --json | grep -c 'ACC=[a-z ]*'
asctune export t4 --db a.db -o out 2>/dev/null
run import out/*_T4.json --db c.db 2>&1 | sed 's/out[^:]*:/FILE:/'
asctune export csv --simulated --db c.db -o out 2>/dev/null; grep -o 'ACC"*:"*[a-z ]*' out/trials.csv | sort | uniq -c
asctune report --db a.db -o r.html 2>/dev/null; grep -c 'long double' r.html | sed 's/[1-9][0-9]*/several/'
run replay out/*_T4.json --strategy exhaustive --runs 1 --json | grep -o '"configurations":[0-9]*,"valid":[0-9]*'
run export t1 w/axpy.json -D cpu -p small -o t1
grep -o '"Name":"ACC"[^}]*' t1/*.json
run space t1/*.json --list
