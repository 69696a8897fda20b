#!/bin/sh
# Which files ci/tidy has looked at, on a tree of three files and with a clang-tidy that prints their names.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-tidy.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
n=0
is() { # NAME HAVE WANTED
	n=$((n + 1))
	if [ "$2" = "$3" ]; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		printf 'have:\n%s\nwanted:\n%s\n' "$2" "$3" | sed 's/^/# /' >&2
	fi
}
cd "$work" || exit 1
mkdir -p ci bin tuner/base tests/unit
cp "$root/ci/tidy" ci
printf '#!/bin/sh\n' | tee ci/setup >ci/build
printf '#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho "$1"\ncase $1 in *bad.c) exit 1 ;; esac\n' >bin/clang-tidy
chmod +x ci/setup ci/build bin/clang-tidy
touch tuner/base/one.c tuner/base/two.c tests/unit/t-one.c
git init -q . && git add . || exit 1
export PATH="$work/bin:$PATH"

is "all sources of the program" "$(ci/tidy | sort | tr '\n' ' ')" "tuner/base/one.c tuner/base/two.c "
is "a file that is named, alone" "$(ci/tidy tuner/base/two.c)" tuner/base/two.c
is "a test that is named" "$(ci/tidy tests/unit/t-one.c 'tuner/base/one.c' | sort | tr '\n' ' ')" "tests/unit/t-one.c tuner/base/one.c "
ci/tidy tuner/base/bad.c >/dev/null
is "what clang-tidy finds ends with a status" "$(($? != 0))" 1
echo "1..$n"
