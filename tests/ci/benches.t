#!/bin/sh
# Each benchmark judges: a program of tests/bench is no empty file, says what it measures and what is wanted, and it, or what it runs, has a way to fail.
# The check itself is tried on copies of benchmarks that do not judge.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-benches.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# What is wrong with the benchmark of a folder; nothing.
fault() { # FOLDER NAME
	file=$1/$2
	[ "$(grep -vc '^ *\(#.*\)\?$' "$file")" -gt 0 ] || { echo "it does nothing"; return; }
	sed -n 2p "$file" | grep -q '^\(#\|r*"""\)' || { echo "it does not say what it measures"; return; }
	parts=$file # and the scripts and programs beside it whose names it has
	for other in "$1"/*.py "$1"/*.c; do
		name=$(basename "$other" | sed 's/\.[a-z]*$//')
		! grep -qw "$name" "$file" || parts="$parts $other"
	done
	grep -qiE 'limit|at most|at least|wanted|below|must|beyond' $parts || { echo "it names no limit"; return; }
	grep -qE 'exit ("?\$|!|1)|sys\.exit|SystemExit|exit [a-z]+ >|return [^;]*(failed|missed|limit|wrong|bad)|return 1|EXIT_FAILURE|^\[ .* \]$|tap_done|\|\| exit|assert ' $parts || echo "it cannot fail"
}

n=0
for file in "$root"/tests/bench/*; do
	name=$(basename "$file")
	case $name in *.*) continue ;; esac
	[ -f "$file" ] && [ "$name" != setup-peers ] || continue # a program that the others need
	n=$((n + 1))
	wrong=$([ -x "$file" ] && fault "$root/tests/bench" "$name" || echo "it cannot be started")
	[ -z "$wrong" ] && echo "ok $n - $name" || echo "not ok $n - $name: $wrong"
done
try() { # NAME WANTED TEXT
	n=$((n + 1))
	printf '%s' "$3" >"$work/$1"
	have=$(fault "$work" "$1")
	[ "$have" = "$2" ] && echo "ok $n - $1: ${2:-right}" || echo "not ok $n - $1: \"$have\" instead of \"$2\""
}
try empty "it does nothing" ''
try comments "it does nothing" '#!/bin/sh
# Measures all.
'
try silent "it does not say what it measures" '#!/bin/sh
echo 1
exit 1
'
try boundless "it names no limit" '#!/bin/sh
# Measures all.
time true || exit 1
'
try toothless "it cannot fail" '#!/bin/sh
# Measures all, in at most 1 s.
time true
'
try good "" '#!/bin/sh
# Measures all, in at most 1 s.
[ "$taken" -le 1 ] || exit 1
'
echo "1..$n"
