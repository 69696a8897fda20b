"""Tables of random results, written by `asctune export`: a database with the rows that runs leave (db/schema.sql), then one export for each library.

The problems are the same for a seed. What was tuned of each kind of table is in `Tuned.problems`.
"""
import itertools
import json
import random
import sqlite3
import subprocess
from pathlib import Path

DEVICES = ("NVIDIA H100 80GB HBM3", "NVIDIA H200 NVL")
TRITON = "3.6.0"
LADDER = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096)
ROWS = {"operator": "", "types": {"dtype": "T"}}
# Workloads, each with the object "export" of its file and names of its sizes.
WORKLOADS = {
    "moe": {"vllm": {**ROWS, "operator": "moe"}, "sglang": {**ROWS, "operator": "moe"}},
    "block-fp8": {"vllm": {**ROWS, "operator": "block-fp8"}, "sglang": {**ROWS, "operator": "block-fp8"}},
    "fla": {"fla": {"operator": "chunk_fwd_kernel_o", "sizes": {"n": "n", "d": "d", "causal": "causal"}, "types": {"x": "T", "y": "U"}}},
    "ninetoothed": {"ninetoothed": {"operator": "moe_gemm", "sizes": {"ndim": "ndim", "size": "size"}, "types": {"input": "T"}, "parameters": {
        "block_m": "BLOCK_M", "block_n": "BLOCK_N", "num_warps": "num_warps", "num_stages": "num_stages"}}},
    "triton": {"triton": {"operator": "asked_kernels:scale", "sizes": {"n": "n", "d": "d", "causal": "causal"}, "types": {"x": "T", "y": "U"}}},
    "flaggems": {"flaggems": {"operator": "flag_gems.ops.mm:mm_kernel_general", "sizes": {s: s for s in ("M", "N", "K", "stride_am", "stride_bk")},
                              "types": {"A": "T", "B": "T", "C": "U"}}},
}


def random_problems(rnd, kind):
    """Sizes and types of what was tuned, each once."""
    if kind == "moe":
        layers = [(8, 3584, "bf16"), (8, 14336, "f8e4m3"), (64, 1280, "f16"), (512, 128, "f32")]
        return [({"M": m, "E": e, "N": n, "K": 4096}, {"T": t}) for e, n, t in layers for m in rnd.sample(LADDER, rnd.choice((1, 3, 5, 7))) + [rnd.randrange(5000, 9000)]]
    if kind == "block-fp8":
        return [({"M": m, "N": n, "K": k, "block_n": 128, "block_k": 128}, {"T": "f8e4m3"}) for n, k in ((4096, 4096), (512, 7168), (24576, 1536)) for m in rnd.sample(LADDER, 5)]
    if kind == "fla":
        every = itertools.product((1, 4, 64, 4096), (64, 128, 256), (False, True), ("bf16", "f16", "f32"), ("bf16", "f32"))
        return [({"n": n, "d": d, "causal": c}, {"T": t, "U": u}) for n, d, c, t, u in rnd.sample(list(every), 24)]
    if kind == "triton":
        every = itertools.product((40, 64, 100, 4096), (64, 128, 256), (False, True), ("bf16", "f16", "f32"), ("bf16", "f32"))
        return [({"n": n, "d": d, "causal": c}, {"T": t, "U": u}) for n, d, c, t, u in rnd.sample(list(every), 24)]
    if kind == "flaggems":  # multiples of 32, to which FlagGems rounds
        every = itertools.product((32, 96, 1024, 4096), (64, 2048), (64, 4096), ("bf16", "f16", "f32"), ("bf16", "f32"))
        return [({"M": m, "N": n, "K": k, "stride_am": k, "stride_bk": n}, {"T": t, "U": u}) for m, n, k, t, u in rnd.sample(list(every), 24)]
    every = itertools.product((1, 2, 3, 4), (8, 64, 100, 4096), ("f16", "bf16", "f32", "i8", "u64"))
    return [({"ndim": n, "size": s}, {"T": t}) for n, s, t in rnd.sample(list(every), 24)]


