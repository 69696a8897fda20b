#!/bin/sh
# The worker as a shared object, which a Python loads and becomes a worker by (ctypes): it shows one name, needs nothing of SQLite, and serves in a Python without
# libpython, such as Debian's, and in one with it.
# covers: worker_library.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
library=$build/libasctune_worker.so
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
if nm "$library" | grep -q ' U __\(asan\|tsan\|ubsan\)_'; then
	echo "1..0 # SKIP the library has a sanitizer, which an interpreter without one cannot load"
	exit 0
fi
check "one name is visible" asctune_worker_serve "$(nm -D --defined-only "$library" | awk '{ print $3 }')"
check "it needs neither SQLite nor zlib" "" "$(ldd "$library" | grep -e sqlite -e libz)"

# Greets the worker in another process; prints the reply and the exit status.
serve() { # PYTHON LIBRARY
	"$1" -B - "$2" "$(sed -n 's/.*PROTOCOL_VERSION = \([0-9]*\).*/\1/p' "$root/tuner/worker/protocol.h")" <<'PYTHON'
import socket, subprocess, sys

library, version = sys.argv[1:]
here, there = socket.socketpair()
program = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).asctune_worker_serve(int(sys.argv[2]), None))"
child = subprocess.Popen([sys.executable, "-B", "-c", program, library, str(there.fileno())], pass_fds=[there.fileno()])
there.close()
here.sendall(b'{"do":"hello","version":%s}\n' % version.encode())
reply = here.makefile().readline()
here.close()
print(reply.strip(), child.wait())
PYTHON
}
reply='{"event":"ready","of":"hello"} 0'
static='' shared=''
for python in ${ASCTUNE_PYTHON:-} $(command -v -a python3 2>/dev/null || command -v python3) /usr/bin/python3; do
	path=$("$python" -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
	if ldd "$path" 2>/dev/null | grep -q libpython; then
		shared=${shared:-$path}
	else
		static=${static:-$path}
	fi
done
[ -z "$static" ] && skip "a Python without libpython" "there is none" || check "a Python without libpython serves" "$reply" "$(serve "$static" "$library" 2>&1)"
[ -z "$shared" ] && skip "a Python with libpython" "there is none" || check "a Python with libpython serves" "$reply" "$(serve "$shared" "$library" 2>&1)"
echo "1..$n"
