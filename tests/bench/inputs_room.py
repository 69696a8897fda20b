"""What sets of inputs take: of a GPU's memory, and of disk for their references, as the program says, and as it leaves them under a bound."""
import json
import os
import re
import subprocess

import tuning

MODEL = "sm_90"
MEMORY_BYTES = 80e9  # of an H100
MOST_MEMORY = 0.12
MOST_DISK_BYTES = 10e9
BOUND_MB = 1  # of the runs here: less than the references of one of the problems, more than those of another
TUNED = [("add", "halves-f16"), ("add_rms_norm", "heads"), ("add", "16x5632")]


def problems(asctune):
    """Bytes of memory and of references of each problem, those of ladders among them, by workload and name."""
    took = {}
    for path in sorted(tuning.WORKLOADS.glob("*.json")):
        if path.stem == "schema":
            continue
        said = subprocess.run([asctune, "space", path, "--device", MODEL, "--problem", "all", "--json"], capture_output=True, text=True)
        if said.returncode:
            tuning.give_up(f"{path.stem}: {said.stderr.strip()[-300:]}")
        for line in map(json.loads, said.stdout.splitlines()):
            if "device_bytes" in line:
                took[f"{path.stem}/{line['problem']}"] = line["device_bytes"], line["references_bytes"]
    return took


def bound_bytes(asctune, folder):
    rows = subprocess.run([asctune, "doctor", "--json"], capture_output=True, text=True, env=dict(os.environ, ASCTUNE_CACHE_DIR=str(folder / "none"))).stdout
    row = next(line for line in map(json.loads, rows.splitlines()) if line["name"] == "cache.references")
    return int(re.search(r"at most (\d+) MB", row["summary"])[1]) * 10**6


def kept_bytes(cache):
    return sum(file.stat().st_size for file in (cache / "reference").iterdir())


def room(options, limits):
    took = problems(options.asctune)
    memory, disk = ({name: both[i] for name, both in took.items()} for i in range(2))
    largest = max(memory, key=memory.get)
    print(f"memory: the largest of {len(took)} problems on {MODEL} is {largest}: {memory[largest] / 1e9:.2f} GB")
    limits.most("memory of a problem's sets, part of 80 GB", memory[largest] / MEMORY_BYTES, MOST_MEMORY)
    with tuning.workplace() as folder:
        bound = bound_bytes(options.asctune, folder)
        largest = max(disk, key=disk.get)
        print(f"disk: references of all: {sum(disk.values()) / 1e9:.1f} GB, of {largest}: {disk[largest] / 1e9:.2f} GB; the bound: {bound / 1e9:.2f} GB")
        limits.most("references of all problems on disk, GB", min(sum(disk.values()), bound) / 1e9, MOST_DISK_BYTES / 1e9)
        limits.most("problems whose sets the bound has no room for", sum(bytes > bound for bytes in disk.values()), 0)
        cache = folder / "cache"
        for workload, problem in TUNED:
            os.environ["ASCTUNE_REFERENCES_MB"] = str(BOUND_MB)
            tuning.Tuning(options.asctune, tuning.WORKLOADS / f"{workload}.json", problem, cache, "--device", "cpu", "--budget", "2")
            del os.environ["ASCTUNE_REFERENCES_MB"]
            limits.most(f"references behind a run of {workload}/{problem}, of the bound", kept_bytes(cache) / (BOUND_MB * 10**6), 1)


PARTS = {"room": room}
