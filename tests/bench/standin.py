"""What tests/bench/standin measures on the stand-in for an NPU; arguments: asctune, folder for its files, names of parts (all). Exit status 1 beyond a limit."""
import itertools
import json
import os
import re
import subprocess
import sys
import time

ASCTUNE, WORK = sys.argv[1:3]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKLOADS = os.path.join(ROOT, "tests", "bench", "workloads")
WORKLOAD = os.path.join(WORKLOADS, "standin.json")
CONFIGURATIONS, EARLY = 10000, 1000
OVERHEAD_MS, TUNINGS = 0.5, 10
CHAIN_RUNS, CHAIN_OFF, CHAIN_S, AGAIN = 5, 0.03, 60, 2
WORKLOAD_S = 180
# The model of standin/standin_operator.c on an Ascend910B3: a kernel without work, the gap between two, and bytes that its cores move in a nanosecond together.
EMPTY_NS, GAP_NS, BYTES_PER_NS = 2000, 1000, 20 * 1.8 * 32
# The coordinator keeps of each configuration that it was tried: its launch (32 bytes), and the strategy's own record, of `random` a visit and a place of the order
# (16 bytes each); in tables that double, so 171 bytes at most, and what the tables before them leave of the heap. Results are in the database, whose cache is bounded.
CHILD_KIB, COORDINATOR_KIB_EACH = 256, 0.2
ENVIRONMENT = dict(os.environ, ASCTUNE_CACHE_DIR=os.path.join(WORK, "cache"))
bad = []


def verdict(ok, line):
    print(line + ("" if ok else "  <-- beyond the limit"), flush=True)
    if not ok:
        bad.append(line)


def command(problem, *options):
    database = os.path.join(WORK, "b.db")
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(database + suffix):
            os.remove(database + suffix)
    return [ASCTUNE, "run", WORKLOAD, "--problem", problem, "--device", "npu:sim:Ascend910B3", "--trust", "--db", database, "--json", *options]


def environment(control, log=None):
    return dict(ENVIRONMENT, STANDIN=control, **({"STANDIN_LOG": log} if log else {}))


def children(pid):
    """All descendants of a process."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == pid:
            found += [int(name), *children(int(name))]
    return found


def resident_kib(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])
    except (OSError, TypeError):
        return 0


def summary_of(lines):
    return json.loads(next(line for line in reversed(lines) if '"type":"summary"' in line))


def measure_many():
    """10,000 configurations in one run: what is left of them in the stand-in, and in the memory of the processes."""
    log = os.path.join(WORK, "log")
    with subprocess.Popen(command("null", "--strategy", "random", "--budget", "all", "--warmup", "1", "--repeats", "3"), env=environment("log=balance", log),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        trials, early, late, lines = 0, {}, {}, []
        for line in run.stdout:
            if '"type":"trial"' not in line:
                lines.append(line)
                continue
            trials += 1
            if trials in (EARLY, CONFIGURATIONS - 1):
                sizes = {pid: resident_kib(pid) for pid in [run.pid, *children(run.pid)]}
                early, late = (sizes, late) if trials == EARLY else (early, sizes)
    statuses = summary_of(lines)["statuses"]
    verdict(trials == CONFIGURATIONS and set(statuses) <= {"ok", "slow"}, f"{trials} configurations of {CONFIGURATIONS}: {statuses}")
    for pid in sorted(set(early) & set(late)):
        grown = late[pid] - early[pid]
        name, limit = ("coordinator", int(COORDINATOR_KIB_EACH * (CONFIGURATIONS - EARLY))) if pid == run.pid else ("child", CHILD_KIB)
        verdict(grown <= limit, f"{name}: {early[pid]} KiB after {EARLY} configurations, {grown:+d} KiB since; limit {limit} KiB")
    verdict(len(set(early) & set(late)) >= 2, f"{len(set(early) & set(late))} processes live through the run, 2 at least")
    with open(log) as f:
        balance = re.findall(r"^balance ([a-z ]+): (\d+) made, (\d+) freed$", f.read(), re.M)
    left = sum(int(made) - int(freed) for _, made, freed in balance)
    made = {kind: max(int(m) for k, m, _ in balance if k == kind) for kind, _, _ in balance}
    verdict(made.get("binaries", 0) >= CONFIGURATIONS and left == 0, f"{left} of what was made is left in the stand-in (limit 0); made: {made}")


def nanoseconds(budget):
    """Time of a run beside the stand-in's own."""
    log = os.path.join(WORK, "log")
    if os.path.exists(log):
        os.remove(log)
    done = subprocess.run(command("null", "--cache", "hot", "--strategy", "random", "--budget", str(budget), "--warmup", "2", "--repeats", "10"),
                          env=environment("log=balance", log), capture_output=True, text=True, check=True)
    with open(log) as f:
        inside = max(int(ns) for ns in re.findall(r"^calls \d+, inside (\d+) ns$", f.read(), re.M))
    return summary_of(done.stdout.splitlines())["wall_ns"] - inside


