# A Python function with an index of the library makes its rule, in the place of a kernel of the same index; evidence knows its libraries.
# covers: dispatch_rules.c python_identity.c
cp -r "$WORKLOADS/axpy" .
python3 - "$WORKLOADS/axpy.json" <<'END'
import json
import os
import sys
os.makedirs("site/lib-1.0.dist-info")
open("site/lib.py", "w").write("""import ctypes
def axpy(x, y, out, n, a):
    xs, ys, outs = ((ctypes.c_float * n).from_address(t.data_ptr()) for t in (x, y, out))
    for i in range(n):
        outs[i] = a * xs[i] + ys[i]
""")
open("site/lib-1.0.dist-info/METADATA", "w").write("Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n")
open("site/lib-1.0.dist-info/RECORD", "w").write("lib.py,,\n")
w = json.load(open(sys.argv[1]))
one = w["implementations"][0]
one.update(index=1, parameters={"BLOCK": [256], "UNROLL": [1], "THREADS": [1]})
for name, index in ("call", 1), ("other", 0):
    w["implementations"].append({"name": name, "devices": ["cpu"], "index": index, "builder": "python", "source": "lib:axpy", "arguments": one["arguments"][:5]})
w["export"] = {"infiniops": {"operator": "Axpy", "sizes": {"n": "N"}}}
json.dump(w, open("w.json", "w"))
END
export PYTHONPATH="$PWD/site" ASCTUNE_CACHE_DIR="$PWD/cache" ASCTUNE_PYTHON=python3
asctune check-workload w.json 2>&1 | grep -o 'implementations.0..index.*'
asctune run w.json --budget 3 --db a.db >/dev/null 2>&1
run export infiniops --db a.db -o out 2>&1 | sed "s|$PWD|.|g"
python3 - <<'END'
import glob
import json
rules = json.load(open("out/implementation_index.json"))
print([rule["implementation_index"] for rule in rules["rules"]])
for row in json.load(open(glob.glob("out/*.evidence.json")[0]))["rows"]:
    print(row["implementation"], row["provenance"]["toolchain"].split(", ")[1].split(" #")[0], len(row["source_digest"]), row["foreign_kernel"])
END
run export --check out --db a.db 2>&1 | sed "s|$PWD|.|g"
sed -i 's/1[.]0/1.1/' site/lib-1.0.dist-info/METADATA; mv site/lib-1.0.dist-info site/lib-1.1.dist-info
asctune run w.json --budget 3 --db a.db >/dev/null 2>&1
run export --check out --db a.db 2>&1 | sed -E "s|$PWD|.|g; s/[0-9a-f]{32}/DIGEST/g"
