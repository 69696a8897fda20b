# Tables of readers that are stale by what is installed: another Triton, package, text of the kernel, or shipped file; packages that are not there, and Pythons.
# covers: export_check.c reader_check.c evidence.c recorder.c autotune.c cmd_export.c
unset ASCTUNE_PYTHON
package=$ROOT/tests/data/package/vllm-0.1
sqlite3 m.db <"$ROOT/db/schema.sql"
sql() { sqlite3 m.db "$1"; }
asctune init layer --from vllm:moe --set E=8,N=256,K=512,top_k=2,dtype=bf16 --package $package >/dev/null
origin() { sed -n 's/.*"X-source": *\({[^}]*}\).*/\1/p' layer/layer.json; }
origin | sed 's/"digest":"[0-9a-f]*"/"digest":DIGEST/'
echo "# a run notes where its kernel was cut out"
sed 's/"operator"/"X-source": {"kernel": "a.b:axpy", "version": "1.0"}, "operator"/' "$WORKLOADS/axpy.json" >axpy.json; cp -r "$WORKLOADS/axpy" .
asctune run axpy.json -D cpu --problem small --budget 1 --repeats 3 --db a.db >/dev/null 2>&1; sqlite3 a.db 'select json_extract(export_json, "$.$source") from workload'
# One result, of the kernel that was cut out.
config='{"BLOCK_SIZE_M":16,"BLOCK_SIZE_N":128,"BLOCK_SIZE_K":64,"GROUP_SIZE_M":1,"num_warps":4,"num_stages":5}'
sql "INSERT INTO device VALUES(1, 'f1', 'cuda', 'NVIDIA H200', 'sm_90', '580.1', 'event', NULL);
	INSERT INTO workload VALUES(1, 'layer', 'moe', '{\"vllm\": {\"operator\": \"moe\", \"types\": {\"dtype\": \"T\"}}, \"\$source\": $(origin)}');
	INSERT INTO implementation VALUES(1, 'triton', 'k1', -1, 'Python 3.12.1, Triton 3.6.0, ptxas 13.0', '[]', '{}', 'd1');
	INSERT INTO problem VALUES(1, 1, 'k1', 'M1', '{\"dims\":{\"M\":1,\"E\":8,\"N\":256},\"dtypes\":{\"T\":\"bf16\"}}', 0, 0, 'bf16', '{}');
	INSERT INTO run(id, device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome)
		VALUES(1, 1, 1, '{}', 'cold', 1, 0, 1795385437000, 1795385438000, 'done');
	INSERT INTO run_implementation VALUES(1, 1);
	INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
		VALUES(1, 1, 1, 'k', '$config', 0, 1795385437500, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, 60000)"
asctune export vllm --db m.db --unproved -o out 2>/dev/null; table='E=8,N=256,device_name=NVIDIA_H200.json'; ls out
check() { run export --check "${at:-out}" --db m.db "$@"; }
echo "# what is installed: nothing, without and with Python; then a library and its Triton"
mkdir -p site/triton; echo '__version__ = "3.6.0"' >site/triton/__init__.py
ASCTUNE_PYTHON=$PWD/none check
check --python $PWD/none 2>&1
export PYTHONPATH=$PWD/site
check --python python3 2>&1 | sed 's|with vllm.*: /[^ ]*|with vllm...: PYTHON|'
cp -r $package/vllm site; mkdir site/vllm-0.1.dist-info; grep -e Name -e Version $package/PKG-INFO >site/vllm-0.1.dist-info/METADATA; echo vllm/__init__.py >site/vllm-0.1.dist-info/RECORD
check
echo '__version__ = "3.7.1"' >site/triton/__init__.py
check
echo "# another version, whose kernel has moved a line, or is another one, or gone"
cp -r $package next; sed -i 's/^Version.*/Version: 0.2/' next/PKG-INFO
echo '__version__ = "3.6.0"' >site/triton/__init__.py
check --package next
file=next/vllm/model_executor/layers/fused_moe/fused_moe.py
cp $package/PKG-INFO next; sed -i '1i# moved' $file; check --package next
sed -i 's/tl.cdiv(/tl.cdiv( /' $file; check --package next
sed -i 's/def fused_moe_kernel(/def moe_kernel(/' $file; check --package next
rm -r next/vllm/model_executor; check --package next
sed -i 's/def fused_moe_kernel(/def moe_kernel(/' site/vllm/model_executor/layers/fused_moe/fused_moe.py; check 2>&1 | sed 's|: /[^ ]*fused_moe.py|: fused_moe.py|'
printf 'PK\3\4torn' >torn.whl; check --package torn.whl
check --package none
python3 -c 'import zipfile; z = zipfile.ZipFile("up.whl", "w"); z.writestr("vllm/__init__.py", ""); z.writestr("../../up.py", "")'; check --package up.whl
echo "# a kernel that cannot be cut out: it names a C extension, or what an import makes; and an origin of another program"
cp -r $package odd; file=odd/vllm/model_executor/layers/fused_moe/fused_moe.py; touch odd/vllm/_C.so
sed -i 's/^import triton$/&\nfrom vllm import _C/; s/block_m = /&_C.zero + /' $file; check --package odd
sed -i 's/^from vllm import _C/_C = make()/' $file; check --package odd 2>&1 | cut -c 1-200
for odd in '{"kernel": 5}' '{"kernel": "/dev/zero:x"}' '[]' '{}' '{"kernel": "vllm:none", "digest": 1}'; do
	sed "s|\"origin\":{[^}]*}|\"origin\":$odd|" "out/$table.evidence.json" >odd.json.evidence.json; cp "out/$table" odd.json; at=odd.json check --package odd 2>&1 | tail -n 1
done
rm -r site/vllm; cp -r $package/vllm site
echo "# files that the package ships: unknown, ours, imported, changed"
configs=site/vllm/model_executor/layers/fused_moe/configs; mkdir $configs
echo '{"1": {"BLOCK_SIZE_M": 64}}' >"$configs/$table"; check
cp "out/$table" "$configs/"; check
sed 's/^"1":{"BLOCK_SIZE_M":16/"1":{"BLOCK_SIZE_M":32/' "out/$table" >"$configs/$table"
cp "$configs/$table" imported.json; asctune import "$configs/$table" --db m.db >/dev/null 2>&1; asctune export vllm --db m.db --unproved -o known 2>/dev/null; at=known check
sed -i 's/"GROUP_SIZE_M":1,/"GROUP_SIZE_M":8,/' "$configs/$table"; at=known check
grep -v '^"4":' imported.json >"$configs/$table"; at=known check
echo '{"1": ' >"$configs/$table"; at=known check
(cd site && python3 -m zipfile -c ../vllm.whl vllm vllm-0.1.dist-info); rm -r site/vllm; at=known check --package vllm.whl
echo "# rows that somebody else has added since"
sed -i 's/^"1":/"5000":{"BLOCK_SIZE_M":128},\n&/' "out/$table"; at="out/$table" check 2>/dev/null
asctune export vllm --db m.db --unproved -o out --merge 2>/dev/null; at="out/$table" check 2>/dev/null
