# Inputs in files: kernels that are right on the first set alone are found in the finals, and by --config; a file that changes; what strangers may not name.
# covers: binding_files.c tensor_file.c worker_sets.c worker_finals.c measure_config.c untrusted.c
cp -r "$WORKLOADS/sets" "$WORKLOADS/sets.json" .
asctune run sets.json --device cpu --strategy exhaustive --budget all --db sets.db >lines 2>err
echo "exit $?"
sed -n 's/^  \(c  *LIMIT=.*\)/\1/p' lines
sqlite3 sets.db "select config_key, reason from trial where status = 'wrong'"
for limit in 0 50; do
	run run sets.json --device cpu --db sets.db --config LIMIT=$limit 2>/dev/null | sed -n '/result/p; /exit/p'
done
echo '- the same on the stand-in of an NPU'
asctune run "$WORKLOADS/sets.json" --device npu:sim:Ascend910B3 --problem p --strategy exhaustive --budget all --db npu.db >lines 2>err
echo "exit $?"
sed -n 's/^  \(npu  *LIMIT=.*\)/\1/p' lines
sqlite3 npu.db "select config_key, reason from trial where status = 'wrong'"
echo '- results of earlier runs, of the same files and of a changed one'
again() { asctune run sets.json --device cpu --strategy exhaustive --budget all --db sets.db --resume --json 2>err | grep -o '"resumed":[0-9]*' | tail -n 1; }
again
printf '\0\0\0\0' | dd of=sets/w.npy bs=1 seek=1148 conv=notrunc 2>/dev/null
again
echo '- other sizes'
run run sets.json --device cpu --db sets.db --dims N=64
echo '- broken files'
head -c 1000 "$WORKLOADS/sets/set1.safetensors" >sets/set1.safetensors
run check-workload sets.json
run space sets.json
rm sets/set1.safetensors
mkfifo sets/set1.safetensors
run check-workload sets.json
rm sets/set1.safetensors
ln -s "$WORKLOADS/sets/set1.safetensors" sets/set1.safetensors
run check-workload sets.json
rm sets/set1.safetensors
echo '- strangers'
mkdir outside
cp "$WORKLOADS/sets/set1.safetensors" "$WORKLOADS/sets/w.npy" outside
mkdir w
cp -r sets w
sed "s|sets/set1|../outside/set1|; s|sets/w|$PWD/outside/w|" sets.json >w/w.json
run check-workload --untrusted w/w.json 2>&1 | grep -v standin
run run w/w.json --device cpu --db w.db --config LIMIT=50 2>/dev/null | sed -n '/result/p; /exit/p'
