# check-workload: functions of Python; how each is named and called is checked, and no other builder has their keys.
# covers: workload_python.c workload_argument.c workload_calls.c
cat >eager.py <<'END'
def scale(x, y): ...
END
cp "$ROOT/tests/data/workload/full/kernel.c" "$ROOT/tests/data/workload/full/reference.c" .
cat >w.json <<'END'
{
  "asctune": 1,
  "name": "w",
  "problems": [{"name": "tiny", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
  "tensors": {
    "x": {"shape": ["N"], "dtype": "T", "role": "in"},
    "n": {"shape": [1], "dtype": "i64", "role": "in", "place": "host"},
    "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}},
    "z": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}
  },
  "reference": {"source": "reference.c", "entry": "add", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"tensor": "z"}]},
  "implementations": [
    {"name": "right", "builder": "python", "source": "torch._C:ops.aten.f", "arguments": [{"tensor": "n"}, null, {"list": [1]}], "returns": ["z", "y"]},
    {"name": "no-colon", "builder": "python", "source": "torch.softmax", "returns": ["y", "z"]},
    {"name": "no-function", "builder": "python", "source": "torch:", "returns": ["y", "z"]},
    {"name": "no-module", "builder": "python", "source": ":softmax", "returns": ["y", "z"]},
    {"name": "path", "builder": "python", "source": "torch/nn:softmax", "returns": ["y", "z"]},
    {"name": "keyword", "builder": "python", "source": "torch.lambda:softmax", "returns": ["y", "z"]},
    {"name": "member", "builder": "python", "source": "torch:nn..softmax", "returns": ["y", "z"]},
    {"name": "digit", "builder": "python", "source": "torch:2d", "returns": ["y", "z"]},
    {"name": "no-file", "builder": "python", "source": "lazy.py:scale", "returns": ["y", "z"]},
    {"name": "entry", "builder": "python", "source": "eager.py:scale", "entry": "scale", "returns": ["y", "z"]},
    {"name": "available", "builder": "python", "source": "eager.py:scale", "available": "lazy.py:has", "returns": ["y", "z"]},
    {"name": "returned", "builder": "python", "source": "eager.py:scale", "returns": ["y", "zz", "y", "x", "z", 3]},
    {"name": "few", "builder": "python", "source": "eager.py:scale", "arguments": [{"tensor": "y"}]},
    {"name": "kinds", "builder": "python", "source": "eager.py:scale", "tensors": "tensorflow", "make": 1, "returns": "y"},
    {
      "name": "arguments", "builder": "python", "source": "eager.py:scale", "returns": ["y", "z"],
      "parameters": {"block": {"values": [1, 2], "stage": "build"}, "out": [1]},
      "constants": {"x": 1},
      "arguments": [
        {"tensor": "x", "name": "x"}, {"tensor": "n"}, null, {"tensor": "n", "name": "x"}, {"scalar": 1, "type": "i64", "name": "is"},
        {"scalar": 1, "type": "i64", "name": "a-b"}, {"scalar": 1, "type": "i64", "name": ""}, {"scalar": 1, "type": "i64", "name": 5},
        {"tensor": "y", "name": "out"}, {"scratch": 64}, {"tensor_map": {"tensor": "x", "box": [1]}}, {"builtin": "blocks", "name": "blocks"},
        {"builtin": "thread", "name": "thread"}
      ],
      "launch": {"grid": [1], "threads": 2}, "flags": ["-O3"], "standin": {"source": "kernel.c", "entry": "add"}, "verdicts": "v.csv"
    },
    {
      "name": "other", "source": "kernel.c", "entry": "add", "returns": ["y"], "make": false, "available": "torch:f", "tensors": "torch",
      "arguments": [{"tensor": "x", "name": "x"}, {"tensor": "y"}, {"tensor": "z"}, {"builtin": "stream"}]
    },
    {
      "name": "read", "scratch": {"s": {"shape": ["N"], "dtype": "T"}},
      "calls": [
        {"builder": "python", "source": "eager.py:scale", "arguments": [{"tensor": "x"}], "returns": ["y", "s"]},
        {"builder": "vendor", "source": "openblas:gemm", "entry": "gemm", "arguments": [{"tensor": "y"}, {"tensor": "s"}, {"tensor": "z"}]}
      ]
    }
  ]
}
END
run check-workload w.json
# a workload of a stranger: functions of files in its folder, which import others there
mkdir outside in
cp eager.py outside/
printf 'from . import eager\n' >in/ok.py
printf 'from ..outside import eager\n' >in/bad.py
cp eager.py in/
ln -s ../outside/eager.py in/link.py
head -n 13 w.json | grep -v '"n"' >in/w.json
cat >>in/w.json <<'END'
    {"name": "right", "builder": "python", "source": "ok.py:f", "returns": ["z", "y"]},
    {"name": "module", "builder": "python", "source": "torch:softmax", "returns": ["z", "y"]},
    {"name": "beside", "builder": "python", "source": "../outside/eager.py:scale", "returns": ["z", "y"]},
    {"name": "path", "builder": "python", "source": "/etc/../$PWD/eager.py:scale", "returns": ["z", "y"]},
    {"name": "imports", "builder": "python", "source": "bad.py:f", "returns": ["z", "y"]},
    {"name": "link", "builder": "python", "source": "link.py:scale", "returns": ["z", "y"]},
    {"name": "asks", "builder": "python", "source": "eager.py:scale", "available": "os:abort", "returns": ["z", "y"]},
    {"name": "asks-beside", "builder": "python", "source": "eager.py:scale", "available": "../outside/eager.py:scale", "returns": ["z", "y"]}
  ]
}
END
sed -i "s|/etc/../\$PWD|$PWD/outside|" in/w.json
cp reference.c in/
run check-workload in/w.json
run check-workload in/w.json --untrusted