def random_config(rnd, kind):
    launch = {"num_stages": rnd.choice((2, 3, 4)), "num_warps": rnd.choice((4, 8))}
    if kind in ("moe", "block-fp8"):
        return {"BLOCK_SIZE_K": rnd.choice((32, 64)) if kind == "moe" else rnd.choice((64, 128)), "BLOCK_SIZE_M": rnd.choice((16, 32, 64)),
                "BLOCK_SIZE_N": rnd.choice((32, 64, 128)), "GROUP_SIZE_M": rnd.choice((1, 8, 16)), **launch}
    if kind == "flaggems":
        return {"BLOCK_M": rnd.choice((32, 64, 128)), "BLOCK_N": rnd.choice((32, 64, 128)), "BLOCK_K": rnd.choice((32, 64)), **launch}
    if kind in ("fla", "triton"):
        return {"BLOCK": rnd.choice((32, 64, 128)), **launch}
    return {"BLOCK_M": rnd.choice((32, 64, 128)), "BLOCK_N": rnd.choice((32, 64, 128)), **launch}


class Tuned:
    """A database of tuned problems in `folder`, of each kind all or the first `most`; `asctune` is the program."""

    def __init__(self, asctune, schema, folder, seed, most=None):
        self.asctune, self.db = asctune, Path(folder) / "tuned.db"
        self.problems, self.triton = {}, TRITON
        rnd = random.Random(f"{seed} tables")
        with sqlite3.connect(self.db) as sql:
            sql.execute("PRAGMA synchronous = OFF")
            sql.executescript(Path(schema).read_text())
            for number, model in enumerate(DEVICES, 1):
                sql.execute("INSERT INTO device VALUES(?, ?, 'cuda', ?, 'sm_90', '580.1', 'event', NULL)", (number, f"f{number}", model))
            for number, kind in enumerate(WORKLOADS, 1):
                sql.execute("INSERT INTO workload VALUES(?, ?, ?, ?)", (number, kind, kind, json.dumps(WORKLOADS[kind])))
                sql.execute("INSERT INTO implementation VALUES(?, 'triton', ?, -1, ?, '[]', '{}', 'd1')", (number, f"k{number}", f"Python 3.12.1, Triton {TRITON}, ptxas 13.0"))
                self.problems[kind] = random_problems(rnd, kind)[:most]
                for problem in self.problems[kind]:
                    self._add(sql, rnd, number, kind, *problem)

    def _add(self, sql, rnd, workload, kind, sizes, types):
        """A run on each device, in whose finals a configuration was twice as fast as the default."""
        name = ",".join(f"{k}={v}" for k, v in {**sizes, **types}.items())
        problem = sql.execute("INSERT INTO problem(workload_id, key, name, dims_json, element, kinds_json) VALUES(?, ?, ?, ?, ?, ?)", (
            workload, name, name, json.dumps({"dims": sizes, "dtypes": types}), types["T"], json.dumps(dict.fromkeys(sizes, "size")))).lastrowid
        for device in range(1, len(DEVICES) + 1):
            run = sql.execute("INSERT INTO run(device_id, problem_id, policy_json, cache_policy, seed, simulated, started_ms, ended_ms, outcome, sure, noise_pct, decided) "
                              "VALUES(?, ?, '{}', 'cold', 1, 0, 1795385437000, 1795385438000, 'done', 'clear winner', 1, 2)", (device, problem)).lastrowid
            sql.execute("INSERT INTO run_implementation VALUES(?, ?)", (run, workload))
            best = random_config(rnd, kind)
            default = next(c for c in iter(lambda: random_config(rnd, kind), None) if c != best)
            for place, (config, ns) in enumerate(((best, 50000), (default, 100000))):
                key = ",".join(f"{k}={v}" for k, v in config.items())
                sql.execute("INSERT INTO trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, cached, build_ns, load_ns, "
                            "verify_ns, measure_ns, launches, n_samples, median_ns) VALUES(?, ?, ?, ?, ?, ?, 1795385437500, 'ok', 'measure', 1, 0, 0, 0, 0, 1, 20, ?)",
                            (run, workload, place, key, json.dumps(config), place, ns))
                sql.execute("INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, n_samples, median_ns, standing) VALUES(?, ?, ?, ?, ?, ?, ?, 20, ?, ?)",
                            (run, workload, place, key, place == 0, place == 0, ns / 50000, ns, "tied" if place == 0 else "slower"))

    def say_triton(self, version=None):
        """Gives all results another version of Triton; None: that of before."""
        version = version or self.triton
        with sqlite3.connect(self.db) as sql:
            sql.execute("UPDATE implementation SET toolchain = ?", (f"Python 3.12.1, Triton {version}, ptxas 13.0",))

    def run(self, *words):
        """Runs `asctune export WORDS`; gives exit status and what it said."""
        done = subprocess.run([self.asctune, "export", *map(str, words), "--db", self.db], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout
