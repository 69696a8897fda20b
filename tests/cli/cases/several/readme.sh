# The kernel of your own in README: its files, as they stand there, are taken, checked and tuned, and the default is not the answer.
# covers: cmd_run.c cmd_check.c
block() { awk -v name="$1" '$0 ~ "^`" name "`" {found = 1} found && /^```$/ {exit} inside {print} found && /^```[a-z]/ {inside = 1}' "$ROOT/README.md" >"$1"; }
for file in transpose.json transpose.c reference.c; do block $file; done
[ "$(wc -l <transpose.json)" -le 25 ] && [ "$(cat transpose.c reference.c | wc -l)" -le 8 ] && echo "short enough"
run check-workload transpose.json
command=$(sed -n 's/^`\(asctune run transpose.json\)`.*/\1/p' "$ROOT/README.md")
$command --device cpu --impl tiled --json >lines 2>err; echo "exit $?"; grep -v "^asctune: warning" err
grep -o '"valid":[0-9]*,"cartesian":21' lines | sed 's/[0-9]*,/N,/'
grep -c '"status":"\(ok\|slow\|undecided\)"' lines | sed 's/^[1-9][0-9]*$/some were verified/'
grep -c '"status":"\(wrong\|crashed\|timeout\|[a-z]*_failed\)"' lines
asctune best --json | grep -o '"problem":"1k"'
asctune best --json | grep -c '"config":{"TILE":1,'
