#!/bin/sh
# Tables that asctune exports, read by the look-up of vLLM, SGLang, FLA and NineToothed: ci/consumers. What it cannot have within a minute is skipped, with the reason.
# covers: reader_kernel.c size_rows.c vllm_reader.c sglang_reader.c fla_reader.c ninetoothed_reader.c reader_export.c reader_set.c
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
end=$(($(date +%s) + 60))
ask() { # NAME...: status, and what was said in $work/log
	left=$((end - $(date +%s)))
	[ $left -gt 0 ] || left=1
	timeout $left "$root/ci/consumers" "$@" >"$work/log" 2>&1
	status=$?
}

for name in ninetoothed fla sglang vllm; do
	ask $name
	case $status in
	3) skip "$name answers as asctune expects" "$(head -n 1 "$work/log")" ;;
	124) skip "$name answers as asctune expects" "its package did not come within a minute of all" ;;
	*)
		check "$name answers as asctune expects: $(grep -c 'right: all$' "$work/log") readers" 0 $status
		[ $status = 0 ] || sed 's/^/# /' "$work/log"
		;;
	esac
	[ $status != 0 ] || there="${there:-} $name"
done

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
	;;
*) skip "an answer that is not the library's is seen" "no package of FLA" ;;
esac
case ${there:-} in
*sglang*)
	ln -sf "$ASCTUNE_BUILD/tests/reader_answers" "$work/build/tests/reader_answers"
	status=$(ASCTUNE_BUILD=$work/build; ask sglang; echo $status)
	check "a launch that is not the library's is seen" "1 1" "$status $(grep -c '^sglang:moe.*launches, right: all but' "$work/log")"
	;;
*) skip "a launch that is not the library's is seen" "no package of SGLang" ;;
esac
status=$(export XDG_CACHE_HOME="$work/cache" PIP_NO_INDEX=1 PIP_FIND_LINKS="$work"; ask fla; echo $status)
check "a package that cannot be had has its reason" "3 1" "$status $(grep -c '^fla: fla-core==0.6.0 cannot be had: ERROR: ' "$work/log")"
ask nobody
check "no reader of that name" "2 1" "$status $(grep -c 'no reader nobody; there are vllm sglang fla ninetoothed and all' "$work/log")"
echo "1..$n"
