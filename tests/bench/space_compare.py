"""Runs asctune and its peers over search spaces and prints the comparison: space_compare.py ROOT [OPTION...] [FILE...]

Every figure is CPU time (user and system) of one process that handles one space, the best of --repeat; the peers' is
counted from after their imports on. A process of each builds the space once and lists the values of every configuration:
that is what the ratios compare (cold). Beside it stands what asctune takes when it has done so before, listing numbers of
configurations (warm). Exits with 1 when a count differs from expected.csv or a target is missed.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

PEERS = {"kernel_tuner": 40, "pyatf": 8}  # how many times as fast asctune is to be
LARGE = 50_000  # valid configurations from which on that is asked for
READY_MS, READY_HOTSPOT_MS = 5, 20  # build, count and 1,000 samples
LOOPS, SHUFFLED = 3, 2
SCALE_MS, SCALE_KIB = 50, 32 * 1024  # of 10**12 configurations


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a peer for one space")
    parser.add_argument("--repeat", type=int, default=2)
    return parser.parse_intermixed_args()


def once(command, limit):
    """The object that the command prints; None when it runs longer than `limit` seconds.

    Not by RLIMIT_CPU: a process under it reads its CPU clock in ticks of milliseconds.
    """
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit, text=True)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    return json.loads(done.stdout)


def best(command, options):
    """Of the repeats, the least of each figure; what is not measured is None."""
    runs = []
    for _ in range(options.repeat):
        run = once(command, options.limit)
        if run is None:
            return None
        runs.append(run)
    return {key: min((run[key] for run in runs if run[key] is not None), default=None) for key in runs[0]}


def asctune(path, options):
    return best([os.path.join(options.root, "build/release/tests/bench/space_times"), path], options)


def measure(path, options):
    here = os.path.join(options.root, "tests/bench")
    times = {"asctune": asctune(path, options)}
    for peer in PEERS:
        times[peer] = best([sys.executable, os.path.join(here, "space_peers.py"), peer, path], options)
    return times


def warm(ours):
    return ours["build_ms"] + ours["list_ms"]


def whole(times):
    """Building and listing, the first of its process: of a peer there is no other."""
    return times.get("cold_build_ms", times["build_ms"]) + times.get("cold_list_ms", times["list_ms"])


def cell(times, ours, limit):
    if times is None:
        return "%28s" % ("> %d s" % limit)
    return "%10.1f %7.0fx %5.0f MiB" % (whole(times), whole(times) / whole(ours), times["peak_kib"] / 1024)


def print_row(name, times, limit):
    ours = times["asctune"]
    print("%-16s %7d %7d %8.2f %8.2f %8.2f %8.2f %5.1f MiB |%s |%s" %
          (name, ours["count"], ours["nodes"], ours["build_ms"] + ours["sample_ms"], ours["iterate_ms"], warm(ours), whole(ours),
           ours["peak_kib"] / 1024, cell(times["kernel_tuner"], ours, limit), cell(times["pyatf"], ours, limit)),
          flush=True)


def verdict(met, text):
    print("%s: %s" % ("met" if met else "MISSED", text))
    return met


def judge_counts(results, expected):
    wrong = ["%s: %s counts %d, %d expected" % (name, tool, one["count"], expected[name])
             for name, times in results.items() for tool, one in times.items()
             if one and name in expected and one["count"] != expected[name]]
    return verdict(not wrong, "all that ended agree in their counts" if not wrong else "; ".join(wrong))


def judge_ready(results):
    late = ["%s %.2f ms" % (name, ready) for name, times in results.items()
            for ready in [times["asctune"]["build_ms"] + times["asctune"]["sample_ms"]]
            if ready > (READY_HOTSPOT_MS if "hotspot" in name else READY_MS)]
    return verdict(not late, "build, count and 1,000 samples in %d ms, hotspot in %d ms%s" %
                   (READY_MS, READY_HOTSPOT_MS, "".join("; " + text for text in late)))


def judge_peer(results, peer, least):
    ratios = {name: whole(times[peer]) / whole(times["asctune"]) for name, times in results.items()
              if times[peer] and times["asctune"]["count"] > LARGE}
    if not ratios:
        return True
    slowest = min(ratios, key=ratios.get)
    return verdict(ratios[slowest] >= least, "building and listing once, cold, at least %d times as fast as %s on spaces of more "
                   "than %d: %.0f times, on %s" % (least, peer, LARGE, ratios[slowest], slowest))


def judge_figure(results, key, most, text):
    """Of asctune's figures with this key, where there are any, none is larger."""
    figures = {name: times["asctune"][key] for name, times in results.items() if times["asctune"][key] is not None}
    if not figures:
        return True
    worst = max(figures, key=figures.get)
    return verdict(figures[worst] <= most, "%s at most %g: %.2f, on %s" % (text, most, figures[worst], worst))


def judge_scale(options):
    one = asctune("synthetic", options)
    ready = one["build_ms"] + one["sample_ms"]
    return verdict(one["count"] >= 10**12 and ready <= SCALE_MS and one["peak_kib"] <= SCALE_KIB,
                   "%.1e configurations counted and sampled in %d ms and %d MiB: %.2f ms, %.1f MiB" %
                   (one["count"], SCALE_MS, SCALE_KIB / 1024, ready, one["peak_kib"] / 1024))


def main():
    options = arguments()
    folder = os.path.join(options.root, "tests/data/spaces")
    with open(os.path.join(folder, "expected.csv")) as file:
        expected = {row["space"]: int(row["valid"]) for row in csv.DictReader(file)}
    files = options.files or [os.path.join(folder, name + ".json") for name in expected]
    results = {}
    print("CPU ms of one process per space; peers from after their imports on\n"
          "       ready: build, count, 1,000 samples; warm, cold: build and list, again and the first time in a process\n"
          "%-16s %7s %7s %8s %8s %8s %8s %9s |%28s |%28s" %
          ("space", "valid", "nodes", "ready", "iterate", "warm", "cold", "peak",
           "Kernel Tuner: build and list", "pyATF: build and list"))
    for path in files:
        name = os.path.splitext(os.path.basename(path))[0]
        results[name] = measure(path, options)
        print_row(name, results[name], options.limit)
    verdicts = [judge_counts(results, expected), judge_ready(results)]
    verdicts += [judge_peer(results, peer, least) for peer, least in PEERS.items()]
    verdicts += [judge_figure(results, "iterate_to_loops", LOOPS, "iterating, to loops written by hand,"),
                 judge_figure(results, "shuffled_to_file", SHUFFLED, "building with shuffled parameters, to the file's order,"),
                 judge_scale(options)]
    return 0 if all(verdicts) else 1


sys.exit(main())
