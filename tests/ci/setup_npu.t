#!/bin/sh
# `ci/setup npu` where the environment of triton-ascend and the compilers for NPUs cannot be made: another system, another Python, nothing to install from.
# Each time exit status 1 and the reason in one line; what needs the environment is skipped then. Where it is at hand, it has what builders look for.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-setup.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
echo "TAP version 13"

tests=0
check() { # DESCRIPTION CONDITION...
	tests=$((tests + 1))
	description=$1
	shift
	if "$@"; then echo "ok $tests - $description"; else
		echo "not ok $tests - $description"
		sed 's/^/# /' "$work/said"
	fi
}
skip() { # DESCRIPTION REASON
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}
setup() { # ENVIRONMENT...
	env PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" "$@" "$root/ci/setup" npu >"$work/said" 2>"$work/errors"
	status=$?
	sed '/^installing/d' "$work/errors" >>"$work/said"
}
refused() { # WORDS: status 1, and one line that has them
	[ "$status" = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -qF "$1" "$work/said"
}
fake() { # PROGRAM BODY
	mkdir -p "$work/bin"
	printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

fake uname '[ "$1" = -s ] && echo Linux || echo aarch64'
setup
check "another machine is named" refused 'their wheels are for Linux x86_64; this is Linux aarch64'
rm "$work/bin/uname"

if [ "$(uname -s) $(uname -m)" != 'Linux x86_64' ]; then
	skip "another Python" "needs Linux on x86_64"
	skip "no packages" "needs Linux on x86_64"
else
	fake python3 '[ "$2" = "import ensurepip, venv" ] || echo 3 13'
	fake python3.11 'exit 127'
	setup
	check "two Pythons, none of them 3.11, are refused" refused 'need Python 3.11, which is neither python3 nor python3.11 in PATH'
	rm "$work/bin/python3" "$work/bin/python3.11"

	setup PIP_NO_INDEX=1 PIP_FIND_LINKS="$work" PIP_CONFIG_FILE=/dev/null
	if grep -q 'neither python3' "$work/said"; then skip "no packages" "needs Python 3.11"; else
		check "packages that cannot be had are named" refused 'ascendnpu-ir==1.2.0 triton-ascend==3.2.0 pybind11==3.1.0 numpy==2.4.6 psutil==7.2.2 cannot be installed: '
	fi
fi

facts='import os, ascendnpuir
from triton.backends.ascend.compiler import AscendBackend
programs = os.listdir(os.path.join(list(ascendnpuir.__path__)[0], "bin"))
print("bishengir-compile" in programs, "bishengir-compile-a5" in programs)'
python=${ASCTUNE_PYTHON_NPU:-none}
if ! "$python" -c 'import ascendnpuir' 2>/dev/null; then
	skip "the environment has both compilers" "\$ASCTUNE_PYTHON_NPU has none"
else
	"$python" -c "$facts" >"$work/said" 2>&1
	check "the environment has both compilers, and triton-ascend can be imported" grep -qx 'True True' "$work/said"
fi
echo "1..$tests"
