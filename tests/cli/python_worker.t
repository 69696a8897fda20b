#!/bin/sh
# Problems with Python functions, whose worker is the user's Python: who takes part, what the process is given, what becomes of prints and crashes, of modules that
# end the process they are imported in, of Ctrl-C within a call.
# covers: python_worker.c worker_python.c
here=$(cd "$(dirname "$0")" && pwd)
root="${here%/tests/cli}"
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-python-worker.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
fail() { # NAME RELATION WANTED HAVE, on stderr too, which prove shows
	echo "not ok $n - $1"
	printf '# %s\n# %s: %s\n# have: %s\n' "$1" "$2" "$3" "$4" >&2
}
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || fail "$1" wanted "$2" "$3"
}
has() { # NAME PART HAVE
	n=$((n + 1))
	case $3 in *"$2"*) echo "ok $n - $1" ;; *) fail "$1" 'wanted in it' "$2" "$3" ;; esac
}
why=$(ASCTUNE_CACHE_DIR=$work/cache asctune doctor 2>/dev/null | sed -n 's/^python.worker *no *//p')
[ -z "$why" ] || { echo "1..0 # SKIP $why"; exit; }
python=$("${ASCTUNE_PYTHON:-python3}" -c 'import sys; print(sys.executable)')
sandboxed=$(asctune doctor | awk '$1 == "sandbox.files" { print $2 }')
unset ASCTUNE_PYTHON
mkdir "$work/mine" && cd "$work" || exit 1
export ASCTUNE_CACHE_DIR="$work/cache" ASCTUNE_DB="$work/mine.db" COLUMNS=10000

cat >mine/twice.c <<'C'
void twice(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = 2 * x[i]; }
void reference(const double *x, double *y, long n) { for (long i = 0; i < n; i++) y[i] = 2 * x[i]; }
C
cat >mine/outside.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
void outside(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = dlsym(RTLD_DEFAULT, "Py_IsInitialized") ? 0 : 2 * x[i]; }
C
cat >mine/calls.py <<'PYTHON'
import ctypes
import os
import subprocess
import sys
import time

ours = os.getpid()
print("said by an import")


def right(x, y):
    ctypes.memmove(y.data_ptr(), x.data_ptr(), 4 * x.shape[0])
    values = (ctypes.c_float * x.shape[0]).from_address(y.data_ptr())
    values[:] = [2 * value for value in values]


def crashes(x, y):
    ctypes.memset(8, 0, 8)


def prints(x, y):
    open(os.environ["XDG_CACHE_HOME"] + "-ends", "a").write("x")
    print("said to nobody")
    os._exit(7)


def forks(x, y):
    open(os.environ["XDG_CACHE_HOME"] + ("-here" if os.getpid() == ours else "-there"), "w").write("x")
    right(x, y)
    os.fork()


def raises(x, y):
    open(os.environ["XDG_CACHE_HOME"] + "-raised", "a").write("x")
    says("no")


def quits(x, y):
    os._exit(8)


def says(text):
    raise ValueError(text)


def home(x, y):
    place = os.environ["HOME"]
    open(os.path.join(place, "left"), "w").close()
    says(f"home {place == os.environ['TMPDIR']}")


def caches(x, y):
    names = "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "CUDA_CACHE_PATH", "VLLM_CACHE_ROOT", "FLASHINFER_WORKSPACE_BASE"
    for name in names:
        os.makedirs(os.environ[name], exist_ok=True)
        open(os.path.join(os.environ[name], "kept"), "w").close()
    above = os.path.dirname(os.path.dirname(os.environ["TRITON_CACHE_DIR"]))
    try:
        open(os.path.join(above, "beside"), "w").close()
    except PermissionError:
        says("nothing beside the caches")
    says("written beside the caches")


def settings(x, y):
    says(" ".join([os.environ["OMP_WAIT_POLICY"], str(os.environ.get("A_TOKEN")), str(os.environ.get("TORCH_LOGS")), str("" in sys.path), str(sys.dont_write_bytecode)]))


def loads(x, y):
    found, sys.modules["torch"] = [], sys
    for text in *(f'\nimport torch\nfrom ctypes import cdll\ncdll.LoadLibrary("{name}")\n' for name in ("libc.so.6", "none.so")), "raise SystemExit(3)":
        try:
            found.append(str(subprocess.check_call([sys.executable, "-c", text])))
        except (OSError, subprocess.CalledProcessError) as e:
            found.append(type(e).__name__)
    del sys.modules["torch"]
    says(" ".join(found))