def measure_overhead():
    short, long, rounds = 20, 520, 5
    nanoseconds(short)
    each = sorted((nanoseconds(long) - nanoseconds(short)) / (long - short) / 1e6 for _ in range(rounds))
    middle = each[rounds // 2]
    verdict(middle <= OVERHEAD_MS, f"null kernels: median {middle:.3f} ms a configuration beyond the stand-in's own time ({each[0]:.3f} to {each[-1]:.3f}); limit {OVERHEAD_MS} ms")


def tied(control, seed):
    """Configurations that a tuning does not tell from its winner, and that one."""
    lines = subprocess.run(command("tiles", "--seed", str(seed)), env=environment(control), capture_output=True, text=True, check=True).stdout.splitlines()
    summary = summary_of(lines)
    return {f["config_key"] for f in summary["finalists"] if f["tied"] or f["winner"]}, summary["best"]["config_key"]


def measure_winners():
    quiet, winner = tied("seed=1", 1)
    print(f"quiet: {winner}, tied: {len(quiet)}")
    for fault in ("ramp", "spike=0.05", "drift"):
        same = sum(bool(tied(f"seed={i + 2};fault={fault}", i + 2)[0] & quiet) for i in range(TUNINGS))
        verdict(same == TUNINGS, f"{fault}: {same} of {TUNINGS} tunings name winners whose class overlaps the quiet one's")
    wrong = [tied(f"seed={i + 2};fault=wrong=grid", i + 2)[1] for i in range(TUNINGS)]
    never = sum(int(re.search(r"TILE=(\d+)", config)[1]) * 40 >= 65536 for config in wrong)
    verdict(never == TUNINGS, f"wrong=grid: {never} of {TUNINGS} winners have no more blocks than there are cores")


def busy_loops():
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]


def stop(loops):
    for loop in loops:
        loop.kill()
        loop.wait()


