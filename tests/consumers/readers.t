#!/bin/sh
# Tables that asctune exports, read by the look-up of vLLM, SGLang, FLA, NineToothed, Triton and FlagGems, and the pages of docs/readers: ci/consumers. What it cannot have within two minutes is
# skipped, with the reason.
# covers: reader_kernel.c size_rows.c vllm_reader.c sglang_reader.c fla_reader.c ninetoothed_reader.c triton_reader.c flaggems_reader.c foreign_rows.c reader_ask.c reader_export.c reader_set.c
root=$(cd "$(dirname "$0")/../.." && pwd)
export ASCTUNE_BUILD="${ASCTUNE_BUILD:-$root/build/dev}"
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-readers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
unset ASCTUNE_DB ASCTUNE_DEBUG
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
end=$(($(date +%s) + 120))
ask() { # NAME...: status, and what was said in $work/log
	left=$((end - $(date +%s)))
	[ $left -gt 0 ] || left=1
	timeout $left "$root/ci/consumers" "$@" >"$work/log" 2>&1
	status=$?
}

for name in ninetoothed fla sglang vllm triton flaggems; do
	ask $name
	case $status in
	3) skip "$name answers as asctune expects" "$(head -n 1 "$work/log")" ;;
	124) skip "$name answers as asctune expects" "it did not end within two minutes of all" ;;
	*)
		check "$name answers as asctune expects: $(grep -c 'right: all$' "$work/log") readers" 0 $status
		[ $status = 0 ] || sed 's/^/# /' "$work/log"
		;;
	esac
	[ $status != 0 ] || there="${there:-} $name"
done

mine=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/asctune-consumers
end=$((end + 240)) # the rest downloads nothing
# A comparison that could not fail would say nothing.
mkdir -p "$work/build/tests" && ln -s "$ASCTUNE_BUILD/asctune" "$work/build/"
change() { # PROGRAM WORDS OTHERS: what it says is another thing
	printf '#!/bin/sh\n"%s/tests/%s" | sed "s/%s/%s/"\n' "$ASCTUNE_BUILD" "$1" "$2" "$3" >"$work/build/tests/$1"
	chmod +x "$work/build/tests/$1"
}
change reader_answers '\"num_warps\":8' '\"num_warps\":16'
change reader_launches '\"MUL_ROUTED_WEIGHT\":true' '\"MUL_ROUTED_WEIGHT\":1'
case ${there:-} in
*fla*)
	status=$(ASCTUNE_BUILD=$work/build; ask fla; echo $status)
	check "an answer that is not the library's is seen" "1 1" "$status $(grep -c '^fla.*right: all but' "$work/log")"
	printf '```sh\nls on nothing        # on the GPU\necho "one\n# two" >made\ntest $(wc -l <made) = 2 && \\\n  cat missing\ntouch behind\n```\n| it logs | |\n|---|---|\n| `Error reading config file …`, `Nobody … says this` | x |\n' >"$work/page.md"
	python3 "$root/tests/consumers/readers/reader_page.py" fla "$mine/fla-0.6.0" 0.6.0 "$ASCTUNE_BUILD/asctune" 33 "$work/page.md" >"$work/log" 2>&1
	check "a command that fails and texts that are gone are seen; what needs more is left out" "1 1 1 1 1" "$? $(grep -c '3 commands, 2 lines of a log, right: all but 3$' "$work/log") \
$(grep -c 'cat missing: exit status 1: ' "$work/log") $(grep -c "^  Nobody … says this: the library's text has no \"Nobody\"$" "$work/log") $(grep -cx '  left out: ls on nothing: on the GPU' "$work/log")"
	;;
*)
	for name in "an answer that is not the library's is seen" "a page that is wrong"; do skip "$name" "no package of FLA"; done
	;;
esac
case ${there:-} in
*sglang*)
	ln -sf "$ASCTUNE_BUILD/tests/reader_answers" "$work/build/tests/reader_answers"
	status=$(ASCTUNE_BUILD=$work/build; ask sglang; echo $status)
	check "a launch that is not the library's is seen" "1 1" "$status $(grep -c '^sglang:moe.*launches, right: all but' "$work/log")"
	;;
