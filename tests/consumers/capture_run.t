#!/bin/sh
# A small program with an autotuned kernel, captured on a stub driver (tests/data/capture/add.py): its workload is taken as it is, and what asctune compiles of it for
# sm_90 is the code that the program has launched. Needs Triton alone.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
python=${ASCTUNE_PYTHON:-python3}
if ! "$python" -c 'import triton' 2>/dev/null; then
	echo "1..0 # SKIP $python has no Triton: ci/setup triton prints one that has"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-capture.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
unset ASCTUNE_DB ASCTUNE_DEBUG
export ASCTUNE_CACHE_DIR="$work/cache" TRITON_CACHE_DIR="$work/triton" PYTHONPATH="$root/tests/consumers" ASCTUNE_PYTHON="$python"
n=0
check() { # WHAT COMMAND...
	n=$((n + 1))
	what=$1
	shift
	if "$@" >log 2>&1; then echo "ok $n - $what"; else
		echo "not ok $n - $what"
		sed 's/^/# /' log
	fi
}
# PTX without places in the source, and labels between these; `asctune code` shows tabs as ?.
code() {
	tr -d '?' | sed -e 's,//.*,,; s/[[:space:]]//g' -e '/^[.]loc/d; /^[.]file/d; /^[$]L__tmp/d' | sed '/[.]section/,$d' | grep -v '^$'
}
same_code() { # PROBLEM
	file=$("$python" -c 'import json, sys; print(*(p["X-ptx"] for p in json.load(open("seen/add.json"))["problems"] if p["name"] == sys.argv[1]))' "$1")
	"$build/asctune" code seen/add.json -D sm_90 -i triton -p "$1" --config default --what ptx >built || return 1
	sed 1d built | code >built.ptx
	code <"seen/$file" >ran.ptx
	[ -s ran.ptx ] && cmp ran.ptx built.ptx
}
"$python" "$root/tests/data/capture/add.py" >plain 2>plain.err
check "the program is captured" "$build/asctune" capture -o seen -- "$python" "$root/tests/data/capture/add.py" "$(printf 'no text \377')"
cp log captured
check "its output is its own" grep -qxF "$(cat plain)" captured
check "the table has the kernel, its calls and shapes" grep -q '^add  *6  *2 .* add.json$' captured
check "the next command is printed" grep -q '^next: .*asctune run seen --python' captured
check "its workload is taken as it is" "$build/asctune" check-workload seen/add.json --python "$python"
check "the list of the autotuner is the space" sh -c "'$build/asctune' space seen/add.json -D sm_90 --count | grep -q 3"
check "all of it is compiled" "$build/asctune" build seen/add.json -D sm_90 --budget all
check "code of p0 is what ran" same_code p0
check "code of p1 is what ran" same_code p1
check "files are private" sh -c '[ -z "$(find seen/data seen/records seen/*.json -type f ! -perm 600)" ]'
echo "1..$n"
