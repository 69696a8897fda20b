# Threads that a function of Python starts while it gets warm stay: the next function runs in the same process. One that starts a thread in a later call has its result,
# and costs its process.
# covers: residue.c worker_verbs.c
cp -r "$WORKLOADS"/calls* .
export ASCTUNE_CACHE_DIR="$PWD/cache"
cat >calls/functions.py <<'END'
import ctypes
import os
import threading

calls = {}


def note(text):
    os.makedirs(os.environ["XDG_CACHE_HOME"], exist_ok=True)  # all workers write there
    with open(os.environ["XDG_CACHE_HOME"] + "/noted", "a") as file:
        file.write(text + "\n")


def double(x, y):
    source, target = ((ctypes.c_float * 16).from_address(tensor.data_ptr()) for tensor in (x, y))
    target[:] = [2 * value for value in source]


def leave(name, call):
    calls[name] = calls.get(name, 0) + 1
    if calls[name] == call:
        threading.Thread(target=threading.Event().wait, name=name, daemon=True).start()


def see(name):
    calls[name] = calls.get(name, 0) + 1
    if calls[name] == 1:
        note(f"{name} {' '.join(sorted(thread.name for thread in threading.enumerate() if thread.name in calls))}".strip())


def early(x, y):
    leave("early", 3)
    double(x, y)


def behind_early(x, y):
    see("behind_early")
    double(x, y)


def late(x, y):
    leave("late", 100)
    double(x, y)


def behind_late(x, y):
    see("behind_late")
    double(x, y)
END
python3 - <<'END'
import json
w = json.load(open("calls.json"))
one = next(i for i in w["implementations"] if i["name"] == "right")
w["implementations"] = [{**one, "name": name, "source": f"calls/functions.py:{name}"} for name in ("early", "behind_early", "late", "behind_late")]
json.dump(w, open("calls.json", "w"))
END
asctune run calls.json -D cpu --python python3 --no-race --repeats 600 --cache hot --no-history --db a.db --json 2>/dev/null >lines
grep '"type":"trial"' lines | grep -o '"implementation":"[a-z_]*"\|"status":"[a-z]*"'
find cache -name noted -exec cat {} + | awk '!seen[$1]++' # the best is called once more, in whichever process is there
