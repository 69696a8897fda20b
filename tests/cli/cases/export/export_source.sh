# A kernel that was captured again with another source, of whose problems one is measured again: the others' answers are not those of the new source.
# covers: cmd_best.c best.c best_json.c lookup_read.c
cp -r "$WORKLOADS/axpy" .
problem() { printf '{"name": "%s", "dims": {"N": %s}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}' $1 $2; }
capture() { # SOURCE
	python3 - "$WORKLOADS/axpy.json" "[$(problem p0 1000), $(problem p1 2000)]" $1 <<-'END' >axpy.json
	import json, sys
	w = json.load(open(sys.argv[1]))
	w["problems"] = json.loads(sys.argv[2])
	w["operator"] = "m:axpy"
	w["export"] = {"triton": {"operator": "m:axpy", "sizes": {"n": "N"}, "types": {"x": "T", "@source": sys.argv[3]}}}
	json.dump(w, sys.stdout)
	END
}
tune() { asctune run axpy.json --device cpu --repeats 3 --budget 2 --db r.db "$@" >/dev/null 2>&1; echo "exit $?"; }
sources() {
	asctune export json --db r.db -o $1 >/dev/null 2>&1
	sed -n 's/.*"problem":"\([^"]*\)".*"@source":"\([^"]*\)".*/\1 \2/p' $1/best.json
}
capture 1111111111111111
tune
sources first
capture 2222222222222222
echo '/* another text */' >>axpy/kernel.c
tune --problem p0
sources second
echo "- answers of an older source: $(asctune best --db r.db | tr '\n' ' ' | tr -s ' ' | grep -o 'measured with an older source' | wc -l)"
tune --problem p1
sources third
