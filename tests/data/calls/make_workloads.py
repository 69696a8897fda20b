#!/usr/bin/env python3
"""make_workloads.py FOLDER: writes the workloads that call Python functions in tests: nothing.json and endings.json, and softmax, rms_norm and gemm of workloads/ with a
function of numpy beside their C kernel."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHIPPED = HERE.parents[2] / "workloads"
EPS = {"scalar": "0.000001", "type": "f64", "name": "eps"}
NUMPY = {
    "softmax": {"source": "functions/numpy_calls.py:softmax", "arguments": [{"tensor": "x"}, {"tensor": "out"}]},
    "rms_norm": {"source": "functions/numpy_calls.py:rms_norm", "arguments": [{"tensor": "input"}, {"tensor": "weight"}, EPS], "returns": ["out"],
                 "when": "not inplace and T == 'f32' and W == 'f32'"},
    "gemm": {"source": "functions/numpy_calls.py:matmul", "arguments": [{"tensor": "a"}, {"tensor": "b"}, {"tensor": "c"}]},
}
VALUES = {"N": ("n", "i64"), "0.5": ("scale", "f32"), "0.000001": ("eps", "f64"), "1": ("mode", "bool")}


def unchanged(name, implementations):
    """A workload whose tensor stays as it is."""
    return {
        "asctune": 1, "name": name, "problems": [{"name": "one", "dims": {"N": 16}, "devices": ["cpu"]}],
        "tensors": {"y": {"shape": ["N"], "dtype": "f32", "role": "inout", "verify": {"kind": "exact"}}},
        "reference": {"source": "functions/nothing.c", "entry": "same", "arguments": [{"tensor": "y"}]},
        "implementations": implementations,
    }


def value(formula, **more):
    return {"scalar": formula, "type": VALUES[formula][1], **more}


def python(name, source, arguments):
    return {"name": name, "builder": "python", "source": f"functions/{source}:{name}", "arguments": [{"tensor": "y"}, *arguments]}


def main(folder):
    folder.mkdir(exist_ok=True)
    for source in [HERE / "functions", *filter(pathlib.Path.is_dir, SHIPPED.iterdir())]:
        (folder / source.name).symlink_to(source)
    named = [value("0.000001", name="eps"), value("1", name="mode"), {"builtin": "stream", "name": "stream"}]
    c = {"name": "c", "source": "functions/nothing.c", "entry": "nothing", "arguments": [{"tensor": "y"}, *map(value, VALUES), {"scalar": "0", "type": "i64"}]}
    workloads = {
        "nothing": unchanged("nothing", [c, python("nothing", "nothing.py", [value("N"), value("0.5"), *named])]),
        "endings": unchanged("endings", [python(name, "endings.py", []) for name in ("imports", "ends", "aborts", "kills")]),
    }
    for name, row in NUMPY.items():
        workload = json.loads((SHIPPED / f"{name}.json").read_text())
        c = next(i for i in workload["implementations"] if i["devices"] == ["cpu"])
        workload["implementations"] = [c, {"name": "numpy", "devices": ["cpu"], "builder": "python", "when": "T == 'f32'", **row}]
        workload.pop("baseline", None)
        workloads[name] = workload
    for name, workload in workloads.items():
        (folder / f"{name}.json").write_text(json.dumps(workload, indent=1))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
