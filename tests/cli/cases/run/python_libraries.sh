# What Python functions consist of: their libraries, by version and content, which is a part of their key and is found once; what says why a module cannot be asked.
# covers: python_identity.c
cp -r "$WORKLOADS/axpy" .
cat >make.py <<'END'
"""Installs distributions: a line each, NAME VERSION FILE TEXT; and a workload that calls them."""
import base64
import hashlib
import json
import os
import sys

BODY = """
import ctypes
def axpy(x, y, out, n, a):
    xs, ys, outs = ((ctypes.c_float * n).from_address(t.data_ptr()) for t in (x, y, out))
    for i in range(n):
        outs[i] = a * xs[i] + ys[i]
"""


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def install(name, version, module, text, record=None, **more):
    folder = f"site/{name}-{version}.dist-info"
    write(f"site/{module}", text)
    write(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + more.pop("requires", ""))
    for file, said in more.items():
        write(f"{folder}/{file}.json", said)
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    write(f"{folder}/RECORD", record or f"{module},sha256={digest},{len(text)}\n{name}-{version}.dist-info/RECORD,,\n")


if sys.argv[1] == "lib":
    install("lib", sys.argv[2], "lib/__init__.py", BODY, requires="Requires-Dist: needed >= 1\nRequires-Dist: absent ; extra == 'x'\n")
    sys.exit()
install("lib", "1.0", "lib/__init__.py", BODY, requires="Requires-Dist: needed >= 1\nRequires-Dist: absent ; extra == 'x'\n")
install("needed", "2.0", "needed.py", "")
install("only_later", "5.0", "only_later.py", "")
install("broken", "3.0", "broken.py", BODY, record="broken.py,sha256=x,1\nnonsense\n")
install("edited", "4.0", "unused.py", "", direct_url=json.dumps({"url": f"file://{os.getcwd()}/src", "dir_info": {"editable": True}}))
write("src/edited_module.py", BODY)
write("site/chatty.py", "print('{\"libraries\": []}')\nimport sys\nsys.stdin.read()\n" + BODY)
write("site/parts/inner.py", BODY)
write("site/exits.py", "import sys\nsys.exit(3)\n")
write("site/ends.py", "import os\nprint('good bye')\nos._exit(3)\n")
write("site/forks.py", "import os\nos.fork()\n" + BODY)
write("own.py", "import beside\n" + BODY.replace("    xs", "    import late\n    xs"))
write("beside.py", "")
write("late.py", "def later():\n    from loose import core\n    import only_later\n    import not_here.at_all\n")
write("site/loose/__init__.py", "def __getattr__(name):\n    from . import deep\n")
write("site/loose/core.py", "")
write("site/loose/deep.py", "")
w = json.load(open(sys.argv[1]))
one = w["implementations"][0]
for name, source in {"lib": "lib:axpy", "own": "own.py:axpy", "none": "own.py:other", "edited": "edited_module:axpy", "chatty": "chatty:axpy", "parts": "parts.inner:axpy", "forks": "forks:axpy",
                     "broken": "broken:axpy", "exits": "exits:axpy", "ends": "ends:axpy", "missing": "nothing.here:axpy"}.items():
    w["implementations"].append({"name": name, "devices": ["cpu"], "builder": "python", "source": source, "arguments": one["arguments"][:5]})
one["parameters"] = {"BLOCK": [256], "UNROLL": [1], "THREADS": [1]}
json.dump(w, open("w.json", "w"))
END
python3 make.py "$WORKLOADS/axpy.json"
export PYTHONPATH="$PWD/site:$PWD/src" ASCTUNE_CACHE_DIR="$PWD/cache"
toolchains() { sqlite3 "$1" "SELECT name, toolchain, sources FROM implementation WHERE name <> 'loop'" | sed -E 's/CPython [0-9.]+/CPython N/; s/#[0-9a-f]{8}/#DIGEST/g; s/"[0-9a-f]{32}"/"KEY"/g'; }
asctune run w.json --python python3 --budget 20 --db a.db >out 2>said; echo "exit $?"
sed 's/: implementation/\n&/g; s/; /\n/g' said | grep -o 'implementation [a-z]*: .*' | sed -E 's|[^ ]*/python3[0-9.]*|PYTHON|'
toolchains a.db | sort
# found once for each; a file that was touched is looked at again, and what changes is a part of the key
kept() { for file in cache/python/identity/*; do head -1 "$file" | grep -q "\"$1\"" && stat -c %y "$file"; done; }
kept lib >before
asctune run w.json --python python3 --impl lib --budget 1 --db a.db >/dev/null 2>&1; kept lib | cmp - before && echo kept
touch site/lib/__init__.py
asctune run w.json --python python3 --impl lib --budget 1 --db a.db >/dev/null 2>&1; kept lib | cmp -s - before || echo found again
keys() { sqlite3 a.db "SELECT count(DISTINCT key) FROM implementation WHERE name = '$1'"; }
keys lib
trial=$(sqlite3 a.db "SELECT max(id) FROM trial")
rm -r site/lib-1.0.dist-info; python3 make.py lib 1.1
asctune run w.json --python python3 --impl lib --budget 1 --db a.db >/dev/null 2>&1; keys lib
ASCTUNE_PYTHON=python3 asctune reproduce "$trial" --db a.db 2>&1 | grep -o 'lib: 1.1, was 1.0'
echo '# another' >>site/lib/__init__.py
asctune run w.json --python python3 --impl lib --budget 1 --db a.db >/dev/null 2>&1; keys lib
TORCH_X=1 asctune run w.json --python python3 --impl lib --budget 1 --db a.db >/dev/null 2>&1; keys lib
echo '# another' >>beside.py
asctune run w.json --python python3 --impl own --budget 1 --db a.db >/dev/null 2>&1; keys own
toolchains a.db | grep '^lib'
# what is imported only within functions, and by what these import, counts as well
for file in late.py site/loose/core.py site/loose/deep.py; do
	echo '# another' >>$file
	asctune run w.json --python python3 --impl own --budget 1 --db a.db >/dev/null 2>&1; keys own
done
# what was kept and is damaged is found again
for file in cache/python/identity/*; do echo nonsense >"$file"; done
asctune run w.json --python python3 --impl own --budget 1 --db a.db 2>&1 | grep -c '1 ok'
