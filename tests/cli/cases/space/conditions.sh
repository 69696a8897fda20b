# Conditions that have no value somewhere, that leave nothing, or that leave too much: said once, each part of it once.
# covers: space_unevaluable.c space_empty.c
cp -r "$WORKLOADS/axpy" .
with() { # CONSTRAINT -> w.json
	sed "s|\"BLOCK >= 64 \* UNROLL\"|\"$1\"|" "$WORKLOADS/axpy.json" >w.json
}
with '64 // (UNROLL - 1) > 0'
run space w.json --device cpu
asctune run w.json --device cpu --budget 1 --db c.db 2>&1 >/dev/null | grep warning
with 'BLOCK < 0'
run space w.json --device cpu
run run w.json --device cpu --db none.db
with 'NOTHING > 0'
run run w.json --device cpu --db none.db
ls none.db 2>&1
# An empty space says why, whatever is asked of it.
cat >t1.json <<'END'
{"ConfigurationSpace":{"TuningParameters":[{"Name":"A","Type":"int","Values":"[1,2]"},{"Name":"B","Type":"int","Values":"[1,2]"}],
"Conditions":[{"Expression":"A > B"},{"Expression":"A < B"}]}}
END
run space t1.json
run space t1.json --count
run space t1.json --list
run space t1.json --sample 1
