# check-workload: faults of each kind in one file, all said in one run, in the file's order, each once; what only follows from one is not.
# covers: json_path.c workload_open.c binding_check.c
cp -r "$WORKLOADS/axpy" .
cat >w.json <<'END'
{
  "asctune": "1",
  "name": "all wrong",
  "operater": "axpy",
  "description": 7,
  "problems": [
    {"name": "small", "dims": {"N": 1000, "M": "many", "K": 36028797018963968}, "dtypes": {"T": "f32", "U": "float32"}},
    {"name": "small", "dims": {"N": 2000, "M": 8, "K": 1}, "dtypes": {"T": "f32", "U": "f32"}, "tags": [1, ""]},
    {"name": "ladder", "dims": {"N": [64, "65", 64], "M": 8}, "dtypes": {"T": "f32", "U": "f32"}, "devices": ["gpu", "cpu"]}
  ],
  "tensors": {
    "x": {"shape": ["N", "Q"], "dtype": "T", "role": "in", "fill": {"kind": "gauss", "mean": "MEAN"}},
    "y": {"shape": ["N", "M +"], "dtype": "T", "role": "in", "fill": {"kind": "uniform", "low": 2, "high": "1"}},
    "z": {"shape": ["N", "M"], "dtype": "U", "role": "in", "fill": {"kind": "function", "source": "nofill.c", "entry": "fill-it"}},
    "u": {"shape": ["N", "1 // (N - N)"], "dtype": "V", "role": "inn", "optional": "WITH_U"},
    "1st": {"shape": ["K"], "dtype": "T", "role": "in", "fill": {"kind": "slots"}},
    "out": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": "EPS", "rtol": true}}}},
    "out": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}},
    "drawn": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "distribution", "p": 2}},
    "near": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"bf16": {"atol": 0, "rtol": 0}}}}
  },
  "flops": "2 * N * FLOP",
  "bytes": "sizeof(x) + sizeof(q) + sizeof(r)",
  "reference": {
    "source": "axpy/nothing.c",
    "entry": "axpy_reference",
    "arguments": [{"tensor": "x"}, {"tensor": "xx"}, {"scalar": "NN", "type": "i64"}, {"scalar": "N"}]
  },
  "reference_on": {"cpu": {"source": "axpy/kernel.c"}},
  "baseline": {"cpu": "lop", "gpu": "loop"},
  "implementations": [
    {
      "name": "loop",
      "index": -3,
      "devices": ["cpu", "cpu"],
      "when": "WHEN > 1",
      "source": "axpy/no.c",
      "entry": "axpy entry",
      "parameters": {
        "BLOCK": {"values": [64, 256, 1024], "default": 128},
        "UNROLL": [1, 1],
        "LANES": [null],
        "THREADS": {"values": [1, 2], "stage": "lunch"},
        "N": [1, 2],
        "int": [1]
      },
      "constraints": ["BLOK >= 64 * UNROLL", "BLOCK * LANES <= 1024", "THREADS <= devic.threads and FOO > BAR", "1 +", 5 ],
      "memory": {"ub": "4 * TILES", "l9": 5, "l1": [{"tile": "a", "bytes": "BYTES", "live": [2, 1]}]},
      "launch": {"grid": ["ceil_div(N, BLOC)"], "threads": "THREAD", "block": [1]},
      "arguments": [
        {"tensor": "x"},
        {"tensor": "yy"},
        {"tensor": "out"},
        {"tensor": "drawn"},
        {"tensor": "near"},
        {"scalar": "ceil_div(N)", "type": "i64"},
        {"scalar": 3, "type": "float"},
        {"scratch": "NONE"},
        {"builtin": "block"},
        {"tensor_map": {"tensor": "x", "box": [1]}},
        {}
      ],
      "rewrites": [{"rewrite": "sub-block", "parameters": ["BLOCK", "SUB"]}, {"rewrite": "sub-blok"}],
      "constants": {"WIDTH": "N // COLS", "TYPE": {"dtype": "W"}, "BLOCK": 1},
      "standin": {"source": "axpy/twin.c", "entry": "twin"}
    },
    {
      "name": "two",
      "scratch": {"between": {"shape": ["N * HIGH"], "dtype": "T"}},
      "calls": [
        {"source": "axpy/kernel.cu", "entry": "axpy", "parameters": ["BLOCK"], "launch": {"grid": ["GRID"], "threads": 1}, "arguments": [{"tensor": "out"}, {"tensor": "near"}]},
        {"source": "axpy/kernel", "builder": "gcc", "flags": "-O3"}
      ]
    },
    {"name": "third", "source": "axpy/kernel.c", "entry": "axpy", "arguments": [{"tensor": "out"}, {"tensor": "drawn"}]},
    {}
  ],
  "export": {
    "infiniops": {"operator": "", "sizes": {"n": "NNN"}, "default_index": -1},
    "infinicore": {"sizes": 5}
  }
}
END
run check-workload w.json
# spaces of implementations without a fault are looked at, too: of "loop" conditions leave none, of "next" a name is not known
sed 's/"BLOCK >= 64/"BLOCK >= 640000/; s/^  "implementations": \[$/&{"name": "next", "source": "axpy\/kernel.c", "entry": "axpy", "constraints": ["FOO"], "arguments": [{"tensor": "out"}]},/' "$WORKLOADS/axpy.json" >empty.json
run check-workload empty.json
# a file that is no longer JSON has one fault
sed 's/"flops"/flops/' w.json >broken.json
run check-workload broken.json
# run shows the first fault, and where there are more, the command that lists them
sed 's/"N": 1000}/"N": "many"}/; s/"index": "first",//' "$WORKLOADS/axpy.json" >"one fault.json"
run run "one fault.json"
sed 's/"constraints": \[/&"LANES > 1",/' "one fault.json" >"two faults.json"
run run "two faults.json"
ln -s "$(command -v asctune)" tune && ./tune run "two faults.json"
