#!/bin/sh
# ci/nightly over nights that are generated from one real run: what happens to a night is planted, and told apart.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-nightly.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
export REAL="$build/asctune" WORK="$work" ASCTUNE_CACHE_DIR="$work/cache" LC_ALL=C.UTF-8
unset ASCTUNE_DB GITHUB_ACTIONS GITHUB_STEP_SUMMARY
cp -r "$root/tests/cli/workloads/axpy" "$root/tests/cli/workloads/axpy.json" .

# In asctune's place: a run is generated as $PLAN has it, the rest is asctune.
cat >program <<'END'
#!/bin/sh
db=
for word; do
	[ "$last" != --db ] || db=$word
	last=$word
done
generate() { # NS
	cp "$WORK/pattern.db" "$db"
	sqlite3 "$db" "update run set uid = randomblob(16), started_ms = cast((julianday('now') - 2440587.5) * 86400000 as integer);
		update trial set median_ns = $1 + 1000 * id"
}
case "$1 $PLAN" in
"run "*) case " $* " in *" --confirm "*) PLAN="confirm-$PLAN" ;; esac ;;
"merge full")
	trap '' XFSZ
	ulimit -f 8
	exec "$REAL" "$@"
	;;
*) exec "$REAL" "$@" ;;
esac
case $PLAN in
good) generate 100300 ;;
slow | again) generate 120300 ;;
failing) generate 100300 && sqlite3 "$db" "update trial set status = 'build_failed', median_ns = null, reason = 'no \`register\` | left' where id = 2" ;;
other) generate 100300 && sqlite3 "$db" "update implementation set name = 'another | one'" ;;
teardown) generate 100300 && kill -9 $$ ;; # the last result is recorded
killed) generate 300000 && sqlite3 "$db" 'update run set outcome = null, ended_ms = null' && kill -9 $$ ;;
nothing) kill -9 $$ ;;
damaged) generate 100300 && printf rubbish | dd of="$db" bs=1 conv=notrunc 2>/dev/null ;;
machine) generate 120300 && "$WORK/beside" "$db" ;;
hanging) generate 100300 && echo $$ >"$WORK/hanging" && exec sleep 60 >/dev/null ;;
full) generate 100300 ;;
confirm-again) exec "$REAL" "$@" ;;
confirm-*) kill -9 $$ ;;
esac
END
cat >beside <<'END'
#!/bin/sh
# Gives every run of a database a baseline that takes as long.
sqlite3 "$1" "insert into implementation(name, key, idx) values ('library', 'library', 1);
	update run set baseline = 'library';
	create temp table t as select * from trial;
	update t set id = null, implementation_id = (select id from implementation where name = 'library');
	insert into trial select * from t;
	insert or ignore into run_implementation select run_id, implementation_id from t"
END
chmod +x program beside

n=0
ok() { # NAME: the status of the command before decides
	verdict=$?
	n=$((n + 1))
	[ $verdict = 0 ] && echo "ok $n - $1" || { echo "not ok $n - $1"; sed 's/^/# /' said; }
}
night() { # PLAN OPTION...: sets status; what it said is in `said`
	PLAN=$1
	shift
	export PLAN
	ASCTUNE="$work/program" "$root/ci/nightly" --dir kept --device cpu "$@" axpy.json >said 2>&1
	status=$?
}
is() { # STATUS TEXT: the night ended so, and its summary has the text
	[ "$status" = "$1" ] && grep -qF "$2" kept/latest/summary.md
}
calls() { grep -c '"verdict":"regression"' kept/latest/track.json; }
runs() { sqlite3 kept/history.db 'select count(*) from run'; }

