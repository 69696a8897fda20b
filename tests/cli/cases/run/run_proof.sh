# A table for vLLM, proved by `run --table`: its answers are measured at their rows and between them beside what vLLM takes without it. Times are planted (kernel.c of
# the benchmark's workload): the block of 64 is fast within a quarter of a power of two from 64 on and slow elsewhere, that of 128 ties with vLLM's own.
# covers: run_proof.c reader_asked.c run_given.c reader_proof.c reader_verdict.c reader_naming.c problem_sizes.c cmd_run.c cmd_export.c
cp -r "$ROOT"/tests/bench/workloads/losers* "$ROOT"/tests/bench/workloads/spin .
w=losers.json
quiet() { "$@" >out.txt 2>err.txt; echo "exit $?"; }
run check-workload $w
# Readers that are none, or not the workload's.
run run $w --table vlmm --device cpu
run run $w --table sglang:moe --device cpu
run run $w --table vllm:block-fp8 --device cpu
run run $w --table vllm --config GROUP_SIZE_M=32 --problem m64
run run $w --table vllm --confirm
run run $w --table vllm --repeats 5 --device cpu
quiet asctune run $w --table vllm:moe --device cpu --budget all --db t.db --json --problem m48 --problem m64 --problem m128
# What serves each size, and whether it loses there: a table by vLLM's rule, the nearest row.
cat >asked.py <<'END'
import json, sys
def default(m):
    return (16 if m <= 32 else 32 if m <= 96 else 64 if m <= 512 else 128, 64 if m <= 64 else 128, 16 if m // 8 > 128 else 1)
near = lambda m: any(3 * row < 4 * m <= 5 * row for row in (1 << i for i in range(6, 16)))
rows = {int(k): v for k, v in json.load(open(sys.argv[1])).items() if k.isdigit()}
served = lambda m: rows[min(rows, key=lambda x: abs(x - m))]
lost = [m for m in range(1, 20000) if served(m)["GROUP_SIZE_M"] == 32 and (served(m)["BLOCK_SIZE_M"] != 64 or not near(m))]
foreign = [m for m in range(1, 20000) if served(m)["GROUP_SIZE_M"] != 32 and tuple(served(m)[k] for k in ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "GROUP_SIZE_M")) != default(m)]
print("results serve", [m for m in range(1, 20000) if served(m)["GROUP_SIZE_M"] == 32], "lost", lost, "another size's default", foreign)
END
python3 - <<'END'
import json
lines = [json.loads(l) for l in open("out.txt")]
t = [l for l in lines if l["type"] == "table"]
print(len(t), t[0]["reader"], t[0]["results"], t[0]["unproved"], t[0]["measured"] > 5)
print([(r["row"], r["default"]) for r in t[0]["rows"] if r["row"] in ("48", "63", "64", "65", "127", "128", "129")])
END
quiet asctune export vllm --db t.db --foreign-kernel -o table; python3 asked.py table/E*r.json
# Sizes that were compared for the table alone are no answers of their own.
asctune best --db t.db --json | python3 -c 'import json, sys; print(sorted(json.loads(l)["problem"] for l in sys.stdin))'
sqlite3 t.db "SELECT count(*) > 5, count(DISTINCT problem_id) > 5 FROM run WHERE strategy = 'table'"
quiet asctune report --db t.db -o page.html; grep -c 'm64.M' page.html
# What is fast at its row alone has gained by its draw of the experts, and its row is vLLM's own.
sed -i 's/is_near_row(m)/m % 64 == 0/' losers/kernel.c
quiet asctune run $w --table vllm --device cpu --budget all --db d.db --problem m64
asctune export vllm --db d.db --foreign-kernel --explain | grep '^  64: ' | sed 's/: BLOCK.*: pinned/: pinned/; s/takes [0-9.]* of/takes some of/'
cp "$ROOT"/tests/bench/workloads/losers/kernel.c losers/
# Again: what was measured is proved, and nothing else is measured.
quiet asctune run $w --table vllm --device cpu --budget all --db t.db --resume --json --problem m48 --problem m64 --problem m128
python3 -c '
import json
t = [json.loads(l) for l in open("out.txt") if "\"table\"" in l]
print([(x["measured"], x["unproved"]) for x in t])'
# Without the proof no row is the result's, since experts are drawn; with --unproved it serves all that are nearest.
quiet asctune run $w --device cpu --budget all --db u.db --problem m64
quiet asctune export vllm --db u.db --foreign-kernel -o plain; python3 asked.py plain/E*r.json
quiet asctune export vllm --db u.db --foreign-kernel --unproved -o taken; python3 asked.py taken/E*r.json | sed 's/lost \[[0-9, ]*\]/lost many/'
# No time for the proof: what it does not reach stays the library's own.
quiet asctune run $w --table vllm --device cpu --budget 4ms --db s.db --json --problem m64
python3 -c '
import json
t = [json.loads(l) for l in open("out.txt") if "\"table\"" in l]
print([x["unproved"] > 0 or x["results"] == 0 for x in t])'
# What vLLM takes by itself fails on this device: the row of a result that passes holds it.
sed -i 's/^#include <stdint.h>/#if GROUP_SIZE_M != 32 \&\& BLOCK_SIZE_M == 32\n#error no default\n#endif\n&/' losers/kernel.c
quiet asctune run $w --table vllm --device cpu --budget all --db f.db --problem m64
grep -c 'for the table: chain .* is build_failed' err.txt | sed 's/[1-9][0-9]*/some/'
grep -o 'next: .*' err.txt; quiet $(sed -n 's/.*next: //p' err.txt) -o next
asctune export vllm --db f.db --foreign-kernel --explain | grep '^  64: ' | sed 's/.*: //'
# Rounds of an earlier text of the kernel say nothing of the next one: what was fast everywhere is measured again, and what one run has left out is left out.
cp "$ROOT"/tests/bench/workloads/losers/kernel.c losers/; sed -i 's/is_near_row(m) ? 850 : 1300/850/' losers/kernel.c
quiet asctune run $w --table vllm --device cpu --budget all --db n.db --problem m64 --problem m128
cp "$ROOT"/tests/bench/workloads/losers/kernel.c losers/
quiet asctune run $w --device cpu --budget all --db n.db --problem m128
asctune export vllm --db n.db --foreign-kernel -o older 2>err.txt; python3 asked.py older/E*r.json; grep -c 'm64.*left out: it was measured with another text' err.txt
# Another machine's, too; and those of another layer, whose rows one file cannot hold.
sqlite3 n.db "UPDATE device SET fingerprint = 'other', driver = 'old'"
quiet asctune run $w --device cpu --budget all --db n.db --problem m128
asctune export vllm --db n.db --foreign-kernel -o twin 2>err.txt; python3 asked.py twin/E*r.json
sed 's/"LENGTH": 256/"LENGTH": 512/' $w | sed 's/"name": "losers"/"name": "twin"/' >twin.json
quiet asctune run twin.json --device cpu --budget all --db n.db --problem m64
asctune export vllm --db n.db --foreign-kernel -o none 2>&1 | cut -c1-80
# What one file cannot hold is said before anything is tuned: two layers are refused; problems and implementations that are one row may have one configuration.
python3 - <<'END'
import copy, json
w = json.load(open("losers.json"))
def write(name, change):
    other = copy.deepcopy(w)
    change(other, copy.deepcopy(next(p for p in w["problems"] if p["name"] == "m64")))
    json.dump(other, open(name, "w"))
write("layers.json", lambda o, p: o["problems"].append({**p, "name": "other", "dims": {**p["dims"], "LENGTH": 512, "M": 128}}))
write("rows.json", lambda o, p: o["problems"].append({**p, "name": "same"}))
write("both.json", lambda o, p: o["implementations"].append({**o["implementations"][0], "name": "twin"}))
END
run run layers.json --table vllm --device cpu --problem m64 --problem other --db none.db 2>&1 | sed 's/device_name=.*[.]json/device_name=CPU.json/'; ls none.db 2>&1
early() { asctune run "$@" --table vllm --device cpu --budget 2 --db "$(basename "$1").db" 2>&1 | sed -n '/valid configurations/q; s/device_name=.*[.]json/device_name=CPU.json/; s/.*warning: //p'; }
early rows.json --problem m64 --problem same; early rows.json --problem m64 --problem same --cover 5%; early both.json --problem m64; early both.json --problem m64 --impl twin; early rows.json --problem m64
