#!/bin/sh
# Triton kernels on a GPU, in every form in which a parameter is passed: each computes what the reference does, whatever Triton knows of its values.
here=$(cd "$(dirname "$0")" && pwd)
export PATH="${ASCTUNE_BUILD:-$here/../../build/dev}:$PATH"
base=$(mktemp -d "${TMPDIR:-/tmp}/asctune-triton.XXXXXX") || exit 1
trap 'rm -rf "$base"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$base/cache}"

skip() { # REASON
	echo "1..0 # SKIP $1"
	exit 0
}
asctune list devices --json | grep -q '"name":"cuda","usable":true' || skip "no GPU: $(asctune list devices | sed -n 's/^cuda  *no  *//p')"
asctune list builders --json | grep -q '"name":"triton","usable":true' || skip "$(asctune list builders | sed -n 's/^triton  *no  *//p')"

n=0
failed=0
check() { # NAME CONDITION...
	name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		failed=1
	fi
}
tune() { # DB: all configurations of all problems
	asctune run "$here/triton.json" --device cuda --strategy exhaustive --budget all --repeats 3 --json --db "$1" >"$base/lines" 2>"$base/err"
}
passed() { # IMPLEMENTATION: some trials, all of them right
	grep '"type":"trial"' "$base/lines" | grep "\"implementation\":\"$1\"" >"$base/of"
	grep -v '"status":"ok"' "$base/of" | cut -c1-600 | sed 's/^/# /'
	[ -s "$base/of" ] && ! grep -qv '"status":"ok"' "$base/of"
}
built_nothing() {
	! grep '"type":"trial"' "$base/lines" | grep -q '"cached":false'
}

tune "$base/first.db"
check "all kernels are tuned" [ $? = 0 ]
sed 's/^/# /' "$base/err" | head -n 20
for name in pointers cooperative written descriptors scratch; do
	check "$name: every result is right" passed $name
done
for name in programmatic cluster; do # from compute capability 9.0 on
	! grep -q "\"implementation\":\"$name\"" "$base/lines" || check "$name: every result is right" passed $name
done
tune "$base/second.db"
check "a second run compiles nothing" built_nothing
echo "1..$n"
exit $failed
