"""libasctune from Python: tests/consumers/lookup.t runs it with LIBRARY MODULE_FOLDER TABLE; prints TAP lines."""
import sys

library, folder, path = sys.argv[1:]
sys.path.insert(0, folder)
import asctune

number = 0


def check(passed, name):
    global number
    number += 1
    print("ok" if passed else "not ok", number, "-", name)


def operator(a, b, *, implementation_index=None, stream=None, config=None):
    """Stands for an operator of a library, whose keywords are easily swapped."""
    return implementation_index, stream, config


table = asctune.Table(path, library=library)
asked = dict(op="gemm", device="cuda", device_model="NVIDIA H200", types={"T": "f16"}, active=[0, 1, 2])
answer = table.ask(sizes={"m": 33, "n": 4096}, **asked)
check(answer and answer.found == asctune.RULE and answer.index == 1, "a rule serves")
check(answer.default_index == 0 and answer.default_ns == 7900 and answer.config is None, "with the default beside it")
check("found=2, index=1," in repr(answer), "an answer is printed with its members")
check(operator(1, 2, stream=7, **answer.keywords()) == (1, 7, None), "the keyword is the index, and the stream stays")
answer = table.ask(sizes={"m": 16, "n": 4096}, **asked)
check(answer.found == asctune.EXACT and answer.config == {"BLOCK": 64}, "an exact rule has a configuration")
check(operator(1, 2, **answer.keywords()) == (2, None, {"BLOCK": 64}), "which is handed on")
answer = table.ask(sizes={"m": 100, "n": 4096}, **asked)
check(table.explain(sizes={"m": 100, "n": 4096}, **asked) == "it has nothing for these sizes and indices", "which is explained")
check(not answer and answer.index is None and answer.keywords() == {}, "an index that is not active is left out")
check(not table.ask(sizes={"m": -1, "n": 4096}, **asked), "a negative size is not set")
try:
    table.ask("gemm", "cuda", {"m": 1}, [0])
    check(False, "arguments without a keyword are refused")
except TypeError:
    check(True, "arguments without a keyword are refused")
try:
    table.ask(sizes={"m": 1 << 64, "n": 4096}, **asked)
    check(False, "a size beyond 64 bits is refused")
except OverflowError:
    check(True, "a size beyond 64 bits is refused")
try:
    table.ask(sizes={"m": 16.5, "n": 4096}, **asked)
    check(False, "a size that is no integer is refused")
except ValueError as error:
    check("16.5 is no integer" in str(error), "a size that is no integer is refused")
check(table.ask(sizes={"m": 16.0, "n": 4096}, **asked).found == asctune.EXACT, "a real that is one is taken")
with asctune.Table(path.encode(), library=library) as of_bytes:
    check(of_bytes.ask(sizes={"m": 16, "n": 4096}, **asked).index == 2, "a path may be bytes")
try:
    asctune.Table(path + ".none", library=library)
    check(False, "no table is an error")
except ValueError as error:
    check(path + ".none" in str(error), "no table is an error that names the file")
table.close()
try:
    table.ask(sizes={"m": 1, "n": 4096}, **asked)
    check(False, "a closed table is refused")
except ValueError:
    check(True, "a closed table is refused")
print("1..%d" % number)
