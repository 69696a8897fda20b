# What a gate tells a CI: Markdown, JUnit, annotations at the kernel's line, the summary of a step; names that mean something to a format stay text.
# covers: gate_ci.c ci_text.c output.c
mkdir -p tree/kernels
cp -r "$WORKLOADS/axpy" tree/kernels/one
sed "s|\"name\": \"axpy\"|\"name\": \"one\"|; s|axpy/|one/|" "$WORKLOADS/axpy.json" >tree/kernels/one.json
# a second problem at the same line
sed -i 's|{"name": "large".*|{"name": "medium", "dims": {"N": 3000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}|' tree/kernels/one.json
# a name that is a row of a table, code, a tag, a property of a command and an escape of one
odd='o|dd `*<b>,line=9%0A::@x'
mkdir "tree/kernels/$odd"
cp "$WORKLOADS"/axpy/* "tree/kernels/$odd"
sed "s|\"name\": \"axpy\"|\"name\": \"odd\"|; s#axpy/#$odd/#" "$WORKLOADS/axpy.json" >tree/kernels/odd.json
export TMPDIR="$PWD/scratch" ASCTUNE_DB="$PWD/g.db"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME GITHUB_ACTIONS GITHUB_STEP_SUMMARY
mkdir scratch
git -C tree init -q -b main && git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m first
git -C tree branch 'a|b`c`<i>'
# ids, times and words of compilers are the machine's; so is what changed in the code
shape() { sed -E '/^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d; /^```diff/,/^$/d; s|^[a-z0-9]+ [0-9]+ .*-&gt;.*(</failure>)|CODE\1|; s/base [0-9a-f]{12}/base C/; s/[0-9]+ built, ([0-9]+) measured, [0-9.]+ m?s$/B built, \1 measured, TIME/; s/classname="asctune.cpu: .*\.(one|odd)"/classname="CPU.\1"/; s/error: [^|<"]*/error: E/g; s/the first out[^|<"]*/FIRST/g'; }

echo '--- nothing changed'
(cd tree && asctune gate -D cpu kernels --base 'a|b`c`<i>' --markdown -) | shape
(cd tree && GITHUB_ACTIONS=true asctune gate -D cpu kernels --junit ../none.xml) 2>&1 | shape
shape <none.xml
echo '--- broken, at the line of the kernel; a step summary; annotations'
printf '/* a comment */\n\n' | cat - tree/kernels/one/kernel.c >k.c && sed 's/alpha \* x\[i\] + y\[i\]/alpha * x[i] - y[i]/' k.c >tree/kernels/one/kernel.c
echo 'no `C` | <script>' >>"tree/kernels/$odd/kernel.c"
echo 'earlier step' >step.md
(cd tree && GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=../step.md asctune gate -D cpu kernels --markdown ../out.md --junit ../out.xml --code-quality ../out.json) >out 2>err; echo "exit $?"
shape <out; shape <err
shape <out.md
{ echo 'earlier step'; cat out.md; } | cmp - step.md
command -v objdump >/dev/null && sed -n '/^```diff/,/^```$/p' out.md | grep -cE '^(```diff|one/small loop|[-+] .*|```)$' | sed 's/^[6-9]$/a diff of the code/' || echo 'a diff of the code'
shape <out.xml
python3 -c 'import sys, xml.etree.ElementTree as t; s = t.parse("out.xml").getroot()[0]; print(s.attrib["failures"], [c.find("failure").attrib["type"] for c in s if c.find("failure") is not None])'
echo '--- code quality: an issue for each, at its line; of the same fingerprints in the next gate; of nothing an empty report, which is replaced'
issues() { python3 -c 'import json, sys; print(*((i["check_name"], i["severity"], i["location"]["path"], i["location"]["lines"]["begin"], i["description"].split(":")[0]) for i in json.load(open(sys.argv[1]))), sep="\n")' "$1"; }
issues out.json
cp out.json first.json
(cd tree && asctune gate -D cpu kernels --code-quality ../out.json) >/dev/null 2>&1
python3 -c 'import json; a, b = ([i["fingerprint"] for i in json.load(open(f))] for f in ("first.json", "out.json")); print(a == b, len(set(a)) == len(a) > 1)'
echo '[]' >none.json
(cd tree && git stash -q && asctune gate -D cpu kernels --code-quality ../none.json >/dev/null && cat ../none.json && git stash pop -q)
(cd tree && asctune gate -D cpu kernels --code-quality ../none.json) >/dev/null 2>&1; issues none.json | wc -l
echo '--- a step whose summary is the file itself; again; a file of somebody else, said before anything is measured; two on stdout'
(cd tree && GITHUB_STEP_SUMMARY=../out.md asctune gate -D cpu kernels --markdown ../out.md --json) >/dev/null 2>&1; grep -c '^## ' out.md
echo mine >mine.md
(cd tree && asctune gate -D cpu kernels --markdown ../mine.md); echo "exit $?"; cat mine.md
(cd tree && asctune gate -D cpu kernels --markdown ../none/out.md); echo "exit $?"
(cd tree && asctune gate -D cpu kernels --junit ..); echo "exit $?"
(cd tree && asctune gate -D cpu kernels --markdown - --json); echo "exit $?"
(cd tree && asctune gate -D cpu kernels --markdown - --junit -); echo "exit $?"
echo '--- more kernels than fit'
python3 - <<'P'
import json, os
w = json.load(open("tree/kernels/one.json"))
w["name"] = "many"
p = w["problems"][0]
w["problems"] = [dict(p, name="p%d" % i) for i in range(99)]
json.dump(w, open("tree/kernels/many.json", "w"))
P
(cd tree && asctune gate -D cpu kernels --markdown - --budget 1s) | sed '/^load /,+1d' >many.md; wc -l <many.md; tail -4 many.md | shape | sed "s,[0-9]* measured,M measured,"