ASCTUNE="$REAL" "$root/ci/nightly" --dir first --device cpu --time 60s --run '--cache hot --budget 3' axpy.json >said 2>&1
[ $? = 0 ] && cp first/latest/night.db pattern.db && sqlite3 pattern.db 'delete from final; update run set steady_json = null'
ok "a real night"
(cd first/latest && ls summary.md track.md runs.md junit.xml track.json run.log report.html merged) >said 2>&1
ok "keeps its papers"
cmp -s first/latest/summary.md - <said || grep -q '^1 problem measured to the end' first/latest/summary.md
ok "and says that all was measured"

real() { # OPTION...: a real night of the one problem, into `first`
	ASCTUNE="$REAL" "$root/ci/nightly" --dir first --device cpu --time 60s --run '--cache hot --budget 3' "$@" axpy.json >said 2>&1
	status=$?
}
cp axpy/kernel.c whole.c
sed 's/^\t\tout.*/\t\tfor (int again = 0; again < 20; again++) {\n&\n\t\t__asm__ volatile("" ::: "memory"); }/' whole.c >axpy/kernel.c
real
[ $status = 1 ] && grep -q '"fails":true' first/latest/track.json && grep -q '<failure' first/latest/junit.xml && grep -qE 're-measured: [0-9.]+x slower' first/latest/summary.md
ok "a kernel that does its work many times is red in its first night, the second of all, with a figure"
real
[ $status = 1 ] && grep -qE 're-measured: [0-9.]+x slower' first/latest/summary.md && grep -qF 'nothing is to be measured again' first/latest/confirm.txt
ok "and stays red without being measured again"
cp whole.c axpy/kernel.c
real
[ $status = 0 ] && grep -qE 're-measured: [0-9.]+x faster' first/latest/summary.md && ! grep -q '<failure' first/latest/junit.xml
ok "until it is taken back"
sqlite3 first/history.db "select n.config_key from final n join run r on r.id = n.run_id order by r.started_ms desc, n.winner desc limit 1" >won
ASCTUNE="$REAL" "$root/ci/nightly" --dir first --device cpu --time 60s --run '--cache hot --budget 3 --seed 9' axpy.json >said 2>&1
grep -qxF "$(cat won)" <<END && [ "$(sqlite3 first/latest/night.db 'select count(*) from trial')" = 3 ]
$(sqlite3 first/latest/night.db 'select config_key from final')
END
ok "last night's winner is measured whatever the search asks for: $(cat won)"

mkdir moved && cp first/history.db moved && sqlite3 moved/history.db "update device set machine = 'another', fingerprint = 'another'"
sed 's/^\t\tout.*/\t\tfor (int again = 0; again < 20; again++) {\n&\n\t\t__asm__ volatile("" ::: "memory"); }/' whole.c >axpy/kernel.c
ASCTUNE="$REAL" "$root/ci/nightly" --dir moved --device cpu --time 60s --run '--cache hot --budget 3' axpy.json >said 2>&1
[ $? = 0 ] && grep -qF 'nothing is to be measured again' moved/latest/confirm.txt
ok "another machine of the same model is not compared with the one before"
cp whole.c axpy/kernel.c

