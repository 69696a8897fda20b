# Sizes and types that the file does not name: tuned, recorded and found like any other problem; what cannot be is refused by name.
# covers: problem_sizes.c
cp -r "$WORKLOADS/axpy" .
sed -e 's/.*"name": "small".*/{"name": "small", "dims": {"N": 1000, "S": 3}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "steps", "dims": {"N": [8, 16], "S": 5}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},/' -e '/"name": "large"/d' \
	-e 's/{"scalar": 3,/{"scalar": "S",/' -e 's/"devices": \["cpu"\]},$/&/' -e 's/"entry": "axpy",/"entry": "axpy", "when": "N % 2 == 0",/' "$WORKLOADS/axpy.json" |
	sed -z 's/\["cpu"\]},\n *\]/["cpu"]}\n  ]/' >w.json
export ASCTUNE_DB="$PWD/r.db"
tune() { asctune run w.json -D cpu --cache hot --budget 2 --strategy random --seed 1 --json "$@" >out 2>err; echo "exit $?"; grep 'nothing can\|dims' err; grep -o '"type":"summary","workload":"axpy","problem":"[^"]*"' out; grep -o '"resumed":[0-9][0-9]*' out; }
echo '--- all sizes, several values'
tune --dims N=12,20,S=4
echo '--- again: taken from the record'
tune --dims N=12,S=4 --resume
echo '--- what is not given comes from the problem that is named; a size of the file is its problem'
tune --dims N=500,1000 -p small
echo '--- a ladder: its other sizes stay'
tune --dims S=2 -p steps
tune --dims N=16 -p steps
sqlite3 r.db 'select distinct name, dims_json from problem order by name'
asctune best 2>/dev/null | grep -o '^axpy/[^ ]*' | sort
asctune reproduce 1 2>/dev/null | sed -n 's/^trial 1: \([^ ]*\) .*/\1/p'
echo '--- conditions that refuse: no implementation'
tune --dims N=13,S=4
echo '--- mistakes'
run run w.json -D cpu --dims N=12
run run w.json -D cpu --dims N=12,S=4,Q=1
run run w.json -D cpu --dims N=12,s=4
run run w.json -D cpu --dims N=1x,S=4
run run w.json -D cpu --dims 12
run run w.json -D cpu --dims N=1,N=2
run run w.json -D cpu --dims N=99999999999999999999,S=1
run run w.json -D cpu --dims N=-4,S=1
run run w.json -D cpu --dims N=12,S=4 --dtype f17
run run w.json -D cpu --dims N=12,S=4 --dtype U=f16
run run w.json -D cpu --dims N=12,S=4 --dtype f16
run run w.json -D cpu --dims N=$(seq -s, 100),S=4
run run w.json -D cpu --dims N=12,S=4 -p nothing
run run "$WORKLOADS" -D cpu --dims N=12
run run w.json -D cpu --confirm --dims N=12
sed 's/"dtypes": {"T": "f32"}, //; s/"dtype": "T"/"dtype": "f32"/' w.json >fixed.json
run run fixed.json -D cpu --dtype f16
run run fixed.json -D cpu --dims N=12,S=4 --dtype T=f16
echo '--- a truth value; what the reference takes'
sed 's/"dims": {"N": 1000, "S": 3}/"dims": {"N": 1000, "S": true}/' w.json >t.json && mv t.json w.json
tune --dims N=12,S=false
tune --dims N=12 -p small
tune --dims N=12,S=1 -p small
tune --dims S=true,N=1000 -p small
run run w.json -D cpu --dims N=12,S=2
run run w.json -D cpu --dims N=yes,S=1
run run w.json -D cpu --dims N=true,S=1
run run w.json -D cpu -p small.N12.S2
sed -z 's/{"scalar": "N", "type": "i64"}/{"scalar": "N % 200", "type": "i8"}/' w.json >narrow.json
run run narrow.json -D cpu --dims N=150,S=1
echo '--- a real number, where some problem has one'
sed 's/"S": true/"S": 3/; s/"S": 5/"S": 2.5/' w.json >t.json && mv t.json w.json
tune --dims S=0.5,-1.25e-3 -p small
tune --dims N=12 -p small.S0.5
asctune best 2>/dev/null | grep -o '^axpy/small.*S[-0-9]*[.][^ ]*'
run run w.json -D cpu --dims N=0.5,S=1
run run w.json -D cpu --dims N=12,S=1.5.2
run run w.json -D cpu --dims S=true -p small
run run w.json -D cpu --dims S=0.5
