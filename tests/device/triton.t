#!/bin/sh
# Triton kernels on a GPU, in every form in which a parameter is passed: each computes what the reference does, whatever Triton knows of its values.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$base/cache}"
asctune list builders --json | grep -q '"name":"triton","usable":true' || skip "$(asctune list builders | sed -n 's/^triton  *no  *//p')"

tune() { # DB: all configurations of all problems
	asctune run "$here/triton.json" --device cuda --strategy exhaustive --budget all --repeats 3 --json --db "$1" >"$base/lines" 2>"$base/err"
}
passed() { # IMPLEMENTATION: some trials, all of them right
	grep '"type":"trial"' "$base/lines" | grep "\"implementation\":\"$1\"" >"$base/of"
	grep -v '"status":"ok"' "$base/of" | cut -c1-600 | sed 's/^/# /'
	[ -s "$base/of" ] && ! grep -qv '"status":"ok"' "$base/of"
}
built_once() { # IMPLEMENTATION: another value of a launch-stage parameter is no other artifact; the list of calls may have built some
	grep '"type":"trial"' "$base/lines" | grep "\"implementation\":\"$1\"" >"$base/of"
	artifacts=$(grep -o '"artifact":"[^"]*"' "$base/of" | sort -u | wc -l)
	echo "# $(wc -l <"$base/of") trials, $artifacts artifacts, $(grep -c '"cached":false' "$base/of") builds"
	[ "$(grep -c '"cached":false' "$base/of")" -le "$artifacts" ] && [ "$artifacts" -lt "$(wc -l <"$base/of")" ]
}
refused() { # EDIT WORDS: the workload so edited ends with exit status 2 and the words
	cp -r "$here/triton" "$base/" && sed "$1" "$here/triton.json" >"$base/edited.json"
	asctune run "$base/edited.json" --device cuda --problem odd --impl pointers --budget 1 --db "$base/refused.db" >"$base/said" 2>&1
	status=$?
	sed 's/^/# /' "$base/said" | tail -n 3
	[ $status = 2 ] && grep -q "$2" "$base/said"
}
left_out() { # a module that is not there leaves its implementation out, and others run
	sed 's|"source": "triton/kernels.py",|"source": "no_such_package:pointers",|; s|"name": "pointers",|"name": "absent",|' "$here/triton.json" |
		awk '/no_such_package/ { n++; if (n > 1) sub("no_such_package:pointers", "triton/kernels.py") } { print }' >"$base/edited.json"
	asctune run "$base/edited.json" --device cuda --problem odd --budget 1 --db "$base/out.db" >"$base/said" 2>&1
	status=$?
	sed 's/^/# /' "$base/said" | head -n 5
	[ $status = 0 ] && grep -q "No module named 'no_such_package'" "$base/said"
}
built_nothing() {
	! grep '"type":"trial"' "$base/lines" | grep -q '"cached":false'
}

tune "$base/first.db"
check "all kernels are tuned" [ $? = 0 ]
sed 's/^/# /' "$base/err" | head -n 20
for name in pointers cooperative written descriptors scratch calls; do
	check "$name: every result is right" passed $name
done
for name in programmatic cluster; do # from compute capability 9.0 on
	! grep -q "\"implementation\":\"$name\"" "$base/lines" || check "$name: every result is right" passed $name
done
check "a value of a launch-stage parameter compiles nothing" built_once pointers
check "another name of a kernel is refused" refused '0,/"entry": "pointers"/s//"entry": "pointer"/' 'did you mean "pointers"'
check "a constant that is missing is refused" refused '0,/"WIDTH": "C", /s///' 'takes the tl.constexpr "WIDTH"'
check "a constant that the kernel lacks is refused" refused '0,/"WIDTH": "C"/s//"WIDHT": 1, "WIDTH": "C"/' 'no tl.constexpr "WIDHT" (did you mean "WIDTH"'
check "another number of arguments is refused" refused '0,/{"tensor": "x"}, {"tensor": "bias"}, {"tensor": "y"}, {"scalar": "R", "type": "i32"}, /s//{"tensor": "x"}, {"tensor": "bias"}, {"tensor": "y"}, /' 'passes 5 arguments, pointers() takes 6'
check "a module that cannot be imported leaves its implementation out" left_out
tune "$base/second.db"
check "a second run compiles nothing" built_nothing
echo "1..$n"
exit $failed
