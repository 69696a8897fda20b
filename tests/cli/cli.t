#!/bin/sh
# Command-line tests: every cases/COMMAND/NAME.sh is run in an empty folder and what it prints (stdout and stderr) is compared with NAME.out.
# `tests/cli/cli.t [NAME...]` runs the cases of these names, COMMAND/ stands for all of its folder; names are unique, whatever the command.
# `tests/cli/cli.t --update [NAME...]` writes the .out files instead; read the difference before committing it.
# A case finds asctune in PATH, $CASES (its folder), $ROOT (the repository); `run ARGS` prints the exit status after the output;
# `golden NN FILE` makes a database of what tests/data/golden/schema-NN.sql has.
here=$(cd "$(dirname "$0")" && pwd -P)
export ROOT="${here%/tests/cli}" WORKLOADS="$here/workloads"
build="${ASCTUNE_BUILD:-$ROOT/build/dev}"
export PATH="$build:$build/tests:$PATH" LC_ALL=C.UTF-8
export CUDA_VISIBLE_DEVICES= # the cases are about the CPU
unset ASCTUNE_DB ASCTUNE_DEBUG
base=$(mktemp -d "${TMPDIR:-/tmp}/asctune-cli.XXXXXX") || exit 1
trap 'chmod -R u+w "$base"; rm -rf "$base"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$base/cache}"

update=
[ "${1:-}" != --update ] || { update=1; shift; }
[ $# -gt 0 ] || set -- '*/'
set -- $(cd "$here/cases" && for given; do # a name without a case stays what it is
	case $given in
	*/) ls $given*.sh ;;
	*) ls */"$given.sh" 2>/dev/null || echo "$given" ;;
	esac
done)

one() { # NAME -> its output
	mkdir -p "$base/$1" && cd "$base/$1" || return 1
	sh -c '
	run() { asctune "$@"; status=$?; echo "exit $status"; return 0; }
	golden() {
		sqlite3 golden.old <"$ROOT/tests/data/golden/schema-$1.sql"
		[ "$1" = 26 ] && mv golden.old "$2" || { "$ROOT/tests/data/golden/convert.py" golden.old "$2" && rm golden.old; }
	}
	. "$CASES/'"$1"'.sh"' 2>&1 </dev/null | sed -e "s|$base|WORK|g" -e "s|$ROOT|ROOT|g"
}

echo "1..$#"
n=0
failed=0
for case; do
	n=$((n + 1))
	name=$(basename "$case" .sh)
	if [ ! -f "$here/cases/$case" ]; then
		echo "not ok $n - $name: there is no case of this name"
		failed=1
		continue
	fi
	export CASES="$here/cases/$(dirname "$case")"
	missing=
	for program in sqlite3 python3; do
		! grep -qwE "$program|golden" "$CASES/$name.sh" || command -v $program >/dev/null || missing=$program
	done
	if [ -n "$missing" ]; then
		echo "ok $n - $name # SKIP $missing is missing"
		continue
	fi
	one "$name" >"$base/$name.have"
	[ -z "$update" ] || cp "$base/$name.have" "$CASES/$name.out"
	if difference=$(diff -u "$CASES/$name.out" "$base/$name.have"); then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "$name: $difference" | sed "s/^/# /" >&2 # where prove shows it
		failed=1
	fi
done
exit $failed