*) skip "a launch that is not the library's is seen" "no package of SGLang" ;;
esac

# Today's package is one that was made here of the pinned one, by sed.
wheel() { # VERSION SED: of FLA, in $work/index
	rm -rf "$work/wheel" && cp -r "$mine/fla-0.6.0" "$work/wheel" && mkdir -p "$work/index" "$work/wheel/fla_core-$1.dist-info" || return
	sed -i "$2" "$work/wheel/fla/ops/utils/cache.py"
	printf 'Metadata-Version: 2.1\nName: fla-core\nVersion: %s\n' "$1" >"$work/wheel/fla_core-$1.dist-info/METADATA"
	printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' >"$work/wheel/fla_core-$1.dist-info/WHEEL"
	touch "$work/wheel/fla_core-$1.dist-info/RECORD"
	(cd "$work/wheel" && python3 -m zipfile -c "$work/index/fla_core-$1-py3-none-any.whl" fla "fla_core-$1.dist-info")
}
newer() { # SED: status and what was said
	wheel 9.9 "$1"
	status=$(export PIP_NO_INDEX=1 PIP_FIND_LINKS="$work/index"; ask fla --newest; echo $status)
}
case ${there:-} in
*fla*)
	newer ''
	check "a newer package with the same look-up" "0 1 1" "$status $(grep -c '^fla: 9.9 instead of 0.6.0: the same look-up$' "$work/log") $(grep -c '^fla, version 9.9: .*right: all$' "$work/log")"
	newer 's/"default_config"/"default"/'
	check "a newer package that reads the file otherwise" "1 1 1" "$status $(grep -c '^fla: 9.9 instead of 0.6.0: fla/ops/utils/cache.py: KernelConfigFile changed$' "$work/log") \
$(grep -c "^fla: 9.9 reads asctune's tables otherwise than 0.6.0\$" "$work/log")"
	newer 's/def load_config_file/def load_file/'
	check "a newer package without a function of the look-up" "1 1" "$status $(grep -c '^fla: 9.9 instead of 0.6.0: the look-up is another one: fla/ops/utils/cache.py has no load_config_file$' "$work/log")"
	newer 's/^def load_cached_config.*/from_nowhere()\n&/; s/^logger = /other = /; s/^@cache$/@from_nowhere/'
	check "a newer package whose look-up does not run alone" "1 1" "$status $(grep -c '^fla: the look-up is another one: .*: load_config_file does not run alone: NameError' "$work/log")"
	# A command that was killed leaves a part, never a package.
	mkdir -p "$work/killed/asctune-consumers/fla-0.6.0.new/fla"
	wheel 0.6.0 ''
	status=$(export XDG_CACHE_HOME="$work/killed" PIP_NO_INDEX=1 PIP_FIND_LINKS="$work/index"; ask fla; echo $status)
	check "half a package that a killed command has left" "0 1 fla-0.6.0 fla.lock" "$status $(grep -c '^fla, version 0.6.0: .*right: all$' "$work/log") $(ls "$work/killed/asctune-consumers" | tr '\n' ' ' | sed 's/ $//')"
	;;
*)
	for name in "the same look-up" "another format" "a function less" "a look-up that does not run alone" "half a package"; do skip "today's package: $name" "no package of FLA"; done
	;;
esac

status=$(export XDG_CACHE_HOME="$work/cache" PIP_NO_INDEX=1 PIP_FIND_LINKS="$work"; ask fla; echo $status)
check "a package that cannot be had has its reason" "3 1" "$status $(grep -c '^fla: fla-core==0.6.0 cannot be had: ERROR: ' "$work/log")"
status=$(export XDG_CACHE_HOME="$work/cache" PIP_INDEX_URL=https://127.0.0.1:9/simple PIP_FIND_LINKS=; ask fla --newest; echo $status)
check "a missing network has its reason" "3 1" "$status $(grep -c '^fla: fla-core==0.6.0 cannot be had: no network: .*Connection refused$' "$work/log")"
ask nobody
check "no reader of that name" "2 1" "$status $(grep -c 'no reader "nobody"; there are vllm sglang fla .*and all' "$work/log")"
ask '.*'
check "a pattern is no name" 2 $status
echo "1..$n"
