# Indices that an operator has no place for, and two tokens with one slot, are refused before a launch: what a tensor's contents have to be. Such contents come of files, as a program's own.
# covers: inputs_check.c
cp -r "$ROOT/workloads/reshape_and_cache" "$ROOT/workloads/rotary_embedding" "$ROOT/workloads/cpu" "$ROOT/workloads/python" .
python3 - "$ROOT/workloads" <<'PY'
import json
import struct
import sys


def write(name, workload, tensor, numbers):
    """The workload's problem `tiny` alone on the CPU, with these numbers for its indices, from a .npy file."""
    w = json.load(open(f"{sys.argv[1]}/{workload}.json"))
    problem = next(p for p in w["problems"] if p["name"] == "tiny")
    problem["dims"]["M"] = len(numbers)
    w["problems"] = [{**problem, "devices": ["cpu"]}]
    w["implementations"] = [i for i in w["implementations"] if i["devices"] == ["cpu"]]
    w["tensors"][tensor]["fill"] = {"kind": "file", "file": f"{name}.npy"}
    json.dump(w, open(f"{name}.json", "w"))
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
    open(f"{name}.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}q", *numbers))


write("right", "reshape_and_cache", "slot_mapping", [3, -1, 15, -1, 0])
write("twice", "reshape_and_cache", "slot_mapping", [3, -1, 15, -1, 3])
write("beyond", "reshape_and_cache", "slot_mapping", [3, 16])
write("position", "rotary_embedding", "positions", [63, 64])
PY
for name in right twice beyond position; do
	echo "- $name"
	asctune run "$name.json" --device cpu --budget 1 --repeats 1 --no-race --no-history --trust --db r.db --json >lines 2>err
	echo "exit $?, $(grep -c '"status":"ok"' lines) right"
	sed "s|$PWD/||g" err
done
