#!/bin/sh
# Files of another user: a database is refused, an artifact and a reference are made again, a cache is not used. Root makes such files.
# covers: owner.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root can give a file away"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-owner.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
cd "$work" || exit 1
n=0
check() { # NAME COMMAND...
	name=$1; shift; n=$((n + 1))
	"$@" && echo "ok $n - $name" || { echo "not ok $n - $name"; sed 's/^/# /' err; }
}
tune() { asctune run "$here/workloads/axpy.json" --device cpu --cache hot --repeats 2 --budget 2 "$@" >out 2>err; status=$?; }
ended() { [ "$status" = "$1" ]; }
said() { grep -q "$1" err; }
somebody=65534

tune --db a.db
check 'a run' ended 0
chown $somebody a.db
tune --db a.db
check 'a database of another user: is not written' ended 2
check 'a database of another user: path and owner are said' said "a.db belongs to user $somebody, not to user 0"
asctune best --db a.db >out 2>err; status=$?
check 'a database of another user: is not read' ended 2
asctune merge --db b.db a.db >out 2>err; status=$?
check 'a database of another user: is not merged' ended 2
check 'a database of another user: which is said' said "a.db belongs to user $somebody"
chown 0 a.db
: >a.db-wal; chown $somebody a.db-wal
tune --db a.db
check 'a log of another user beside a database' ended 2
check 'a log of another user beside a database: is named' said 'a.db-wal belongs to user'
rm -f a.db-wal
mkdir captured; chown $somebody captured
asctune capture -o captured -- true >out 2>err; status=$?
check 'a folder of another user: nothing is captured into it' ended 2
check 'a folder of another user: is named' said "captured belongs to user $somebody"
artifact=$(find cache/artifacts -name '*.so' | head -n 1)
sum=$(stat -c %i "$artifact")
chown $somebody "$artifact"
tune --db c.db
check 'an artifact of another user: the run goes on' ended 0
check 'an artifact of another user: is named' said "$artifact belongs to user $somebody"
check 'an artifact of another user: is replaced' [ "$(stat -c %u "$artifact")" = 0 ]
check 'an artifact of another user: by another file' [ "$(stat -c %i "$artifact")" != "$sum" ]
reference=$(find cache/reference -name '*.f64')
chown $somebody "$reference"
tune --db c.db
check 'a reference of another user: the run goes on' ended 0
check 'a reference of another user: is named' said "$reference belongs to user $somebody"
check 'a reference of another user: is replaced' [ "$(stat -c %u "$reference")" = 0 ]
for part in '' /artifacts /reference "/artifacts/$(ls cache/artifacts | head -n 1)"; do
	chown $somebody "cache$part"
	tune --db d.db
	chown 0 "cache$part"
	check "a folder of another user: cache${part%/??}: is refused" ended 2
	check "a folder of another user: cache${part%/??}: is named" said "cache$part belongs to user $somebody"
