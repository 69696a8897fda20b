# Python functions take part where an interpreter is named or one is asked for; commands that are shown name it, and what builds or reads code passes over them.
# covers: impl_search.c python_builder.c repeat.c impl_identity.c
unset ASCTUNE_PYTHON
mkdir w
cat >w/w.json <<'END'
{
  "asctune": 1,
  "name": "w",
  "problems": [{"name": "tiny", "dims": {"N": 4096}}],
  "tensors": {
    "x": {"shape": ["N"], "dtype": "f32", "role": "in"},
    "y": {"shape": ["N"], "dtype": "f32", "role": "out", "verify": {"kind": "exact"}}
  },
  "reference": {"source": "k.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
  "baseline": "c",
  "implementations": [
    {"name": "c", "source": "k.c", "entry": "copy", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
    {"name": "whole", "builder": "python", "source": "f.py:copy", "arguments": [{"tensor": "x"}, {"tensor": "y", "name": "out"}], "parameters": {"part": [1, 2]}},
    {"name": "large", "builder": "python", "source": "f.py:copy", "when": "N > 4096", "arguments": [{"tensor": "x"}, {"tensor": "y", "name": "out"}], "constants": {"part": 1}},
    {"name": "elsewhere", "builder": "python", "devices": ["npu"], "source": "torch:abs", "arguments": [{"tensor": "x"}], "returns": ["y"]},
    {"name": "made", "builder": "python", "source": "f.py:Copy.of", "make": true, "arguments": [{"tensor": "x"}, {"tensor": "y"}]}
  ]
}
END
cat >w/k.c <<'END'
#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = x[i]; }
void copy(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = x[i]; }
END
cat >w/f.py <<'END'
import ctypes

from . import sizes


def copy(x, *, out, part):
    ctypes.memmove(out.data_ptr(), x.data_ptr(), sizes.of(x) // part)


class Copy:
    @staticmethod
    def of(x, out):
        return lambda: copy(x, out=out, part=1)
END
cat >w/slow.py <<'END'
import time

from . import f


def of(x, out):
    time.sleep(0.7)
    return f.Copy.of(x, out)
END
echo 'def of(x): return 4 * x.shape[0]' >w/sizes.py
tune() { asctune "$@" --device cpu --cache hot --repeats 2 --json >out 2>err; echo "exit $?"; grep 'left out' err; grep -o '"type":"trial","implementation":"[a-z]*","config":{[^}]*}\|"status":"[a-z_]*"' out | sed 's/"type":"trial",//' | paste - - | sort; }
# none is named, none covers the problem here but two
tune run w/w.json --db a.db
tune run w/w.json --db a.db --impl elsewhere
sed 's/.*"name": "c",.*//; s/"baseline": "c",//' w/w.json >w/no-c.json
run run w/no-c.json --device cpu --db a.db
# asked for by name: python3
tune run w/w.json --db a.db --impl made
run build w/w.json --device cpu --impl made 2>&1 | sed 's/for .*: impl/for DEVICE: impl/; /^cpu/d'
# named; what is wrong is shown with a command that names it, too
tune run w/w.json --db b.db --python python3
asctune run w/w.json --db c.db --python python3 --device cpu --cache hot --budget 8 2>/dev/null | grep -A1 'wrong *whole' | tr -s ' ' | sed 's/ --db.*//; s/y: .*/y: REASON/'
sqlite3 b.db "SELECT name, options, sources LIKE '{\"f.py\":\"%\",\"sizes.py\":\"%\"}' FROM implementation WHERE name <> 'c' ORDER BY name"
trial=$(sqlite3 b.db "SELECT t.id FROM trial t JOIN implementation i ON i.id = t.implementation_id WHERE i.name = 'made' ORDER BY t.id LIMIT 1")
asctune reproduce "$trial" --db b.db --python python3 2>/dev/null | grep differs
# what another file of it says is another source
echo '# more' >>w/sizes.py
asctune reproduce "$trial" --db b.db --python python3 2>/dev/null | grep differs
# what is made takes longer than a launch may, when it is loaded and when its tensors have moved
sed 's/f.py:Copy.of/slow.py:of/' w/w.json >w/slow.json
asctune run w/slow.json -D cpu --impl made --config '' --limit 500ms --no-history --db d.db 2>/dev/null | grep '^  result'
