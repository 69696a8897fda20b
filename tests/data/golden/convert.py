#!/usr/bin/env python3
"""Converts a database of a development version of asctune, schema 1 to 25, into a new one of 0.1.0.

    tests/data/golden/convert.py OLD.db NEW.db

OLD.db is only read, NEW.db must not exist. A copy of OLD.db goes through the steps by which the development versions
brought older files up to date, as far as they are about rows; then all rows go, column by column, into a database made by
db/schema.sql. Answers to what is best are not copied: every subject is marked stale, and the program works its answers out.
schema-NN.sql beside this script has a database of each of these schemas, as text.
"""
import pathlib
import shutil
import sqlite3
import sys
import tempfile

APPLICATION_ID, NEWEST = 0x41534354, 26
SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "db/schema.sql"

# STEPS[n] leads from schema n to n + 1. Steps that changed views, indexes and triggers alone are empty: the new file has its own.
STEPS = {
    1: "CREATE TABLE peak(device_id INTEGER PRIMARY KEY, flops REAL NOT NULL, bandwidth REAL NOT NULL, measured_ms INTEGER NOT NULL);",
    2: "ALTER TABLE trial ADD COLUMN rewrites_json TEXT;",
    3: """CREATE TABLE acknowledgement(id INTEGER PRIMARY KEY, series TEXT NOT NULL, since_ms INTEGER NOT NULL, reason TEXT NOT NULL,
            who TEXT, made_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL);""",
    4: """CREATE TABLE run_space(run_id INTEGER NOT NULL, implementation_id INTEGER NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL,
            origin TEXT, text TEXT, configurations REAL);""",
    # Machines, clocks, matrix units.
    5: """ALTER TABLE device ADD COLUMN machine TEXT;
        ALTER TABLE trial ADD COLUMN clock_mhz REAL;
        ALTER TABLE final ADD COLUMN clock_mhz REAL;
        ALTER TABLE peak ADD COLUMN matrix_flops REAL NOT NULL DEFAULT 0;""",
    6: "ALTER TABLE implementation ADD COLUMN toolchain TEXT;",
    7: "",
    # Peaks by type, of unknown accuracy. A problem computes in the narrowest of its named types until its next run says better.
    8: """ALTER TABLE problem ADD COLUMN element TEXT;
        UPDATE problem SET element = (SELECT value FROM json_each(iif(json_valid(dims_json), dims_json, '{}'), '$.dtypes')
            WHERE value IN ('f16', 'bf16', 'f32', 'f64') ORDER BY substr(value, -2) LIMIT 1);
        CREATE TABLE peak_rows(device_id INTEGER NOT NULL, unit TEXT NOT NULL, type TEXT NOT NULL, rate REAL NOT NULL, low REAL NOT NULL,
            moments INTEGER NOT NULL, measured_ms INTEGER NOT NULL, PRIMARY KEY(device_id, unit, type));
        INSERT INTO peak_rows SELECT device_id, 'FLOP/s', 'f32', flops, 0, 0, measured_ms FROM peak WHERE flops > 0;
        INSERT INTO peak_rows SELECT device_id, 'FLOP/s', h.value, matrix_flops, 0, 0, measured_ms
            FROM peak, json_each('["f16", "bf16"]') h WHERE matrix_flops > flops;
        INSERT INTO peak_rows SELECT device_id, 'B/s', '', bandwidth, 0, 0, measured_ms FROM peak WHERE bandwidth > 0;
        DROP TABLE peak;
        ALTER TABLE peak_rows RENAME TO peak;""",
    # How sure finals are. Ratios of older finals are to the lowest median.
    9: """ALTER TABLE final ADD COLUMN standing TEXT;
        ALTER TABLE run ADD COLUMN sure TEXT;
        ALTER TABLE run ADD COLUMN noise_pct REAL;
        ALTER TABLE run ADD COLUMN decided INTEGER;
        UPDATE final SET standing = CASE WHEN winner THEN 'tied' WHEN NOT tied THEN 'slower'
            WHEN ratio_low >= 0.95 AND ratio_high <= 1.1 THEN 'tied' ELSE 'unsure' END;
        UPDATE run SET sure = CASE
            WHEN EXISTS (SELECT 1 FROM final w JOIN final n ON n.run_id = w.run_id AND n.implementation_id = w.implementation_id
                    AND n.median_ns * 1.005 < w.median_ns
                WHERE w.run_id = run.id AND w.winner AND (n.implementation_id, n.config_key) IN
                    (SELECT implementation_id, config_key FROM trial WHERE is_default)) THEN 'no usable result'
            WHEN EXISTS (SELECT 1 FROM final n WHERE n.run_id = run.id AND n.standing = 'unsure' AND n.ratio_low < 0.95)
                THEN 'too noisy to rank'
            WHEN (SELECT count(*) FROM final n WHERE n.run_id = run.id AND n.standing <> 'slower') > 1 THEN 'tie'
            ELSE 'clear winner' END,
            noise_pct = (SELECT avg(50 * (n.ratio_high - n.ratio_low)) FROM final n
                WHERE n.run_id = run.id AND n.standing <> 'slower' AND NOT n.winner)
            WHERE id IN (SELECT run_id FROM final);
        UPDATE run SET decided = iif(sure IN ('clear winner', 'tie'), 2, 1) WHERE sure IS NOT NULL;""",
    # What a trial was built from.
    10: """ALTER TABLE trial ADD COLUMN digest TEXT;
        ALTER TABLE implementation ADD COLUMN options TEXT;
        ALTER TABLE implementation ADD COLUMN sources TEXT;
        ALTER TABLE run ADD COLUMN workload_file TEXT;""",
    # What a search began and ended with.
    11: """ALTER TABLE run ADD COLUMN history_json TEXT;
        ALTER TABLE run ADD COLUMN patience_json TEXT;""",
    # What tables for libraries need.
    12: """ALTER TABLE workload ADD COLUMN export_json TEXT;
        ALTER TABLE problem ADD COLUMN kinds_json TEXT;
        ALTER TABLE implementation ADD COLUMN source_digest TEXT;""",
    # Simulated runs were imported ones, until stand-ins measured.
    13: """ALTER TABLE run ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
        UPDATE run SET imported = simulated;""",
    14: """ALTER TABLE run ADD COLUMN source_commit TEXT;
        ALTER TABLE run ADD COLUMN source_clean INTEGER;""",
    # When things were done.
    15: """ALTER TABLE trial ADD COLUMN begin_ns INTEGER;
        ALTER TABLE trial ADD COLUMN builds BLOB;
        ALTER TABLE run ADD COLUMN finals_begin_ns INTEGER;
        ALTER TABLE run ADD COLUMN finals_ns INTEGER;""",
    16: "",
    17: "",
    18: "",
    19: "",  # profiles: tables of their own
    # Outputs were compared with numbers in double precision, where they were compared.
    20: """ALTER TABLE trial ADD COLUMN verified_by TEXT;
        UPDATE trial SET verified_by = 'float64' WHERE not_finite IS NOT NULL;""",
    # Seeds of inputs, bits of outputs, configurations of equal code.
    21: """ALTER TABLE run ADD COLUMN input_seeds TEXT;
        ALTER TABLE trial ADD COLUMN same_implementation_id INTEGER REFERENCES implementation;
        ALTER TABLE trial ADD COLUMN same_hash INTEGER;
        ALTER TABLE final ADD COLUMN bits TEXT;
        ALTER TABLE final ADD COLUMN compared INTEGER;
        ALTER TABLE final ADD COLUMN varied INTEGER;
        ALTER TABLE final ADD COLUMN varied_abs REAL;""",
    # On how many sets of inputs the rounds of finals were.
    22: "ALTER TABLE final ADD COLUMN sets INTEGER;",
    # At how many places tensors lay in the rounds of finals. Answers, which are not copied, are compared with several baselines.
    23: "ALTER TABLE final ADD COLUMN places INTEGER;",
    # Shares of a run.
    24: "ALTER TABLE run ADD COLUMN share_id INTEGER;",
    # Trials of runs whose losers were removed.
    25: "CREATE TABLE run_tried(run_id INTEGER, implementation_id INTEGER, status TEXT, trials INTEGER);",
}


