"""45 nights out of one real night: story.py DATABASE. Each kind of change has a kernel: its baseline slows as well; its source
changes; its old best no longer builds; it becomes faster; it drifts; with a new driver two become slower; and one computes wrong results in the
newest night. Times are those of the night with 0.7 % noise in common and 0.2 % of each implementation."""
import random
import sqlite3
import sys

NIGHTS, DAY = 45, 86400000
TIMES = ("min_ns", "q1_ns", "median_ns", "q3_ns", "max_ns", "low_ns", "high_ns")
MACHINE, SOURCE, GONE, FASTER, DRIFT, DRIVER, BROKEN = range(7)


class Story:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        random.seed(1)

    def insert(self, table, row):
        row = {k: row[k] for k in row if k not in ("id", "uid")}
        return self.db.execute("INSERT INTO %s(%s) VALUES(%s)" % (table, ",".join(row), ",".join("?" * len(row))), list(row.values())).lastrowid

    def rows(self, table, run):
        return [dict(r) for r in self.db.execute("SELECT * FROM %s WHERE run_id = ?" % table, (run,))]

    def changed(self, table, ident, **values):
        """A copy of a row with other values."""
        row = dict(self.db.execute("SELECT * FROM %s WHERE id = ?" % table, (ident,)).fetchone())
        row.update(values)
        return self.insert(table, row)

    def add_night(self, run, night, kind, device, implementations):
        """One run of the past: its finalists, times changed as its story says."""
        row = dict(run, device_id=device, started_ms=run["started_ms"] - (NIGHTS - 1 - night) * DAY)
        row["ended_ms"] = row["started_ms"] + 60000
        new = self.insert("run", row)
        winner = self.winners[run["id"]]
        noise = random.gauss(1, 0.007)
        own = {i: random.gauss(1, 0.002) for i in self.implementations[run["id"]]}
        for old in self.implementations[run["id"]]:
            self.db.execute("INSERT OR IGNORE INTO run_implementation VALUES(?, ?)", (new, implementations.get(old, old)))
        for table in ("trial", "final"):
            for r in self.finalists[run["id"]][table]:
                factor = noise * own[r["implementation_id"]] * self.factor(kind, night, r["implementation_id"] == winner[0])
                r = dict(r, run_id=new, implementation_id=implementations.get(r["implementation_id"], r["implementation_id"]))
                for k in TIMES:
                    r[k] = r[k] and r[k] * factor
                if table == "trial":
                    r["recorded_ms"] = row["started_ms"]
                if not self.bend(table, r, kind, night, winner):
                    continue
                self.insert(table, r)

    def factor(self, kind, night, own):
        late = night >= NIGHTS - 4
        if kind == DRIFT:
            return 1 + 0.04 * night / NIGHTS
        if kind in (DRIVER, MACHINE):
            return 1.12 if late else 1
        return {SOURCE: 1.08 if late and own else 1, FASTER: 0.91 if late and own else 1}.get(kind, 1)

    @staticmethod
    def bend(table, r, kind, night, winner):
        """What became of a configuration; False: it is not recorded."""
        if kind == GONE and night >= NIGHTS - 4 and r["config_key"] == winner[1]:
            if table == "final":
                return False
            r.update(status="build_failed", phase="build", reason="cc: internal compiler error in vect_transform_loop", samples=None, n_samples=0,
                     **{k: None for k in TIMES})
        if kind == GONE and table == "final" and night >= NIGHTS - 4 and r["config_key"] == winner[2]:
            r.update(winner=1, **{k: r[k] and r[k] * 1.18 for k in TIMES})
        if kind == BROKEN and night == NIGHTS - 1:
            if table == "final":
                return False
            r.update(status="wrong", phase="verify", reason="y[0][17]: 0.12 instead of 0.25, at most 1e-05 allowed", samples=None, n_samples=0,
                     **{k: None for k in TIMES})
        return True

    def read(self, runs):
        self.winners, self.finalists, self.implementations = {}, {}, {}
        for run in runs:
            finals = self.rows("final", run["id"])
            keys = {(f["implementation_id"], f["config_key"]) for f in finals}
            trials = [t for t in self.rows("trial", run["id"]) if (t["implementation_id"], t["config_key"]) in keys]
            self.finalists[run["id"]] = {"trial": trials, "final": finals}
            self.implementations[run["id"]] = [r["implementation_id"] for r in self.rows("run_implementation", run["id"])]
            first = next(f for f in finals if f["winner"])
            own = sorted((f["median_ns"], f["config_key"]) for f in finals if not f["winner"] and f["implementation_id"] == first["implementation_id"])
            self.winners[run["id"]] = (first["implementation_id"], first["config_key"], own[0][1] if own else "")

    def tell(self):
        kinds = {"square-1024": MACHINE, "bert-384": SOURCE, "odd-causal": GONE, "llama-7b-512": FASTER, "odd": DRIFT}
        names = {r["id"]: r["name"] for r in self.db.execute("SELECT id, name FROM problem")}
        works = dict(self.db.execute("SELECT p.id, w.name FROM problem p JOIN workload w ON w.id = p.workload_id"))
        runs = [dict(r) for r in self.db.execute("SELECT * FROM run ORDER BY id")]
        self.read(runs)
        device = runs[0]["device_id"]
        updated = self.changed("device", device, driver="Linux 6.19.3", fingerprint="updated")
        self.db.execute("INSERT INTO peak SELECT ?, unit, type, rate, low, moments, measured_ms FROM peak WHERE device_id = ?", (updated, device))
        for run in runs:
            problem = run["problem_id"]
            kind = kinds[names[problem]]
            if works[problem] == "softmax" and names[problem] == "bert-384":
                kind = BROKEN
            elif names[problem] == "odd" and works[problem] != "gemm":
                kind = DRIVER
            rewritten = {}
            for night in range(NIGHTS):
                if kind == SOURCE and night == NIGHTS - 4:
                    old = self.winners[run["id"]][0]
                    rewritten[old] = self.changed("implementation", old, key="rewritten")
                late = night >= NIGHTS - 4 and kind in (DRIVER, BROKEN)
                self.add_night(run, night, kind, updated if late else device, rewritten)
        for table in ("metric", "run_space", "run_implementation", "final", "trial"):
            ids = "(%s)" % ",".join(str(r["id"]) for r in runs)
            self.db.execute("DELETE FROM %s WHERE %s" % (table, "trial_id IN (SELECT id FROM trial WHERE run_id IN %s)" % ids if table == "metric"
                                                         else "run_id IN " + ids))
        self.db.execute("DELETE FROM run WHERE id IN (%s)" % ",".join(str(r["id"]) for r in runs))
        self.db.commit()


def tell(path):
    Story(path).tell()


if __name__ == "__main__":
    tell(sys.argv[1])
