"""Asks the memory planner about the kernels of kernels.py; one CSV a kernel, every constant a column. What is in the file already is not asked again.

    PYTHON ask.py VERDICTS KERNEL -o FILE.csv [--jobs N]
PYTHON has triton-ascend 3.2.0 and ascendnpu-ir 1.2.0; VERDICTS is a folder with a module `verdicts` that has lower() and plan().
"""
import argparse
import csv
import itertools
import multiprocessing
import os
import sys
from pathlib import Path

SOCS = {"910B3": "Ascend910B3", "950": "Ascend950PR_9579"}
TYPES = {"f32": "fp32", "f16": "fp16"}
SIGNATURES = {  # types of the arguments that are no constants, in order
    "layer_norm": ["*T"] * 4 + ["i32"] * 3,
    "rotary": ["*T"] * 4 + ["i32"] * 4,
    "decode": ["*T"] * 4 + ["i32", "fp32", "i32"],
    "cross_entropy": ["*T", "*i32", "*fp32", "*T", "i32", "i32", "i32", "fp32"],
    "linear_gelu": ["*T"] * 5 + ["i32"] * 4,
}
SPACES = {  # constants with their values; a row whose largest tile is below or above the bounds is left out
    "layer_norm": ({"BLOCK_M": (1, 2, 4, 8, 16), "BLOCK_N": (512, 1024, 2048, 4096, 8192, 16384), "WHOLE": (0, 1)}, 4096, 65536),
    "rotary": ({"BLOCK_T": (1, 2, 4, 8, 16), "BLOCK_H": (1, 4, 8, 16, 32), "HALF": (32, 64, 128), "FULL": (0, 1)}, 2048, 32768),
    "decode": ({"GROUP": (16, 32, 64, 128), "BLOCK_N": (32, 64, 128, 256, 512), "HEAD": (64, 128, 256), "TAIL": (0, 1)}, 4096, 131072),
    "cross_entropy": ({"BLOCK_M": (1, 2, 4, 8, 16, 32), "BLOCK_N": (256, 1024, 2048, 4096, 8192, 16384), "SMOOTH": (0, 1)}, 1024, 32768),
    "linear_gelu": ({"BLOCK_M": (32, 64, 128, 256), "BLOCK_N": (32, 64, 128, 256), "BLOCK_K": (32, 64, 256), "RESIDUAL": (0, 1)}, 4096, 65536),
}
TILES = {
    "layer_norm": lambda c: c["BLOCK_M"] * c["BLOCK_N"],
    "rotary": lambda c: c["BLOCK_T"] * c["BLOCK_H"] * c["HALF"],
    "decode": lambda c: c["BLOCK_N"] * c["HEAD"],
    "cross_entropy": lambda c: c["BLOCK_M"] * c["BLOCK_N"],
    "linear_gelu": lambda c: c["BLOCK_M"] * c["BLOCK_N"],
}


def variants(kernel):
    names, least, most = SPACES[kernel]
    for values in itertools.product(*names.values()):
        if least <= TILES[kernel](row := dict(zip(names, values))) <= most:
            yield row


def ask(job):
    import kernels
    import verdicts
    kernel, soc, dtype, constants = job
    function = getattr(kernels, kernel)
    free = [a for a in function.arg_names if a not in constants]
    signature = dict(zip(free, (t.replace("T", TYPES[dtype]) for t in SIGNATURES[kernel])))
    for _ in range(3):  # triton-adapter-opt ends by a signal now and then: that is no verdict
        try:
            text = verdicts.lower(function, signature, dict(constants), soc == "950")
        except Exception as problem:
            print(str(problem)[-600:], file=sys.stderr)
            continue
        answer = verdicts.plan(text, SOCS[soc], False)
        if answer["verdict"] == "error":
            print(answer, file=sys.stderr)
        return answer["verdict"]
    return "failed"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("verdicts")
    ap.add_argument("kernel", choices=SIGNATURES)
    ap.add_argument("-o", required=True)
    ap.add_argument("--jobs", type=int, default=1)
    args = ap.parse_args()
    sys.path.insert(0, args.verdicts)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    names = list(SPACES[args.kernel][0])
    jobs = [(args.kernel, soc, dtype, row) for soc in SOCS for dtype in TYPES for row in variants(args.kernel)]
    key = lambda job: (job[1], job[2], *map(str, job[3].values()))
    known = {}
    if os.path.exists(args.o):
        with open(args.o, newline="") as f:
            known = {tuple(row[:-1]): row[-1] for row in list(csv.reader(f))[1:]}
    missing = [job for job in jobs if key(job) not in known]
    with open(args.o, "a", newline="") as f, multiprocessing.Pool(args.jobs) as pool:
        out = csv.writer(f, lineterminator="\n")
        if not known:
            out.writerow(["soc", "dtype", *names, "verdict"])
        for job, verdict in zip(missing, pool.imap(ask, missing)):
            out.writerow([*key(job), verdict])
            f.flush()


if __name__ == "__main__":
    main()
