#!/bin/sh
# InfiniOps' 27 implementations for NPUs by operator and index: which of them a workload has, that 16 are made of CANN's operators, run on the stand-in and are right, and that all
# that a workload has are called through the library, too (tests/ci/library_standin.t calls a double of it).
# The list is InfiniTensor/InfiniOps' branch feat/ascend-operators at 1ed8fb33, src/ascend; one that is declared without a number is number 0. Takes $ASCTUNE_BUILD.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-indices.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="$work/cache"
export ASCTUNE_PYTHON_NPU=/nowhere/python # no kernel of Triton is run
cd "$work" || exit 1

# OPERATOR INDEX STATUS: it runs; library: it is called through the library alone; none: no workload has it yet. All of them are 27.
sort >want <<'END'
Add 0 runs
AddRmsNorm 0 runs
AddRmsNorm 1 runs
AddRmsNorm 2 library
ApplyRotaryPosEmb 0 runs
ApplyRotaryPosEmb 1 library
Cast 0 runs
Cat 0 runs
CausalSoftmax 0 runs
FlashAttention 0 none
Gemm 0 library
Linear 0 none
Matmul 0 none
Mul 0 runs
PagedAttention 0 none
ReshapeAndCache 0 runs
ReshapeAndCache 1 runs
ReshapeAndCache 2 library
RmsNorm 0 runs
RmsNorm 1 library
RotaryEmbedding 0 runs
RotaryEmbedding 1 library
RotaryEmbedding 2 runs
SiluAndMul 0 runs
Swiglu 0 runs
Swiglu 1 runs
TopkToppSampling 0 none
END

