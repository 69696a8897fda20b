#!/bin/sh
# What ci/test --changed chooses and runs, on a tree of a few files whose build is written down here; and what ci/covers finds there.
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-changed.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
unset PRESET CI
n=0
is() { # NAME HAVE WANTED
	n=$((n + 1))
	if [ "$2" = "$3" ]; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		printf 'have:\n%s\nwanted:\n%s\n' "$2" "$3" | sed 's/^/# /' >&2
	fi
}
cd "$work" || exit 1

# A tree of two modules, with tests of which one is slow, and a build folder.
mkdir -p bin ci tuner/base workloads/axpy tests/unit/base tests/device tests/inject tests/fuzz tests/cli/cases/run tests/ci tests/consumers tests/browser build/dev/tests/cli
mkdir -p probes db reports standin tests/cli/cases/show
cp "$root/ci/test" "$root/ci/build" "$root/ci/covers" ci
printf '#!/bin/sh\n' >ci/setup; chmod +x ci/setup
sed -i "/^exempt='/,/^'/c exempt='\nstandin/ none of this is here\n'" ci/covers
touch tuner/base/one.c tuner/base/two.c standin/twin.c build/dev/build.ninja
test_of() { # FILE NAMES [SLOW]
	printf '/* Test.\n%s * covers: %s */\n' "${3:+ * slow: $3
}" "$2" >"$1"
}
test_of tests/unit/base/t-one.c one.c
test_of tests/unit/base/t-two.c 'one.c two.c' '16 s'
test_of tests/device/t-device.c workloads/axpy
test_of tests/inject/t-inject.c two.c
test_of tests/fuzz/one.c one.c
printf '# Case.\n# covers: one.c\n' >tests/cli/cases/run/first.sh
printf '# Case.\n# covers: two.c\n' >tests/cli/cases/show/second.sh
touch tests/cli/cases/run/first.out tests/cli/cases/show/second.out
for script in tests/ci/own.t tests/device/own.t tests/consumers/own.t tests/browser/own.t tests/cli/cli.t tests/cli/own.t; do printf '#!/bin/sh\necho 1..1; echo ok 1\n' >$script; chmod +x $script; done
for name in t-one t-two t-fuzz-one cli/first cli/second; do cp tests/ci/own.t "build/dev/tests/$name.t"; done
: >tests/rules.yml

# ninja prints what it did, as a file says.
printf '#!/bin/sh\ncat "%s/steps"\n' "$work" >bin/ninja
chmod +x bin/ninja
export PATH="$work/bin:$PATH" ASCTUNE_PYTHON=none ASCTUNE_PYTHON_NPU=none ASCTUNE_TEST_CUPTI=none
steps() { printf '%s\n' "$@" >steps; }
chosen() { ci/test --changed --dry-run 2>&1 | sed 's|build/dev/||; /^[0-9]* of/d' | tr '\n' ';'; }
find . -exec touch -d '1 hour ago' {} +
touch -d '1 minute ago' build/dev.tested

steps 'ninja: no work to do.'
is "nothing is built, nothing is run" "$(chosen)" ""
steps '[1/4] Building C object CMakeFiles/asc_base.dir/tuner/base/one.c.o' '[2/4] Linking C executable tests/t-one.t' '[3/4] Linking C executable tests/t-two.t' \
	'[4/4] Linking C executable tests/bench/times'
is "what was linked, and the case of what was compiled" "$(chosen)" "left to ci/test: t-two.t (16 s);tests/t-one.t;tests/cli/first.t;"
steps '[1/1] Linking C executable tests/t-fuzz-one.t'
is "a build after it adds to that" "$(chosen)" "left to ci/test: t-two.t (16 s);tests/t-fuzz-one.t;tests/t-one.t;tests/cli/first.t;"
steps '[1/1] Building C object tests/CMakeFiles/t-two.dir/unit/base/t-two.c.o' 'ninja: failed'
ci/build dev 2>/dev/null
steps 'ninja: no work to do.'
is "a build that fails, too; a slow test that is edited is run" "$(chosen)" "tests/t-fuzz-one.t;tests/t-one.t;tests/t-two.t;tests/cli/first.t;"
printf '#!/bin/sh\necho 1..1; echo not ok 1\n' >build/dev/tests/t-one.t
ci/test --changed >out 2>&1
is "a test fails: exit status 1" "$?: $(grep -c '^  Failed test:  1$' out)" "1: 1"
cp tests/ci/own.t build/dev/tests/t-one.t
is "after that all of it is run again" "$(chosen)" "tests/t-fuzz-one.t;tests/t-one.t;tests/t-two.t;tests/cli/first.t;"
ci/test --changed >out 2>&1
is "all pass" "$?: $(grep -c '^Result: PASS' out), $(grep -c '^4 of 9 tests are of what has changed' out)" "0: 1, 1"
is "what has passed is not run again" "$(chosen)" ""
touch -d '1 minute' tests/cli/cases/show/second.out tests/cli/own.t tests/cli/cli.t
is "cases and scripts that are edited" "$(chosen)" "tests/cli/second.t;tests/cli/own.t;"
ci/test >out 2>&1
is "a whole run is all of them" "$?: $(grep -c '^Files=9,' out)" "0: 1"
ci/test --changed build/dev/tests/t-one.t >out 2>&1
is "files beside --changed are a mistake" "$?: $(cut -c1-6 out)" "2: usage:"

is "every module is covered" "$(ci/covers 2>&1)" ""
is "who tests a module" "$(ci/covers two.c | tr '\n' ' ')" "tests/cli/cases/show/second.sh tests/inject/t-inject.c tests/unit/base/t-two.c "
touch tuner/base/three.c standin/other.c
is "a module without a test" "$(ci/covers)" "tuner/base/three.c: no test covers it"
rm tuner/base/three.c
test_of tests/unit/base/t-one.c 'one.c gone.c workloads/none'
is "names that are stale" "$(ci/covers | sort | tr '\n' ';')" \
	"tests/unit/base/t-one.c: covers gone.c, which is not in the tree;tests/unit/base/t-one.c: covers workloads/none, which is not in the tree;"
echo '/* Test. */' >tests/unit/base/t-one.c
is "a test that names none" "$(ci/covers)" "tests/unit/base/t-one.c: no line says what it covers"
rm -r standin/*
is "a module that is excused and gone" "$(ci/covers | sed 1d)" "ci/covers: standin/ is not in the tree"
echo "1..$n"
