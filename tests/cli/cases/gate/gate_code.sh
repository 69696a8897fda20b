# What a change did to the machine code, below a kernel's verdict and in the JSON; the same as `asctune code --against` has of both files; where objdump
# fails, the verdict is as ever. Instructions are the compiler's.
# covers: gate_code.c gate_text.c code_against.c
if ! command -v objdump >/dev/null; then # as where there is one
	cat "$CASES/gate_code.out"
	exit
fi
mkdir tree bin && cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" tree
export ASCTUNE_DB="$PWD/g.db" ASCTUNE_CACHE_DIR="$PWD/cache"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME COLUMNS
git -C tree init -q -b main && git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m first
gate() { (cd tree && asctune gate -D cpu "$@") >out 2>err; echo "exit $?"; cat err; }
# a loop around each element that no compiler leaves out
sed -i 's/out\[i\] = alpha \* x\[i\] + y\[i\];/{ for (volatile int pass = 0; pass < 40; pass = pass + 1) ; out[i] = alpha * x[i] + y[i]; }/' tree/axpy/kernel.c
echo '--- figures, opcodes, instructions of either side, the command that tells more; 80 columns'
gate
sed -nE 's/^(slower) .*/\1/p; s/^ {11}(instructions|code) [0-9].*/FIGURES/p; s/^ {11}[a-z0-9]+ [0-9]+ -> [0-9]+, .*/OPCODES/p; s/^ {11}([-+]) [a-z].*/\1/p; s/^more: .*/MORE/p' out | uniq
awk 'length > 80 && !/^(base|more)/' out
echo '--- JSON: as the command says'
gate --json
python3 - out <<'END'
import json, subprocess, sys
of, = (json.loads(line) for line in open(sys.argv[1]) if '"gate_kernel"' in line)
code, = of["code"]
print(of["verdict"], code["kernel"], code["same_code"], sorted(set(code["base"]) & set(code["head"])))
said = subprocess.run(["asctune", "code", code["base"]["file"], "--against", code["head"]["file"], "--json"], capture_output=True, text=True, check=True).stdout
alone = json.loads(said)
against = alone["against"]
print(alone["figures"] == code["base"]["figures"], against["figures"] == code["head"]["figures"], code["base"]["figures"]["code_instructions"] < code["head"]["figures"]["code_instructions"])
print([(o["name"], o["here"], o["there"]) for o in against["opcodes"]] == [(o["name"], o["base"], o["head"]) for o in code["opcodes"]])
# each instruction of either side is in the sums of opcodes, and in those that are the same or only there
for side, at in (("base", "only_base"), ("head", "only_head")):
    print(sum(o[side] for o in code["opcodes"]) == code[side]["figures"]["code_instructions"] == code["same"] + code[at])
END
echo '--- an objdump that prints nothing that can be read'
printf '#!/bin/sh\nprintf "\\000\\377 <\\033[2J>:\\n"\n' >bin/objdump && chmod +x bin/objdump
for machine in x86_64 aarch64; do cp bin/objdump bin/$machine-linux-gnu-objdump; done
PATH="$PWD/bin:$PATH" gate
sed -nE 's/^(slower) .*/\1/p; /^ {11}/s/[0-9.]+ k?i?B/N/gp; s|: /.*: (objdump)|: \1|p; s/^more: .*/MORE/p; s/^(1 slower; . built, . measured).*/\1/p' out
echo '--- another number of kernels: those of one name stand beside each other'
sed 's/^void axpy(/void again(/; /^#/d; /^\/\*/d; /^ \* for/d; s/REPEAT(UNROLL)//' tree/axpy/kernel.c >again.c # with the loop that takes long
git -C tree checkout -q axpy/kernel.c && cat again.c >>tree/axpy/kernel.c
python3 - tree/axpy.json <<'END'
import json, sys
with open(sys.argv[1]) as f: workload = json.load(f)
own = workload["implementations"][0]
call = {name: own.pop(name) for name in ("builder", "source", "entry", "launch", "arguments")}
own["calls"] = [call, {**call, "entry": "again"}]
with open(sys.argv[1], "w") as f: json.dump(workload, f)
END
gate
grep -E '^ {11}(kernels|[-+] kernel|axpy:)' out | sed -E 's/, [0-9]+ instr/, N instr/'
gate --json
grep '"gate_kernel"' out | python3 -c 'import json, sys; print([(c["kernel"], sorted({"base", "head", "opcodes"} & set(c))) for c in json.load(sys.stdin)["code"]])'
git -C tree -c user.name=t -c user.email=t@localhost commit -qam two && git -C tree show HEAD~:axpy.json >tree/axpy.json
gate --base HEAD
grep -E '^ {11}(kernels|[-+] kernel|axpy:)' out | sed -E 's/, [0-9]+ instr/, N instr/'