mkdir -p tree/deep without && cp -r axpy axpy.json tree/deep
printf '#!/bin/sh\nexit 127\n' >without/git && chmod +x without/git
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
deep() { # FOLDER OPTION...: a real night of the repository
	folder=$1
	shift
	ASCTUNE="$REAL" "$root/ci/nightly" --dir "$folder" --device cpu --time 60s --run '--cache hot --budget 1' "$@" tree/deep/axpy.json >said 2>&1
	status=$?
}
git -C tree init -q && commit first
deep lost && cp -r lost gone && cp -r lost nogit
sed 's/^\t\tout.*/\t\tfor (int again = 0; again < 20; again++) {\n&\n\t\t__asm__ volatile("" ::: "memory"); }/' whole.c >tree/deep/axpy/kernel.c
commit twice
path=$PATH PATH=$work/without:$PATH
deep nogit
PATH=$path
[ $status = 1 ] && grep -qE 're-measured: [0-9.]+x slower' nogit/latest/summary.md && [ -z "$(sqlite3 nogit/latest/night.db 'select source_commit from run')" ]
ok "a night without git: a kernel that became slower is red, beside the artifact of the night before"
lose() { rm cache/artifacts/*/"$(sqlite3 lost/history.db 'select artifact from trial')".so; }
lose
deep gone
[ $status = 1 ] && grep -qE 're-measured: [0-9.]+x slower.*; the old artifact was rebuilt from commit [0-9a-f]{12}' gone/latest/summary.md
ok "an artifact that is gone is built again from the commit of the night before, and the night is red"
lose
rm -rf tree/.git
deep lost --strict
[ $status = 4 ] && grep -q '^# asctune nightly: no confirmed regression; 1 ' lost/latest/summary.md && grep -qF 'the artifact of the previous winner is not in the cache any more and cannot be rebuilt: there is no repository around ' lost/latest/summary.md
ok "where neither has it the night says so, and is undecided"

mkdir table && echo '{"mine": 1}' >table/mine.json
real --export table
[ $status = 0 ] && [ -s table/best.json ] && [ -s table/asctune_table.h ] && grep -q '^+++ b/best.json' first/latest/tables.patch && ! grep -q 'mine' first/latest/tables.patch
ok "tables are written, and what is new is a patch"
cp -r table before && patch -s -R -p1 -d before <first/latest/tables.patch && [ "$(cd before && echo *)" = mine.json ]
ok "which takes them back"
echo '{"somebody": "else"}' >table/best.json
real --export table
[ $status = 3 ] && grep -qF 'cannot measure: the tables were not written: ' first/latest/summary.md && grep -q somebody table/best.json
ok "a table of somebody else's is kept, and said"
[ ! -e first/latest/a ] && [ ! -e first/latest/b ]
ok "and leaves no copy in the night"
rm table/best.json

real
[ $status = 0 ] && grep -qF 'nightly: 1 problem, ' said
ok "one problem is one"
real --run '--bogus'
[ $status = 3 ] && grep -qF "cannot measure: unrecognized option '--bogus'" first/latest/summary.md
ok "what a run refuses is said in its own words"
mkdir unread && cp -r axpy axpy.json unread && echo '{' >unread/broken.json
ASCTUNE="$REAL" "$root/ci/nightly" --dir unread/nights --device cpu --time 60s --run '--cache hot --budget 1' unread >said 2>&1
[ $? = 3 ] && grep -qF 'cannot measure: unread/broken.json:2:1: expected a key' unread/nights/latest/summary.md
ok "so is why a workload cannot be read"

mkdir folder && cp -r axpy axpy.json "$root/workloads/schema.json" folder
ASCTUNE="$REAL" "$root/ci/nightly" --dir timed --device cpu --time 8s --run '--cache hot' folder >said 2>&1
[ $? = 0 ] && [ "$(grep -c '^== ended' timed/latest/run.log)" = 1 ] && grep -q '^== ended with status 0' timed/latest/run.log && grep -q '^1 problem measured to the end' timed/latest/summary.md
ok "a folder with a schema, on a budget of its own: its one workload comes to its end"

PLAN=nothing ASCTUNE="$work/program" "$root/ci/nightly" --dir bare --device cpu axpy.json >said 2>&1
[ $? = 3 ] && grep -q '| missing | axpy/small |' bare/latest/summary.md && ! grep -q 'cannot be written' said
ok "a first night without results has its summary"

mkdir -p kept
for day in $(seq 20); do # the history
	cp pattern.db day.db
	sqlite3 day.db "update run set uid = randomblob(16), started_ms = (strftime('%s', 'now') - 86400 * (30 - $day)) * 1000;
		update trial set median_ns = 100000 + $((day * 7919 % 600)) + 1000 * id"
	"$REAL" merge day.db --db kept/history.db
done >said 2>&1
[ "$(runs)" = 20 ]
ok "a history of 20 nights"
mkdir once && cp kept/history.db once
night good
is 0 "no confirmed regression" && [ "$(runs)" = 21 ]
ok "a good night"
PLAN=again ASCTUNE="$work/program" "$root/ci/nightly" --dir once --device cpu axpy.json >said 2>&1
[ $? = 0 ] && grep -q 're-measured: the previous winner takes' once/latest/confirm.txt && grep -q '"remeasured":' once/latest/track.json && ! grep -q '"fails":true' once/latest/track.json
ok "a night far above the others is measured again at once, without a change of the source"
mkdir -p ahead/nights/2999-01-01T000000Z
PLAN=good ASCTUNE="$work/program" "$root/ci/nightly" --dir ahead --device cpu axpy.json >said 2>&1
[ $? = 3 ] && grep -rqF 'the clock was put back: this night is dated before 2999-01-01T000000Z' ahead/latest/summary.md && [ -e ahead/history.db ]
ok "a clock that was put back is said; what was measured is kept"
PLAN=good ASCTUNE="$work/program" "$root/ci/nightly" --dir ahead --device cpu --keep 1 axpy.json >said 2>&1
[ $? = 3 ] && [ -s ahead/latest/summary.md ]
ok "the papers of such a night are kept, though others have later names"
mkdir later && cp ahead/history.db later && sqlite3 later/history.db "update run set started_ms = started_ms + 30000000000000 where id = 1"
PLAN=good ASCTUNE="$work/program" "$root/ci/nightly" --dir later --device cpu axpy.json >said 2>&1
[ $? = 3 ] && grep -qF 'the clock was put back: run 1 is dated 2' later/latest/summary.md
ok "a run that is dated in the future is said"
sqlite3 later/history.db "update run set started_ms = started_ms - 30000000000000 where started_ms > unixepoch() * 1000"
PLAN=good ASCTUNE="$work/program" "$root/ci/nightly" --dir later --device cpu axpy.json >said 2>&1
[ $? = 0 ]
ok "until its time is set right"
night good --threshold 0.01 --strict
is 4 "no confirmed regression; 1 undecided" && grep -qF -- '--threshold asks for one of 0.01 %' kept/latest/track.json
ok "a night that cannot tell a step of --threshold is undecided"
night killed
is 3 "| cut short | axpy/small | cpu | no end was recorded" && [ "$(calls)" = 0 ]
ok "killed before its end, three times as slow so far: cannot measure, no regression"
night nothing
is 3 "| missing | axpy/small | cpu | not begun |" && [ "$(calls)" = 0 ]
ok "killed before its first result: cannot measure, no regression"
before=$(runs)
night teardown
is 0 "1 problem measured to the end" && [ "$(runs)" = $((before + 1)) ] && grep -q 'status 137' kept/latest/run.log
ok "killed in tear-down: counts"
night failing
is 0 '| fails | axpy/small | loop |' && is 0 '| build\_failed | ok | no \`register\` \| left |'
ok "a configuration that fails is listed"
night good
is 0 '| passes | axpy/small | loop |' && is 0 '| ok | build\_failed |'
ok "and that it passes again"
night other
is 0 '| fails | axpy/small | loop |  | cpu' && is 0 '| passes | axpy/small | another \| one |  | cpu' && is 0 '| not run | measured |'
ok "operators come and go"
night good
is 0 '| passes | axpy/small | loop |  | cpu' && is 0 '| measured | not run |'
ok "the other way round"

before=$(runs)
night damaged
[ $status = 3 ] && [ "$(runs)" = "$before" ] && grep -q 'not a database' said && [ ! -e kept/latest/merged ]
ok "a night that cannot be read: cannot measure, the history is as it was"
rm -r "$(readlink -f kept/latest)"
night full
is 3 "cannot measure: the results are not in the history yet: asctune: kept/history.db: cannot be written: File too large" && [ "$(runs)" = "$before" ]
ok "a limit on files is said, the history is as it was"
night good
is 0 "no confirmed regression" && [ "$(runs)" = $((before + 2)) ]
ok "with room again both nights come"

night hanging &
for try in $(seq 600); do [ ! -s hanging ] || break; sleep 0.05; done
ASCTUNE="$work/program" "$root/ci/nightly" --dir kept --device cpu axpy.json >said 2>&1
[ $? = 3 ] && grep -q "another night is at work in kept (process $(cat kept/lock))" said
ok "one night at a time"
before=$(runs)
kill -9 "$(cat kept/lock)" && kill -9 "$(cat hanging)"
wait
flock -w 30 kept/lock true # what the night had started holds its lock until it has ended, too
night good
is 0 "no confirmed regression" && [ "$(runs)" = $((before + 2)) ]
ok "a night that was killed is in nobody's way, and what it measured comes"
rm hanging
night hanging --time 6s # more than what comes before it takes, beside load, too
[ $status = 0 ] && grep -q "status 124" kept/latest/run.log
ok "a run that does not end is ended, and counts"

before=$(runs)
night good --device npu
[ $status = 3 ] && grep -q 'cannot measure: ' said && [ "$(runs)" = "$before" ]
ok "a device that is not here: cannot measure"
night slow
first=$status
night slow
second=$status
night slow
[ "$first$second$status" != 000 ] && is 1 "a new regression" && grep -q '<failure' kept/latest/junit.xml
ok "a planted slow-down: $first, $second, then $status"
night nothing
is 1 "a new regression; not everything was measured to its end"
ok "it stays one, whatever else is missing"
GITHUB_ACTIONS=true
GITHUB_STEP_SUMMARY=$work/step.md
export GITHUB_ACTIONS GITHUB_STEP_SUMMARY
night nothing --keep 3
[ "$(grep -c '^::error title=slower::' said)" = 1 ] && grep -q '^::warning title=asctune nightly::' said && cmp -s step.md kept/latest/summary.md
ok "CI gets annotations and a summary"
[ "$(ls kept/nights | wc -l)" = 3 ]
ok "old nights are removed"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
mkdir machine && cp kept/history.db machine && ./beside machine/history.db
PLAN=machine ASCTUNE="$work/program" "$root/ci/nightly" --dir machine --device cpu axpy.json >said 2>&1
[ $? = 0 ] && grep -qF "slower (probably the machine)" machine/latest/summary.md && ! grep -q '<failure' machine/latest/junit.xml
ok "a slow-down that the baseline has as well: said, not red"
PLAN=machine ASCTUNE="$work/program" "$root/ci/nightly" --dir machine --device cpu --strict axpy.json >said 2>&1
[ $? = 4 ] && grep -qF "slower (probably the machine)" machine/latest/summary.md
ok "it is undecided where that is asked for"
night again
[ $status = 0 ] && [ "$(calls)" = 0 ] && grep -q '"remeasured":' kept/latest/track.json && [ -s kept/latest/confirm.txt ]
ok "measured again, this machine is as fast as ever: no regression"

for words in '--time 5' '--time 0s' '--keep x' '--keep' '--nothing' missing.json '--threshold 0' '--threshold x' '--threshold 101'; do
	ASCTUNE="$REAL" "$root/ci/nightly" --dir wrong $words >said 2>&1
	[ $? = 2 ] && [ ! -e wrong ]
	ok "refused: $words: $(sed 1q said)"
done
for words in '--dims N=1000' '--dtype f16' '--problem small' '-p small'; do
	ASCTUNE="$REAL" "$root/ci/nightly" --dir wrong --run "$words" axpy.json >said 2>&1
	[ $? = 2 ] && [ ! -e wrong ] && grep -qF 'a night measures every problem of its workloads' said
	ok "refused: --run '$words'"
done
echo "1..$n"
