# Triton kernels are compiled for a GPU that is not here. What cubins say is what cuobjdump of Triton's own package reads in them; a launch that needs a fact of the
# device is left open.
# covers: builds.c built_kernel.c cubin_code.c code_file.c
if ! asctune list builders --json | grep -q '"name":"triton","usable":true'; then # as where there is a Triton
	cat "$CASES/build_triton.out"
	return
fi
export ASCTUNE_CACHE_DIR="$PWD/cache"
asctune build "$ROOT/workloads/gemm.json" -D sm_90 -p odd-f16 --impl triton --budget 3 --json >lines 2>err; echo "exit $?"
asctune build "$ROOT/workloads/sdpa.json" -D sm_90 -p bert-384-f16 --impl triton-persistent --budget 1 --json -o made >>lines 2>>err; echo "exit $?"
"${ASCTUNE_PYTHON:-python3}" - <<'PY'
import glob
import json
import os
import re
import subprocess

import triton

tool = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "cuobjdump")
kernels = [kernel for line in open("lines") for kernel in json.loads(line).get("kernels", ()) if kernel["path"].endswith(".cubin")]
devices = [json.loads(line)["arch"] for line in open("lines") if '"totals"' in line]
print("kernels:", len([k for k in kernels if k["entry"] in ("gemm", "sdpa")]), "for", *devices)
for kernel in kernels:
    said = subprocess.run([tool, "-res-usage", kernel["path"]], capture_output=True, text=True).stdout
    registers, stack, shared = map(int, re.search(rf"Function {kernel['entry']}:\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)", said).groups())
    # 1024 bytes are the driver's, in what cuobjdump reads.
    if (kernel["registers"], kernel["local_bytes"], kernel["static_shared_bytes"]) != (registers, stack, shared - 1024):
        print("differ:", said, kernel)
launch = json.load(open(glob.glob("made/*.json")[0]))["kernels"][0]
print("grid:", launch["grid"], "of", launch["formulas"]["grid"][0][:24] + "...", "block:", launch["block"], "entry:", launch["entry"])
print("artifact:", os.path.getsize("made/" + launch["file"]) > 1000, "metadata:", sorted(launch["metadata"])[:3])
PY
# A module that cannot be imported is a kernel that does not build: a run goes on without it, a build says so.
cp -r "$ROOT/workloads/softmax" "$ROOT/workloads/softmax.json" "$ROOT/workloads/cpu" "$ROOT/workloads/cuda" "$ROOT/workloads/python" .
echo 'def broken(:' >>softmax/kernel.py
asctune build softmax.json -D sm_90 -p tiny --impl triton >out 2>err; echo "exit $?"
sed -n 's/^! \(1 build_failed: \).*\(SyntaxError\).*/\1\2/p' out