def sleeps(x, y):
    time.sleep(100)
PYTHON
cat >mine/dies.py <<'PYTHON'
import os

open(os.environ["XDG_CACHE_HOME"] + "-imports", "a").write("x")
os._exit(9)
PYTHON
cat >mine/odd.py <<'PYTHON'
import ctypes
import functools
import os
import time

import calls

ctypes.CDLL("libm.so.6").fesetround(0x400)  # downward
if not os.fork():  # a child that stays, as a pool's does
    time.sleep(20)
    os._exit(0)


def __getattr__(name):
    raise RuntimeError(f"{name} wants more")


def filled(call):
    @functools.wraps(call)
    def filled_call(x, y):
        call(x, y, 2)

    return filled_call


@filled
def wrapped(x, y, factor):
    calls.right(x, y)


def leaves(x, y):
    os._exit(6)
PYTHON
cat >mine/slow.py <<'PYTHON'
import sys
import time

if sys.argv[1] == "serve":
    time.sleep(100)


def slow(x, y):
    pass
PYTHON
{
	cat <<'JSON'
{"asctune": 1, "name": "mine",
 "problems": [{"name": "small", "dims": {"N": 64}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "f32", "role": "in"},
             "y": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "twice.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [
  {"name": "plain", "devices": ["cpu"], "source": "twice.c", "entry": "twice", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
  {"name": "outside", "devices": ["cpu"], "source": "outside.c", "entry": "outside", "parameters": {"K": [1, 2]}, "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
  {"name": "never", "devices": ["cpu"], "when": "N > 64", "builder": "python", "source": "calls.py:right", "arguments": [{"tensor": "x"}, {"tensor": "y"}]}
JSON
	for place in calls.py:right calls.py:raises calls.py:crashes calls.py:prints calls.py:forks calls.py:quits calls.py:home calls.py:caches calls.py:settings calls.py:loads calls.py:sleeps dies.py:nobody odd.py:wrapped odd.py:leaves odd.py:lazy slow.py:slow; do
		printf ',\n  {"name": "%s", "devices": ["cpu"], "builder": "python", "source": "%s", "arguments": [{"tensor": "x"}, {"tensor": "y"}]}' "${place#*:}" "$place"
	done
	echo ']}'
} >mine/all.json
only() { # FILE NAME...: the workload with these implementations and `plain`
	out=$1
	shift
	"$python" -c 'import json, sys
w = json.load(open("mine/all.json"))
w["implementations"] = [i for i in w["implementations"] if i["name"] in ("plain", *sys.argv[2:])]
json.dump(w, open("mine/" + sys.argv[1], "w"))' "$out" "$@"
}
try() { # ASCTUNE RUN'S ARGUMENTS
	asctune run --device cpu --budget 20 --cache hot "$@" 2>&1
}

# Who takes part.
only right.json right
has "without an interpreter a Python function does not take part" "1 of 1 configurations: 1 ok" "$(try mine/right.json)"
has "with one it does" "2 of 2 configurations: 2 ok" "$(try mine/right.json --python "$python")"
has "so it does where it is asked for" "1 of 1 configurations: 1 ok" "$(try mine/right.json --impl right)"
said=$(try mine/right.json --python no-such-python)
has "an interpreter that is missing is said" "left out: implementation right: there is no program no-such-python" "$said"
has "the others are measured" "1 of 1 configurations: 1 ok" "$said"
has "where nothing is left that is the end" "nothing can run on cpu: implementation right: there is no program no-such-python" "$(try mine/right.json --python no-such-python --impl right)"

# The process is a Python where one of its functions can be called, and only there: `outside` is wrong in one.
only python.json outside right never
only left-out.json outside nobody never
has "it is one for all kernels of a problem" ": y: 64 of 64 elements differ" "$(try mine/python.json --python "$python")"
has "it is none where all functions are left out" "3 of 3 configurations: 3 ok" "$(try mine/left-out.json --python "$python")"
rm "$work"/cache/python/*/cache-imports
said=$(asctune profile mine/python.json --python "$python" --device cpu --impl outside --config K=2 --against K=1 2>&1)
check "nor where others are asked for" "0 none" "$? $(echo "$said" | grep -o 'elements differ' || echo none)"

# What a process is given.
has "its home is a scratch folder" "ValueError: home True" "$(try mine/all.json --python "$python" --impl home)"
said=$(try mine/all.json --python "$python" --impl caches)
[ "$sandboxed" = yes ] && has "caches alone are written" "nothing beside the caches" "$said"
check "they lie in asctune's cache" 7 "$(find "$work/cache/python" -name kept | wc -l)"
has "variables are those of libraries; no token" "ValueError: passive None all False True" "$(A_TOKEN=1 TORCH_LOGS=all try mine/all.json --python "$python" --impl settings)"
has "what torch.compile has a process load is loaded where torch is" "ValueError: 0 OSError CalledProcessError" "$(try mine/all.json --python "$python" --impl loads)"

# What goes wrong is the function's.
noted() { # of what functions have noted as SUFFIX, which is forgotten
	cat "$work"/cache/python/*/cache-"$1"
	rm "$work"/cache/python/*/cache-"$1"
}
only wrong.json right crashes prints nobody
said=$(try mine/wrong.json --python "$python")
has "a module that ends the process costs its own function" "left out: implementation nobody: $work/mine/dies.py:nobody cannot be imported: the process exited with status " "$said"
check "such a module is imported once" x "$(noted imports)"
has "no import that ends a worker costs another function" "4 of 4 configurations: 2 ok, 2 crashed" "$said"
has "a fault is found where it is" "crashes: was killed by SIGSEGV (Segmentation fault): write at address 8: a null pointer" "$(try mine/wrong.json --python "$python" --impl crashes)"
rm "$work"/cache/python/*/cache-ends
has "what is printed is shown with the end" "prints: exited with status 7: said to nobody" "$(try mine/wrong.json --python "$python" --impl prints)"
check "the first call of a process that ends it has no other try" x "$(noted ends)"
only ends.json right raises prints
for _ in 1 2 3; do # where the end of a process is seen late, beside other programs, it may be asked once more
	said=$(try mine/ends.json --python "$python")
	lost=$(noted ends) raised=$(noted raised)
	[ "$lost" != x ] || break
done
has "nor has one behind others, which do not make it end so" "4 of 4 configurations: 2 ok, 1 launch_failed, 1 crashed" "$said"
check "one process is lost" x "$lost"
check "one behind another function that raises is asked once more, in a process without that" xx "$raised"

only hangs.json sleeps
for budget in 3s 9s; do # a busy machine takes longer to import
	said=$(asctune run --device cpu --cache hot --budget $budget --limit 1s mine/hangs.json --python "$python" 2>&1)
	case $said in *", when time was up"*) break ;; esac
done
has "a call that never comes back ends with the time of the run" ", when time was up" "$said"
check "its worker is asked nothing more" none "$(echo "$said" | grep -o 'Bad file descriptor' || echo none)"
try mine/all.json --python "$python" --impl forks >/dev/null
check "a child that comes back from a call ends there, without a call of its own" "x" "$(cat "$work"/cache/python/*/cache-here "$work"/cache/python/*/cache-there 2>/dev/null)"

only odd.json wrapped leaves lazy
said=$(try mine/odd.json --python "$python")
has "a wrapper's own arguments count, and rounding that an import has set does not" "3 of 3 configurations: 2 ok, 1 crashed" "$said"
has "an attribute that cannot be made is that function's failure" "left out: implementation lazy: odd.py: lazy: RuntimeError: lazy wants more (odd.py, line 15)" "$said"
has "a child of an import does not hide the end of its worker" "leaves: exited with status 6" "$said"

said=$(try mine/all.json --python "$python" --impl quits | grep "quits: ")
check "what an import has printed is no word on a call's end" "exited with status 8" "${said#*quits: }"

said=$(asctune run --device cpu --budget 2s --cache hot mine/all.json --python "$python" --impl slow 2>&1)
case $said in *"no configuration was built and measured within 2 s"*) said="the import of Python functions took longer than the whole time budget" ;; esac # before it began, on a busy machine
has "an import that takes too long is named" "the import of Python functions took longer than the whole time budget" "$said"

# Ctrl-C within a call: the run ends, and the process with it.
asctune run --device cpu --cache hot mine/all.json --python "$python" --impl sleeps >log 2>&1 &
pid=$!
for i in $(seq 300); do
	worker=$(pgrep -P $pid -f 'all.json|calls.py:sleeps' | head -n 1)
	[ -n "$worker" ] && grep -qs hrtimer "/proc/$worker/wchan" && break
	sleep 0.1
done
sleep 0.5
kill -INT $pid
wait $pid
check "Ctrl-C ends the run" 130 $?
check "and the process" gone "$(kill -0 "${worker:-0}" 2>/dev/null && echo "there: $worker" || echo gone)"
echo "1..$n"
