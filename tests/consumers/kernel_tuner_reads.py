"""Reads files that asctune wrote with the code of Kernel Tuner 1.5.0: kernel_tuner_reads.py T1-FOLDER T4-FOLDER COUNTS.csv

Prints TAP. COUNTS.csv says how many configurations asctune finds in each T1 file.
"""
import ast
import csv
import json
import pathlib
import sys

import jsonschema
from kernel_tuner import file_utils, util
from kernel_tuner.searchspace import Searchspace

TIMES = {"compile_time": "compilation", "benchmark_time": "benchmark", "framework_time": "framework",
         "strategy_time": "search_algorithm", "verification_time": "validation"}
ERRORS = {"compile": util.CompilationFailedConfig, "constraints": util.InvalidConfig}

tests = 0


def ok(condition, name):
    global tests
    tests += 1
    print("%sok %d - %s" % ("" if condition else "not ", tests, name))


def count(path):
    space = file_utils.get_input_file(path)["ConfigurationSpace"]
    values = {p["Name"]: ast.literal_eval(p["Values"]) for p in space["TuningParameters"]}
    conditions = [c["Expression"] for c in space["Conditions"]]
    return Searchspace(values, conditions, max_threads=sys.maxsize).size


def check_space(path, expected):
    have = count(path)
    ok(have == expected, "%s: %d configurations, %d by asctune" % (path.name, have, expected))


def row_of(record):
    """A record as Kernel Tuner keeps it while it tunes."""
    row = dict(record["configuration"], timestamp=record["timestamp"], times=record["times"]["runtimes"])
    row.update({ours: record["times"][theirs] for ours, theirs in TIMES.items()})
    row.update({m["name"]: m["value"] for m in record["measurements"]})
    if record["invalidity"] != "correct":
        row["__error__"] = ERRORS.get(record["invalidity"], util.RuntimeFailedConfig)()
    return row


def check_results(path):
    document = json.loads(path.read_text())
    jsonschema.validate(document, file_utils.output_file_schema("results")[1])
    records = document["results"]
    rows = [row_of(r) for r in records]
    again = file_utils.get_t4_results(rows, records[0]["configuration"])
    valid = [i for i, r in enumerate(records) if r["invalidity"] == "correct"]
    ok(len(records) > 0 and all(again["results"][i] == records[i] for i in valid),
       "%s: Kernel Tuner writes the same %d valid records of %d" % (path.name, len(valid), len(records)))
    ok(again["metadata"] == document["metadata"] and again["schema_version"] == document["schema_version"],
       "and the same about the file")
    if valid:
        least = min(records[i]["measurements"][0]["value"] for i in valid)
        ok(util.get_best_config(rows, "time")["time"] == least, "and finds the best of them")


def main(spaces, results, counts):
    with open(counts) as file:
        expected = dict(csv.reader(file))
    for name in sorted(expected):
        check_space(pathlib.Path(spaces) / name, int(expected[name]))
    for path in sorted(pathlib.Path(results).iterdir()):
        check_results(path)
    print("1..%d" % tests)


main(*sys.argv[1:])