def bring_up(db):
    """Takes the database through the steps; views and triggers go first, else each change of a table would check them."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID or not 1 <= version < NEWEST:
        raise ValueError("no database of a development version of asctune")
    for kind, name in db.execute("SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'trigger')").fetchall():
        db.execute(f'DROP {kind} "{name}"')
    for step in range(version, NEWEST):
        db.executescript(STEPS[step])


def copy_rows(db, table, sql):
    columns = [row[1] for row in db.execute(f"PRAGMA main.table_info({table})")]
    if "id" not in columns and "WITHOUT ROWID" not in sql:
        columns.append("rowid")  # which the view `best` shows of a finalist
    listed = ", ".join(columns)
    db.execute(f"INSERT INTO main.{table}({listed}) SELECT {listed} FROM old.{table}")


def open_old(path):
    """A folder that cannot be written has no place for the index of a log: without a log the file is read as it is."""
    uri = path.resolve().as_uri()
    old = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        old.execute("SELECT 1 FROM sqlite_schema")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            raise
        old.close()
        old = sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return old


def convert(old_path, new_path):
    if pathlib.Path(new_path).exists():
        raise ValueError(f"{new_path} is there already")
    with tempfile.TemporaryDirectory() as folder:
        between, made = pathlib.Path(folder) / "between.db", pathlib.Path(folder) / "new.db"
        old = open_old(pathlib.Path(old_path))
        with sqlite3.connect(between) as copy:
            old.backup(copy)
            bring_up(copy)
        old.close()
        copy.close()
        new = sqlite3.connect(made, isolation_level=None)
        new.execute("PRAGMA page_size=1024")  # as the program makes files
        new.execute("ATTACH ? AS old", (str(between),))
        new.executescript("BEGIN;" + SCHEMA.read_text())
        for table, sql in new.execute("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND name NOT IN ('answer', 'outcome', 'stale')"
                                      " AND name IN (SELECT name FROM old.sqlite_schema) ORDER BY rowid").fetchall():
            copy_rows(new, table, sql)
        new.execute("DELETE FROM stale")  # subjects that the triggers marked
        new.execute("INSERT INTO stale SELECT DISTINCT device_id, problem_id FROM run WHERE NOT imported")
        new.execute("COMMIT")
        new.close()
        shutil.copyfile(made, new_path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        convert(*sys.argv[1:])
    except (OSError, ValueError, sqlite3.Error) as e:
        sys.exit(f"convert.py: {sys.argv[1]}: {e}")
