#!/bin/sh
# The ledger of ci/soak finds what it is there for: trials that are lost, invented or changed, and a damaged file; so does what looks at the outside of the sandbox.
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="${ASCTUNE_BUILD:-$root/build/dev}:$PATH" PYTHONPATH="$root/tests/soak" PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null && command -v sqlite3 >/dev/null || { echo "1..0 # SKIP python3 or sqlite3 is missing"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-soak.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
export ASCTUNE_CACHE_DIR="${ASCTUNE_CACHE_DIR:-$work/cache}"
cd "$work" || exit 1
asctune run "$root/tests/cli/workloads/axpy.json" --device cpu --cache hot --problem all --budget all --db run.db --json >lines 2>err || cat err
n=0
check() { # NAME SQL KILLED PATTERN: what the ledger says of the database after SQL matches the pattern
	n=$((n + 1))
	cp run.db changed.db
	sqlite3 changed.db "$2"
	said=$(python3 - "$3" <<'END'
import sys
from ledger import Ledger
ledger = Ledger("changed.db", ".")
objects, wrong = ledger.add(open("lines").read() + ("{" if sys.argv[1] == "torn" else ""), killed=sys.argv[1] == "killed")
print("; ".join(wrong + ledger.check() + ledger.check_file()) or "nothing of %d trials" % sum(ledger.printed.values()))
END
	)
	case $said in $4) echo "ok $n - $1" ;; *) echo "not ok $n - $1"; echo "# $said" ;; esac
}
echo 1..17
check "all trials are there" '' no 'nothing of [1-9]*'
check "a lost trial is found" 'DELETE FROM trial WHERE id = 3' no 'lost: *'
check "samples that differ are found" 'UPDATE trial SET samples = (SELECT samples FROM trial WHERE id = 1) WHERE id = 2' no 'lost: *invented: *'
check "a trial that was not printed is found" "CREATE TEMP TABLE t AS SELECT * FROM trial WHERE id = 1;
	UPDATE t SET id = 1000; INSERT INTO trial SELECT * FROM t" no 'invented: *'
check "a run that was killed may have one" "CREATE TEMP TABLE t AS SELECT * FROM trial WHERE id = 1; UPDATE t SET id = 1000; INSERT INTO trial SELECT * FROM t" killed 'nothing of *'
check "and not two" "CREATE TEMP TABLE t AS SELECT * FROM trial WHERE id < 3; UPDATE t SET id = id + 1000; INSERT INTO trial SELECT * FROM t" killed 'invented: *'
check "a torn line is found" '' torn 'the last line is torn*'
check "a row without its run is found" "UPDATE trial SET implementation_id = 77 WHERE id = 1" no '*damaged*'
mv lines printed
awk '/"status":"ok"/ && !done { line = $0; sub(/"status":"ok"/, "\"status\":\"slow\""); print; $0 = line; done = 1 } 1' printed >lines
check "the second line of a trial that passes in the finals is no trial of its own" '' no 'nothing of [1-9]*'

# NAME STATEMENT PATTERN: what is not as it was outside, after a statement about `w`, matches the pattern
outside() {
	n=$((n + 1))
	said=$(python3 - "$2" <<'END'
import os, shutil, socket, sys, tempfile
import tries
base = tempfile.mkdtemp(dir=".")
w = tries.World(base, base + "/work", base + "/work/kernel.c", base + "/cache", base + "/db", 1)
try:
    os.makedirs(base + "/cache/reference")
    exec(sys.argv[1])
    print("; ".join(w.changes()) or "nothing")
finally:
    w.close()
END
	)
	case $said in $3) echo "ok $n - $1" ;; *) echo "not ok $n - $1"; echo "# $said" ;; esac
}
outside "nothing is found outside where nothing was done" 'pass' 'nothing'
outside "a file that was appended to is found" '(w.outside / "file").open("a").write("more")' 'a file was changed'
outside "a file that was made is found" '(w.outside / "new").touch()' 'something was written'
outside "a key that was moved is found" '(w.home / ".ssh/id").unlink()' 'the key is gone'
outside "a reference that was replaced is found" '(w.cache / "reference/r.f64").write_text(tries.MARK)' 'a reference was replaced'
outside "a connection is found" 'socket.create_connection(("127.0.0.1", w.places["port"]))' 'a connection was made'
outside "shared memory that was removed is found" 'tries.LIBC.shmctl(w.program.shared, tries.IPC_RMID, None)' "another program's memory was touched"
outside "a message that was taken is found" 'tries.LIBC.msgrcv(w.program.queue, tries.ctypes.create_string_buffer(64), tries.ctypes.c_size_t(8), 0, 0)' "another program's memory was touched"
