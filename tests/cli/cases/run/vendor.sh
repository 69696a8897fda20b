# Vendor libraries: left out with words where they are missing, else run, verified and compared with like kernels.
# covers: vendor.c vendor_builder.c
unset ASCTUNE_PYTHON # functions of Python take no part
gemm="$ROOT/tests/data/vendor/gemm.json" sdpa="$ROOT/workloads/sdpa.json"
export ASCTUNE_OPENBLAS=libmissing.so.0 ASCTUNE_CUBLASLT=/missing/libcublasLt.so ASCTUNE_CANN=/missing
run list vendors
asctune run "$gemm" --device cpu --db v.db 2>&1
asctune run "$sdpa" --device cpu --problem tiny --budget 1 --db v.db 2>&1 >/dev/null | grep 'left out'
# a library in its place, right and wrong
for define in WHOLE WRONG; do
	${CC:-cc} -O2 -fPIC -shared -D$define -o "$define.so" "$ROOT/tests/data/vendor/fake_openblas.c"
	ASCTUNE_OPENBLAS="$PWD/$define.so" asctune run "$gemm" --device cpu --db v.db --json 2>/dev/null |
		sed -n 's/.*"type":"trial","implementation":"\([^"]*\)","config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2 \3/p' | sort
done
# the baseline's default is tried whatever the budget is, and remembered
export ASCTUNE_OPENBLAS="$PWD/WHOLE.so"
asctune run "$sdpa" --device cpu --problem tiny --budget 1 --db v.db --json 2>/dev/null | grep -o '"trials":[0-9]*\|"vs_baseline":\|"baseline":{"implementation":"[a-z]*"'
asctune run "$sdpa" --device cpu --problem tiny --impl blocked --budget 1 --verbose --db v.db 2>/dev/null | grep -c '^  baseline .* (openblas, '
asctune best "$sdpa" --db v.db | grep -c 'BASELINE'
# it is not raced: none of its configurations is dropped for being slower than the best
asctune run "$sdpa" --device cpu --problem odd-causal --budget 8 --db s.db >/dev/null 2>&1
sqlite3 s.db "SELECT sum(status = 'ok') = count(*) FROM trial t JOIN implementation i ON i.id = t.implementation_id WHERE i.name = 'openblas'"
# its strongest form in the finals is what the best is compared with, then and later
ratio() { grep -o '"vs_baseline":[^,}]*'; }
asctune run "$ROOT/workloads/gemm.json" --device cpu --problem tiny --budget 6 --db f.db --json 2>/dev/null | ratio >ran
asctune best --db f.db --json | ratio | diff ran - && grep -c . ran
# a tensor of the host's memory: on the CPU that is the device's
sed 's|"a": {|"a": {"place": "host", |' "$gemm" >host.json
cp "$ROOT/tests/data/vendor/gemm_reference.c" .
asctune run host.json --device cpu --impl openblas --budget 1 --db h.db --json 2>/dev/null | grep -o '"status":"ok"'
sqlite3 h.db "SELECT DISTINCT n.name, m.value FROM metric m JOIN metric_name n ON n.id = m.name_id WHERE n.name = 'workspace_bytes'"
