"""The ledger: every trial that was printed, held against the rows of the database."""

import collections
import json
import os
import shutil
import sqlite3
import tempfile


MAY_PASS = {"slow", "undecided"}  # statuses of a search that the finals may change to ok


def config_text(config):
    return ",".join("%s=%s" % (name, config[name]) for name in sorted(config))


def read_samples(blob):
    """Times of a row: differences as zigzag varints."""
    samples, n, shift, last = [], 0, 0, 0
    for byte in blob or b"":
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            last += n >> 1 ^ -(n & 1)
            samples.append(last)
            n = shift = 0
    return tuple(samples)


class Trial(collections.namedtuple("Trial", "run implementation config status phase artifact samples")):
    """What is printed and recorded of a trial."""

    def __str__(self):
        return "%s %s in run %s: %s in %s, %d samples" % (self.implementation, self.config, self.run, self.status, self.phase, len(self.samples))


class Ledger:
    def __init__(self, database, folder):
        self.database, self.folder = database, folder
        self.printed = collections.Counter()  # trials that were measured, by what tells them apart
        self.cut_short = set()  # runs that were killed: one trial each may be recorded and not yet printed
        self.may_pass = {}  # the trials of MAY_PASS, by run, implementation and configuration
        self.resumed = 0
        self.told = set()

    def add(self, text, killed):
        """Enters what a run has printed and returns its objects and what is wrong with them."""
        lines, wrong, run = text.split("\n"), [], None
        torn = lines.pop()
        if torn and not killed:
            wrong.append("the last line is torn: %.80s" % torn)
        objects = []
        for line in lines:
            try:
                objects.append(json.loads(line))
            except ValueError:
                wrong.append("a line is not JSON: %.80s" % line)
        for o in objects:
            if o["type"] == "run":
                run = o["run"]
                if killed:
                    self.cut_short.add(run)
            elif o["type"] == "trial" and o["resumed"]:
                self.resumed += 1
            elif o["type"] == "trial":
                self.enter(Trial(run, o["implementation"], config_text(o["config"]), o["status"], o["phase"], o.get("artifact") or None,
                                 tuple(o["samples_ns"])))
        return objects, wrong

    def enter(self, trial):
        """Enters a printed trial. The second line of one that passes in the finals changes the first one's status, and that alone."""
        key = trial.run, trial.implementation, trial.config
        first = self.may_pass.pop(key, None)
        if first and trial.status == "ok":
            self.printed[first] -= 1
            trial = first._replace(status="ok")
        elif trial.status in MAY_PASS:
            self.may_pass[key] = trial
        self.printed[trial] += 1

    def query(self, sql, *values):
        """Rows of a copy: asctune alone recovers and checkpoints the file itself. Nothing may be writing to it."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copy = os.path.join(folder, "copy.db")
            for end in ("", "-wal"):
                if os.path.exists(self.database + end):
                    shutil.copy(self.database + end, copy + end)
            db = sqlite3.connect(copy)
            try:
                return db.execute(sql, values).fetchall()
            finally:
                db.close()

    def has_tables(self):
        return self.query("SELECT count(*) FROM sqlite_master WHERE name = 'trial'") == [(1,)]

    def recorded(self):
        rows = collections.Counter()
        if not self.has_tables():
            return rows
        for run, name, config, status, phase, artifact, samples in self.query(
                "SELECT run_id, i.name, config_json, status, phase, artifact, samples FROM trial t"
                " JOIN implementation i ON i.id = t.implementation_id"):
            rows[Trial(run, name, config_text(json.loads(config)), status, phase, artifact, read_samples(samples))] += 1
        return rows

    def check(self):
        """What is wrong: trials that were printed and are not recorded, and the other way round."""
        rows, unprinted = self.recorded(), collections.Counter()
        lost, rest = self.printed - rows, rows - self.printed
        for t in list(lost):
            passed = t._replace(status="ok")
            if t.status in MAY_PASS and rest[passed]:  # the finals have changed it
                lost[t] -= 1
                rest[passed] -= 1
        wrong = ["lost: printed and not in the database: %s" % str(t) for t in +lost]
        for t in +rest:
            unprinted[t.run] += rest[t]
            if t.run not in self.cut_short or unprinted[t.run] > 1:
                wrong.append("invented: in the database and not printed: %s" % str(t))
        return [w for w in wrong if not self.has_told(w)]

    def has_told(self, wrong):
        """Says everything once."""
        told = wrong in self.told
        self.told.add(wrong)
        return told

    def check_file(self):
        """What SQLite says of the file."""
        said = self.query("PRAGMA integrity_check") + self.query("PRAGMA foreign_key_check")
        return [] if said == [("ok",)] else ["the database is damaged: %s" % (said[:3],)]
