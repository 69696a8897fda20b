#!/bin/sh
# Tensors with place host on a GPU: a function of cublasLt takes them from pinned memory, verified as always, and its facts are recorded.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
asctune list vendors | grep -q '^cublaslt  *yes' || skip "no cublasLt: $(asctune list vendors | sed -n 's/^cublaslt  *no  *//p')"
cp -r "$here/../../workloads/gemm" "$here/../../workloads/gemm.json" "$here/../../workloads/python" "$base" || exit 1
cd "$base" || exit 1
explain() { sed 's/^/# /' run.json err | tail -n 20; }

# Trials with that status and all of these words.
count() { # STATUS WORD...
	lines=$(grep '"type":"trial"' run.json | grep "\"status\":\"$1\"")
	shift
	for word; do lines=$(echo "$lines" | grep "$word"); done
	echo "$lines" | grep -c .
}
tune() { asctune run "$1" --device cuda --problem "$problem" --impl cublaslt --budget 4 --no-history --db r.db --json >run.json 2>err; }

problem=$(sed -n 's/.*{"name": "\([^"]*\)".*"cuda".*/\1/p' gemm.json | head -n 1)
tune gemm.json
check "cublasLt's product passes" [ "$(count ok)" -ge 1 ]
check "its workspace, host time and capturability are in the result" [ "$(count ok workspace_bytes host_ns '"capturable"')" -ge 1 ]
for name in a b A B; do sed -i "s|^\( *\"$name\": {\)|\1\"place\": \"host\", |" gemm.json; done
grep -q '"place": "host"' gemm.json || exit 1
# kernels that are built refuse such tensors: only the library's implementation stays
python3 - <<'PY' || exit 1
import json
w = json.load(open("gemm.json"))
w["implementations"] = [i for i in w["implementations"] if i["name"] == "cublaslt"]
w.pop("reference_on", None)
w["baseline"] = "cublaslt"
json.dump(w, open("host.json", "w"))
PY
tune host.json
check "it passes with operands in pinned memory" [ "$(count ok)" -ge 1 ]
asctune run gemm.json --device cuda --problem "$problem" --budget 1 --db r.db >run.json 2>err
check "a kernel that is built refuses them" grep -q 'lives on the host' err
echo "1..$n"
exit $failed
