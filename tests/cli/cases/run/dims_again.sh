# Every command that is printed for a size of --dims runs: what failed, what is undecided or not finished, what the page and the trend advise.
# covers: target.c problem_sizes.c repeat.c
cp -r "$WORKLOADS/faults" "$WORKLOADS/faults.json" "$WORKLOADS/axpy" .
# three problems; f16 has a tolerance, the kernel computes in f32 alone
sed 's/{"f32"/{"f16": {"atol": 1, "rtol": 1}, "f32"/' "$WORKLOADS/axpy.json" >axpy.json
export ASCTUNE_DB="$PWD/d.db"
tune() { asctune run "$@" -D cpu --cache hot --limit 1500ms 2>err; }
# The commands of a text or a page, one a line.
commands() { sed 's/<\/*span>//g; s/<[^>]*>/\n/g; s/&#39;/'"'"'/g' "$1" | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta' | grep -o 'asctune run /.*' | sed 's/ *$//' | sort -u; }
# Runs each, with a budget of one trial where it has no --config; says which name no problem.
follow() {
	commands "$1" >list
	[ -s list ] || echo 'no command'
	while read -r line; do
		echo "$line" | sed "s|$PWD/||g; s/ --cache.*//; s/ -b .*//"
		case $line in *--config*) ;; *) line="$(echo "$line" | sed "s/ -b \('[^']*'\|[^ ]*\)//") -b 1" ;; esac
		sh -c "$line" >again 2>&1 </dev/null
		[ $? -lt 2 ] || cat again
	done <list
}
echo '--- repeat, of two problems'
tune faults.json --impl wrong --budget 1 --dims N=300,301 >out; follow out
echo '--- a size of a problem that is named, and of such a size'
tune faults.json --impl wrong --budget 1 -p small.N300 | grep -o '^faults/[^ ]*'
tune faults.json --impl wrong --budget 1 -p small.N300 --dims N=303 | grep -o '^faults/[^ ]*'
tune axpy.json --budget 1 -p small.N302 --dtype f16 | grep -o '^axpy/[^ ]*'
tune axpy.json --budget 1 -p small.N302.Tf16 --dims N=303 | grep -o '^axpy/[^ ]*'
echo '--- go on, of sizes of two problems; once more; more time'
tune axpy.json --budget 3 -p small -p large --dims N=300 >out
sqlite3 d.db "update run set outcome = 'interrupted', budget = '12 trials' where id in (select r.id from run r join problem p on p.id = r.problem_id where p.name like '%N300')"
asctune best >out 2>&1; grep -o '^go on' out; follow out
tune axpy.json --budget 3 -p small --dims N=301 >out
ending() { sqlite3 d.db "update run set sure = '$1', decided = $2, budget = '2 s' where id = (select max(id) from run)"; }
ending 'too noisy to rank' 1; asctune best >out 2>&1; sed -n '/^once more/,$p' out >part; follow part
tune axpy.json --budget 3 -p small --dims N=305 >out
ending 'not ranked: time ran out before the finals' NULL; asctune show small.N305 >out 2>&1; follow out
tune faults.json --impl wrong --budget 1 --dims N=306 >out
asctune report -o whole.html 2>/dev/null
# what failed: others have a command where the machine was too busy for an answer
sed 's/<\/*span>//g; s/<[^>]*>/\n/g' whole.html | grep -e --impl >page.html
follow page.html
echo '--- other commands that take problems'
asctune space axpy.json -D cpu -p small.N300 | sed -n '2s/ .*//p'
run runs faults.json -D cpu -p small.N300
echo '--- mistakes'
run run faults.json -D cpu -p small.M3
run run faults.json -D cpu -p small.N0
run run faults.json -D cpu -p smal.N3
