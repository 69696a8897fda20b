# A command is run as it is, with the recorder in the way of each Python that it starts; and workloads of records that are there (tests/data/capture).
# covers: cmd_capture.c capture_folder.c capture_write.c
unset ASCTUNE_PYTHON
cp -r "$ROOT"/tests/data/capture/add .
rm add/add.json
run capture -o add
run check-workload add/add.json
cmp add/add.json "$ROOT"/tests/data/capture/add/add.json
cp add/add.json add/capture.json .
run capture -o add # the same bytes
cmp add/add.json add.json
cmp add/capture.json capture.json
run capture -o add --shapes 1
sed -i 's/0.001/0.0001/' add/add.json
run capture -o add # an edited file stays
grep -c 0.0001 add/add.json
run capture -o add --json
run capture -o add -- echo never
# Records of another kernel: what was edited stays and is named, what was not goes.
cp -r add other
sed -i 's/"name": "add"/"name": "plus"/' other/records/1-0.jsonl
run capture -o other
run capture -o add --json >/dev/null
cp -r add again && rm again/add.json && run capture -o again >/dev/null
sed -i 's/"name": "add"/"name": "plus"/' again/records/1-0.jsonl
run capture -o again
ls again/*.json
# A kernel of FLA's autotuner has the names of its tables: key and types of tensors in the order of the launch. A key with a text cannot be told.
cp -r "$ROOT"/tests/data/capture/add fla && rm fla/add.json
sed -i 's/triton.runtime.autotuner.Autotuner/fla.ops.utils.cache.CachedAutotuner/; s/\(\["x", "f32"\]\), \(\["y", "f32"\]\)/\2, \1/' fla/records/1-0.jsonl
run capture -o fla >/dev/null
run check-workload fla/add.json
grep -o '"fla": {.*' fla/add.json
sed -i 's/"key": \[/&["mode", "fast"], /' fla/records/1-0.jsonl
run capture -o fla >/dev/null
grep -c '"fla": {' fla/add.json
# A kernel of FlagGems' autotuner has those of FlagGems' cache.
sed -i 's/fla.ops.utils.cache.CachedAutotuner/flag_gems.utils.libentry.LibTuner/' fla/records/1-0.jsonl
run capture -o fla >/dev/null
python3 -c 'import json; e = json.load(open("fla/add.json"))["export"]; print(list(e), e["flaggems"])'
# What a launch left is NaN throughout: nothing can be wrong.
python3 -c 'import glob, struct
for name in glob.glob("again/data/1-0.0.*"):
    data = open(name, "rb").read()
    at = 8 + struct.unpack("<Q", data[:8])[0]
    open(name, "wb").write(data[:at] + b"\xff" * (len(data) - at))'
run capture -o again
printf '{"seen": 1, "calls": 7' >>add/records/1-0.jsonl
run capture -o add
# Kernels that --kernel has left out are one line, others are named.
for kernel in b.c:one b.c:two; do
	echo "{\"skipped\": \"$kernel\", \"reason\": \"not asked for\", \"calls\": 7}"
done >add/records/2-0.jsonl
run capture -o add
echo '{"skipped": "b.c:three", "reason": "no blocks", "calls": 5}' >>add/records/2-0.jsonl
run capture -o add
# Standard streams, environment, folder and exit status are the command's.
echo input | run capture -o seen --kernel 'add*' --shapes 4 --save 10M --widen --reference right:add -- sh -c 'cat; echo "$ASCTUNE_CAPTURE:$PYTHONPATH" | sed "s|$PWD|PWD|g"; exit 3' x --json
cat seen/options.json
echo
(cd seen/.python && find . -type f | sort)
stat -c '%a' seen seen/records seen/data
# Nothing that lies in the folder already runs with the recorder.
mkdir -p planted/.python && echo 'print("planted")' >planted/.python/json.py
run capture -o planted -- true
(cd planted/.python && find . -type f | sort)
PYTHONPATH=mine run capture -o mine -- sh -c 'echo "${PYTHONPATH##*.python}"; kill -TERM $$'