# OPERATOR INDEX FILE IMPLEMENTATION of what is made of CANN's operators; OPERATOR INDEX of what is called through the library.
python3 - "$root"/workloads/*.json <<'PY'
import json
import pathlib
import sys

with open("called", "w") as called, open("library", "w") as library:
    for path in map(pathlib.Path, sys.argv[1:]):
        workload = json.loads(path.read_text())
        operator = workload.get("export", {}).get("infiniops", {}).get("operator")
        for i in workload.get("implementations", []):
            if not operator or "index" not in i or "npu" not in i["devices"]:
                continue
            if i.get("builder") != "python":
                print(operator, i["index"], path, i["name"], file=called)
            elif (operator, i["index"]) not in (("Add", 1), ("Gemm", 2)):  # PyTorch's are another back end of the library, on every device
                print(operator, i["index"], file=library)
                assert i["constants"] == {"implementation_index": i["index"]}, (operator, i["name"])
PY

n=0
check() { # NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if "$@"; then echo "ok $n - $name"; else
		echo "not ok $n - $name"
		{ head -n 5 err; grep '"type":"trial"' lines | grep -v '"status":"ok"' | grep -o '"problem":"[^"]*"\|"reason":"[^"]*"'; } 2>/dev/null | head -n 12 | sed 's/^/# /'
	fi
}
right() { # every configuration that was tried, and at least one
	[ "$rc" = 0 ] && grep '"type":"trial"' lines | grep -q '"status":"ok"' && ! grep '"type":"trial"' lines | grep -vq '"status":"ok"'
}
tune() { # FILE IMPLEMENTATION SOC OPTION...
	file=$1 implementation=$2 soc=$3
	shift 3
	asctune run "$file" --impl "$implementation" --device "npu:sim:$soc" --repeats 1 --no-race --no-history --db r.db --json "$@" >lines 2>err </dev/null
	rc=$?
}

: >have
while read -r operator index file implementation; do
	# CANN 8.5.1 gives wrong results on a 910B (InfiniOps' note).
	case $operator$index in ReshapeAndCache1) soc=Ascend950PR_9579 ;; *) soc=Ascend910B3 ;; esac
	tune "$file" "$implementation" "$soc" --budget 1
	check "$operator $index on $soc: $implementation" right
	right && echo "$operator $index runs" >>have
done <called
cut -d ' ' -f 1-2 called | sort -u >called.names
while read -r operator index; do grep -qx "$operator $index" called.names || echo "$operator $index library" >>have; done <library
sort -u have >sorted
while read -r operator index status; do
	grep -q "^$operator $index " sorted || echo "$operator $index none" >>have
done <want
sort -u have >sorted
check "the operators' list is what the workloads have: $(grep -c runs sorted) of $(wc -l <sorted) run" diff want sorted

# A library knows its sizes, not which numbers a fill makes: OPERATOR SIZE of a dimension that nothing but fills, costs and references names.
python3 - "$root"/workloads/*.json >unknowable <<'PY'
import json
import pathlib
import re
import sys

ASIDE = "problems", "fill", "flops", "bytes", "reference", "reference_on", "tolerance", "description", "export"


def named(value):
    if isinstance(value, dict):
        return " ".join(named(v) for k, v in value.items() if k not in ASIDE)
    return " ".join(map(named, value)) if isinstance(value, list) else str(value)


for path in map(pathlib.Path, sys.argv[1:]):
    workload = json.loads(path.read_text())
    export = workload.get("export", {}).get("infiniops")
    if export:
        sizes = export.get("sizes", {d: d for p in workload["problems"] for d in p["dims"]})
        known = set(re.findall(r"\w+", named(workload)))
        print("".join(f"{export['operator']} {name}\n" for name, size in sizes.items() if size not in known), end="")
PY
sort -u library >library.names
check "what is made of CANN's operators is called through the library, too" test -z "$(comm -23 called.names library.names)"

check "no rule asks for what only fills know" diff /dev/null unknowable

file="$root/workloads/rotary_embedding.json"
tune "$file" aclnn-index_select-copy-apply Ascend910B3 --problem odd
check "D 80 is none of RotaryEmbedding 0, which says so" grep -q 'aclnn-index_select-copy-apply: "not inplace and neox .* D in \[64, 128\].*" does not hold for odd' err
check "and nothing is tried" sh -c '[ "$1" = 3 ] && ! grep -q "\"type\":\"trial\"" lines' - "$rc"

# Another cos_sin_cache of equal shape, at the same address: both sets are verified one after another by one executor. A table of the first set in the place of the second's is found.
cp -r "$root"/workloads/rotary_embedding* "$root/workloads/npu" "$root/workloads/cpu" "$root/workloads/python" .
python3 - <<'PY'
import json
import math
import struct

P, D = 16, 64


def table(halves, shift):
    angle = [[(p + shift) * 100 ** (-2 * k / D) for k in range(D // 2)] for p in range(P)]
    return [half(a) for row in angle for half in halves for a in row]


def write(path, tensors):
    header, data = {}, b""
    for name, numbers in tensors.items():
        piece = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": [P, D], "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head + data)


def tensors(shift, shift_of_sines):
    return {"cos_sin_cache": table((math.cos, math.sin), shift), "cos_table": table((math.cos, math.cos), shift), "sin_table": table((math.sin, math.sin), shift_of_sines)}


write("first.safetensors", tensors(0, 0))
write("second.safetensors", tensors(5, 5))
write("stale.safetensors", tensors(5, 0))
workload = json.load(open("rotary_embedding.json"))
problem = {"dims": {"M": 4, "NQ": 8, "NKV": 2, "D": D, "R": D, "P": P, "neox": True, "GAP": 0, "inplace": False}, "dtypes": {"T": "f32"}, "devices": ["npu"]}
workload["problems"] = [{**problem, "name": name, "sets": ["first.safetensors", f"{name}.safetensors"]} for name in ("second", "stale")]
for name in "cos_sin_cache", "cos_table", "sin_table":
    workload["tensors"][name]["fill"] = {"kind": "file"}
json.dump(workload, open("two.json", "w"))
PY
for implementation in aclnn-index_select-copy-apply aclnn-rope; do
	tune two.json $implementation Ascend910B3 --problem second --config ''
	check "two caches of equal shape, one after another: $implementation" right
done
tune two.json aclnn-index_select-copy-apply Ascend910B3 --problem stale --config ''
check "a table that is still the other one's is found" grep -q 'with the inputs of stale.safetensors: .*query_out' lines
echo "1..$n"
