#!/bin/sh
# Skeletons of workloads on a GPU, as a user makes and runs them: every configuration is right, and a kernel that was changed alone is found wrong.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prelude.sh"
export ASCTUNE_CACHE_DIR="$base/cache"
cd "$base" || exit 1

explain() {
	tail -n 10 "$base/err" | sed 's/^/# /'
}
usable() { # BUILDER
	asctune list builders --json | grep -q "\"name\":\"$1\",\"usable\":true"
}
follow() { # LANGUAGE: does what the end of init says, but for the budget
	next=$(asctune init "my-$1" --lang "$1" | sed -n 's/^next: asctune //p')
	[ "$(echo "$next" | wc -l)" = 2 ] || return 1
	echo "$next" | sed 's/--budget 20/--strategy exhaustive --budget all --problem small --json --db my.db/' | while read -r words; do
		# shellcheck disable=SC2086
		asctune $words >>"$base/lines" 2>>"$base/err" || exit 1
	done
}
all_right() { # LANGUAGE
	lines=$(grep '"type":"trial"' "$base/lines" | grep -c .)
	echo "# $1: $lines configurations"
	[ "$lines" -gt 10 ] && ! grep '"type":"trial"' "$base/lines" | grep -vq '"status":"\(ok\|slow\|undecided\)"'
}
found_wrong() { # LANGUAGE FILE: subtracts in the kernel alone
	sed -i 's/x\[at\] + y\[at\]/x[at] - y[at]/; s/mask=there) + tl/mask=there) - tl/' "my-$1/$2"
	asctune run "my-$1/my-$1.json" --device cuda --problem small --budget 2 --json --db wrong.db >"$base/lines" 2>"$base/err"
	grep -q '"status":"wrong"' "$base/lines" && ! grep -q '"status":"ok"' "$base/lines"
}

for pair in cuda:nvrtc:kernel.cu triton:triton:kernel.py; do
	language=${pair%%:*} file=${pair##*:} builder=$(echo "$pair" | cut -d: -f2)
	if ! usable "$builder"; then
		n=$((n + 1))
		echo "ok $n - $language # SKIP $(asctune list builders | sed -n "s/^$builder  *no  *//p")"
		continue
	fi
	rm -f "$base/lines" "$base/err"
	check "$language: what init says next works" follow "$language"
	check "$language: every configuration is right" all_right "$language"
	check "$language: a kernel that subtracts is wrong" found_wrong "$language" "$file"
done
echo "1..$n"
exit $failed
