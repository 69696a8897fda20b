# For a test of the GPU, which has set `here` to its folder: asctune in PATH, a folder `base` that does not stay, skip and check.
# A test ends with: echo "1..$n"; exit $failed
export PATH="${ASCTUNE_BUILD:-$here/../../build/dev}:$PATH"
base=$(mktemp -d "${TMPDIR:-/tmp}/asctune-gpu.XXXXXX") || exit 1
trap 'rm -rf "$base"' EXIT INT TERM

skip() { # REASON
	echo "1..0 # SKIP $1"
	exit 0
}
asctune list devices --json | grep -q '"name":"cuda","usable":true' || skip "no GPU: $(asctune list devices | sed -n 's/^cuda  *no  *//p')"

explain() { # what a failed check shows beside its name, where a test has something to show
	:
}

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
		explain
	fi
}