done
cp -r "$here"/workloads/axpy* .
chown $somebody axpy/kernel.c
asctune run axpy.json --device cpu --cache hot --repeats 2 --budget 2 --db f.db >out 2>err; status=$?
check 'a source of another user: is measured in the sandbox' ended 0
asctune run axpy.json --trust --device cpu --cache hot --repeats 2 --budget 2 --db f.db >out 2>err; status=$?
check 'a source of another user: is not without it' ended 2
check 'a source of another user: is named' said "^asctune: --trust: .*axpy/kernel.c belongs to user $somebody"
chown 0 axpy/kernel.c
chown $somebody axpy.json
asctune run axpy.json --trust --device cpu --cache hot --repeats 2 --budget 2 --db f.db >out 2>err; status=$?
check 'a workload of another user: is not tuned without the sandbox' ended 2
chown 0 axpy.json
asctune run axpy.json --trust --device cpu --cache hot --repeats 2 --budget 2 --db f.db >out 2>err; status=$?
check 'a workload of the own user: is' ended 0
mkdir several
for name in one two three; do sed "s/\"name\": \"axpy\"/\"name\": \"$name\"/" axpy.json >several/$name.json; done
cp -r axpy several
chown $somebody several/one.json several/two.json
asctune run several --trust --device cpu --cache hot --repeats 2 --budget 2 --db s.db >out 2>err; status=$?
check 'a folder of several owners: has failed' ended 2
check "a folder of several owners: another user's workload is named in a line" [ "$(grep -c '^asctune: --trust: .*/\(one\|two\).json belongs to user' err)" = 2 ]
check "a folder of several owners: the user's own are tuned" said 'three/small'
# On a stand-in, kernels of the next workload are built while the first is measured. A compiler in front of cc keeps a list of what it compiles.
mkdir ahead bin
cp -r "$root"/workloads/softmax ahead/softmax
cp -r "$root"/workloads/softmax ahead/next
cp -r "$root"/workloads/npu "$root"/workloads/cpu "$root"/workloads/python ahead
cp "$root"/workloads/softmax.json ahead/a.json
sed 's|"softmax/|"next/|; s/"name": "softmax"/"name": "next"/' ahead/a.json >ahead/b.json
printf '#!/bin/sh\necho "$*" >>"%s/compiled"\nexec "%s" "$@"\n' "$work" "$(command -v cc)" >bin/cc
chmod 755 bin/cc
ahead() { PATH="$work/bin:$PATH" asctune run ahead --trust --device npu:sim:Ascend910B3 --problem tiny --impl triton --cache hot --budget 3 --db ahead.db "$@" >out 2>err; status=$?; }
chown $somebody ahead/b.json
ahead
check "a folder of several owners: another user's workload is not built ahead" [ "$(grep -c next/twin.c compiled)" = 0 -a "$(grep -c softmax/twin.c compiled)" -gt 0 ]
check "a folder of several owners: it is named" said 'b.json belongs to user'
chown 0 ahead/b.json
mkdir foreign
chmod 755 foreign . cache
nobody() { setpriv --reuid=$somebody --regid=$somebody --clear-groups env ASCTUNE_CACHE_DIR="$work/foreign" ASCTUNE_DB="$work/c.db" "$@" >out 2>err; status=$?; }
chmod 644 c.db*
nobody test -r "$work/c.db" -a -x "$(command -v asctune)"
if ended 0; then # setpriv is there, and nobody can reach this folder
	nobody asctune run "$here/workloads/axpy.json" --device cpu --budget 1
	check 'a cache of root that the user cannot write: is refused' ended 2
	check 'a cache of root that the user cannot write: is named' said 'foreign: Permission denied'
	nobody asctune best
	check "root's database: is read" ended 0
	mkdir own
	cp -r "$here"/workloads/axpy* own
	chown -R $somebody own
	own() { nobody env ASCTUNE_CACHE_DIR="$work/own/cache" ASCTUNE_DB="$work/own/a.db" "$@"; }
	own asctune run own/axpy.json --device cpu --cache hot --repeats 2 --budget 1
	check 'a run of another user' ended 0
	chmod -R a-w own/cache
	own asctune reproduce 1
	check 'a cache that may only be read: reproduce ends' ended 2
	check 'a cache that may only be read: is named' said 'cannot write into folder .*own/cache: Permission denied'
	check 'a cache that may only be read: nothing else is said' [ "$(wc -l <err)" = 1 ]
fi
mkdir -p home/.cache/asctune
chown $somebody home/.cache/asctune
(unset ASCTUNE_CACHE_DIR XDG_CACHE_HOME; HOME="$work/home" TMPDIR="$work" tune --db e.db; exit $status); status=$?
check 'the home of another user: another cache is taken' ended 0
check 'the home of another user: and that is said' said "asctune belongs to user $somebody.*; cached things go to $work/asctune-0"
echo "1..$n"