def measure_chains():
    """Operators in a row at 1 and 4096 rows of 4096 numbers in f16, beside two busy loops: the device's time is the sum of the calls' own and of the gaps between their kernels, whatever
    the computing of the stand-in and other programs take of the host's. Of each call: numbers of T that it reads and writes for each row, other bytes of a row, bytes in all, its kernels."""
    columns = 4096
    chains = {("chain_norm", "add_norm"): [(3, 0, 0, 1), (2, 4, 2 * columns, 1)], ("chain_swiglu", "silu_mul"): [(2, 0, 0, 1), (3, 0, 0, 1)],
              ("chain_swiglu", "cat_swiglu"): [(4, 0, 0, 1), (3, 0, 0, 1)], ("chain_softmax", "fill_softmax"): [(2, 0, 0, 1), (2, columns, 0, 1), (2, 0, 0, 2)]}
    loops = busy_loops()
    try:
        for ((workload, implementation), calls), (problem, rows) in itertools.product(chains.items(), (("decode", 1), ("prefill", 4096))):
            kernels = sum(call[3] for call in calls)
            moved = sum(rows * (2 * columns * tensors + row) + once for tensors, row, once, _ in calls)
            model = kernels * EMPTY_NS + moved / BYTES_PER_NS + (kernels - 1) * GAP_NS
            off, longest, failed, why = 0, 0, 0, set()
            for run in range(CHAIN_RUNS):
                database = os.path.join(WORK, f"{workload}-{implementation}-{problem}-{run}.db")
                begin = time.monotonic()
                done = subprocess.run([ASCTUNE, "run", os.path.join(WORKLOADS, workload + ".json"), "--problem", problem, "--impl", implementation, "--device",
                                       "npu:sim:Ascend910B3", "--trust", "--db", database, "--seed", str(run + 1)], env=environment(f"seed={run + 1}"), capture_output=True, text=True)
                longest = max(longest, time.monotonic() - begin)
                shown = subprocess.run([ASCTUNE, "show", "--json", "1", "--db", database], capture_output=True, text=True)
                trial = json.loads(shown.stdout.splitlines()[0]) if shown.stdout else {}
                if done.returncode or trial.get("status") != "ok":
                    failed += 1
                    why.add(str(trial.get("reason") or trial.get("status") or done.stderr[-200:]))
                    continue
                off = max(off, *(abs(trial[key] / model - 1) for key in ("min_ns", "max_ns")))
            verdict(failed == 0 and off <= CHAIN_OFF and longest <= CHAIN_S,
                    f"{implementation}, {rows} rows, beside two busy loops, {CHAIN_RUNS} runs: {failed} failed{' (' + '; '.join(sorted(why)) + ')' if why else ''}, samples at most {100 * off:.1f} % off the {model / 1e3:.1f} us of calls and gaps "
                    f"(limit {100 * CHAIN_OFF:.0f} %), at most {longest:.1f} s a run (limit {CHAIN_S} s)")
    finally:
        stop(loops)


def measure_again():
    """Launches that were made before: what they take of the wall's clock for each nanosecond of the model's."""
    build = os.path.dirname(ASCTUNE)
    again = [os.path.join(build, "tests", "bench", "standin_again"), os.path.join(build, "standin", "head", "lib64")]
    rounds = [[line.rsplit(" ", 3) for line in subprocess.run(again, capture_output=True, text=True, check=True).stdout.splitlines()] for _ in range(5)]
    for chain in zip(*rounds):
        name, rows, _, model = chain[0]
        ratio = sorted(float(wall) / float(ns) for _, _, wall, ns in chain)[2]
        verdict(ratio <= AGAIN, f"{name}, {rows} rows, made before: {ratio:.2f} of the {float(model):.1f} us of the model, median of 5 (limit {AGAIN})")


def measure_workloads():
    """The six workloads with verdict tables on both stand-ins, planned by the real compilers where they are: every run answers, and what a planner refuses is no trial."""
    for model in ("Ascend910B3", "Ascend950PR_9579"):
        for workload in ("sdpa", "gemm", "gated_mlp", "rms_norm", "softmax", "geglu"):
            database = os.path.join(WORK, f"{workload}-{model}.db")
            begin = time.monotonic()
            done = subprocess.run([ASCTUNE, "run", os.path.join(ROOT, "workloads", workload + ".json"), "--device", "npu:sim:" + model, "--db", database, "--json"],
                                  env=ENVIRONMENT, capture_output=True, text=True)
            took = time.monotonic() - begin
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            trials = [line for line in lines if line["type"] == "trial"]
            refused = sum(trial["status"] == "pruned" for trial in trials)
            unfinished = sum(trial["status"] == "undecided" for trial in trials)  # as time was up: not counted
            counted = sum(line["trials"] for line in lines if line["type"] == "summary")
            planners = {line.get("planner") or "no planner" for line in lines if line["type"] == "run"}
            verdict(done.returncode == 0 and took <= WORKLOAD_S and counted == len(trials) - refused - unfinished,
                    f"{workload} on {model}: exit status {done.returncode}, {took:.0f} s (limit {WORKLOAD_S} s), {counted} trials, {refused} refused and no trial; "
                    + ", ".join(sorted(planners)))


start = time.monotonic()
parts = {"workloads": measure_workloads, "again": measure_again, "chains": measure_chains, "winners": measure_winners, "overhead": measure_overhead, "many": measure_many}
for name in sys.argv[3:] or parts:
    parts[name]()
print(f"in {time.monotonic() - start:.0f} s; times of the stand-in come of a model and say nothing of an NPU")
sys.exit(bool(bad))
