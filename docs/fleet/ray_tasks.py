#!/usr/bin/env python3
"""Tunes a workload by N tasks of a Ray cluster, a GPU each, and holds finals: docs/fleet/ray_tasks.py FILE N [OPTION OF asctune run...]
All machines have asctune and FILE. $FINALS has options of the finals, such as --cache hot. A database comes home as bytes; all.db has what all of them found."""
import os, pathlib, subprocess, sys, tempfile
import ray


@ray.remote(num_gpus=1, max_retries=3, retry_exceptions=True)
def run(words, before=None):
    """The database of one `asctune run`, which begins with the bytes of another."""
    with tempfile.TemporaryDirectory() as folder:
        db = pathlib.Path(folder) / "asctune.db"
        if before:
            db.write_bytes(before)
        status = subprocess.run(["asctune", "run", *words, "--db", db]).returncode
        if status not in (0, 1):  # 1: a problem has no answer, which another try would not change
            raise RuntimeError(f"asctune run {' '.join(words)}: exit status {status}")
        return db.read_bytes()


def main(file, n, *options):
    shares = [run.remote([file, "--shard", f"{k}/{n}", *options]) for k in range(1, int(n) + 1)]
    paths = [pathlib.Path(f"share-{k}.db") for k in range(1, int(n) + 1)]
    for path, share in zip(paths, shares):
        path.write_bytes(ray.get(share))
    subprocess.run(["asctune", "merge", *paths, "--db", "all.db"], check=True)
    subprocess.run(["asctune", "runs", "--shards", n, "all.db"], check=True)
    both = pathlib.Path("all.db")
    both.write_bytes(ray.get(run.remote([file, "--finals", *os.environ.get("FINALS", "").split()], both.read_bytes())))


if __name__ == "__main__":
    ray.init()
    main(*sys.argv[1:])
