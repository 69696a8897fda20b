#!/bin/sh
# The documents hold to the tree and to the program: lengths, links, names of files, commands, environment, policy, facts of devices.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
cd "$root" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-docs.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
check() { # NAME OUTPUT: passes when OUTPUT is empty
	n=$((n + 1))
	[ -z "$2" ] && echo "ok $n - $1" || { echo "not ok $n - $1"; echo "$2" | head -20 | sed 's/^/# /'; }
}
at_most() { # LINES FILE: says so when FILE is longer
	lines=$(wc -l <"$2")
	[ "$lines" -le "$1" ] || echo "$2 has $lines lines, $1 are enough"
}
pages="README.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md $(find docs -name '*.md' | sort)"

quoted() { # FILE...: what stands between backticks, a line for each, behind the name of the file
	grep -Ho '`[^` ]*`' "$@" | tr -d '`'
}

# A path names a file or folder of the tree, or the end of one: `search/model.c` is tuner/tune/search/model.c.
find . -path ./build -prune -o -path ./.git -prune -o -print | sed 's|^\.||' >"$work/tree"
missing_files() { # FILE...
	quoted "$@" | grep -E ':(tuner|probes|db|reports|tests|ci|cmake|docs|workloads)/|/[^/:]*\.(c|h|gp|t|md)$|:[a-z0-9_]+\.(c|h)$' |
		grep -vE ':build/|:(transpose|reference)\.c$|[*<$]|NAME|FOLDER|MODULE' | sort -u |
		while IFS=: read -r page path; do
			path=${path%/}
			grep -qE "/$(echo "$path" | sed 's/[.]/\\./g')$" "$work/tree" || echo "$page: $path is not in the tree"
		done
}

# A link without a scheme names a file beside its page, and one of that file's headings.
headings() { # FILE: the anchors of its headings
	sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed "s/[^a-z0-9 _-]//g; s/ /-/g"
}
broken_links() { # FILE...
	grep -Ho '](\([^):]*\))' "$@" | sed 's/](//; s/)$//' | while IFS=: read -r page link; do
		file=${link%%#*}
		anchor=${link#"$file"}
		[ -z "$file" ] && file=$page || file=$(dirname "$page")/$file
		[ -e "$file" ] || { echo "$page: $link: there is no $file"; continue; }
		[ -z "$anchor" ] || headings "$file" | grep -qx -- "${anchor#\#}" || echo "$page: $link: no such heading"
	done
}

named_in() { # PAGE: says which of the words on stdin the page does not have between backticks
	quoted "$1" | sed 's/^[^:]*://' >"$work/words"
	while read -r word; do grep -qx -- "$word" "$work/words" || echo "$1 does not name $word"; done
}

# The section of ARCHITECTURE about a configuration names few files and structs: a reader keeps them in mind.
sed -n '/^## The life of one configuration/,/^## Who/p' ARCHITECTURE.md >"$work/life"
more_than() { # MOST PATTERN: says so when more different words of the section match
	found=$(grep -oE "$2" "$work/life" | sort -u)
	n_found=$(echo "$found" | grep -c .)
	[ "$n_found" -gt 0 ] && [ "$n_found" -le "$1" ] || echo "$n_found of them, $1 are enough: $found"
}

echo 1..15
check "README has at most 150 lines" "$(at_most 150 README.md)"
check "ARCHITECTURE has at most 120 lines" "$(at_most 120 ARCHITECTURE.md)"
check "the life of a configuration names at most 12 files" "$(more_than 12 '[a-z_]+/[a-z_]+[.][ch]')"
check "the life of a configuration names at most 8 structs" "$(more_than 8 'struct [a-z_]+')"
check "files that the documents name are in the tree" "$(missing_files $pages)"
check "structs that the documents name are in the tree" "$(grep -ohE 'struct [a-z_]+`' $pages | tr -d '`' | sort -u | while read -r name; do
	grep -rqE "^$name \{" tuner probes db reports standin --include='*.[ch]' || echo "$name is not in the tree"; done)"
check "links lead to files and headings" "$(broken_links $pages CHANGELOG.md)"
check "README names every command" "$("$build/asctune" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | while read -r command; do
	grep -q "^| \`asctune $command[ \`]" README.md || echo "$command is missing"; done)"
check "every reader's library has a page of at most 75 lines, and docs/export.md leads to it" "$("$build/asctune" list readers --json | sed -n 's/.*"name":"\([a-z]*\).*/\1/p' | sort -u >"$work/readers"
	[ -s "$work/readers" ] || echo "no reader is listed"
	while read -r name; do page=docs/readers/$name.md
	[ -e "$page" ] || { echo "there is no $page"; continue; }
	at_most 75 "$page"; grep -q "(readers/$name.md)" docs/export.md || echo "docs/export.md does not link $page"; done <"$work/readers")"
check "docs/environment.md names every variable that is read" "$(find tuner probes db reports standin -name '*.c' | xargs cat |
	grep -oE '(getenv|variable|is_set|environment|add_folders[^"]*)\("[A-Z_]+"|"ASCTUNE_[A-Z_]+"' | grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u |
	named_in docs/environment.md)"
check "docs/measuring.md names every member of the policy" "$(cd "$work" && "$build/asctune" run "$root/tests/cli/workloads/axpy.json" --device cpu --budget 1 --json 2>/dev/null |
	head -1 | sed 's/.*"policy":{//' | grep -oE '"[a-z_]+":' | tr -d '":' >policy; [ "$(wc -l <policy)" -gt 30 ] || echo "no policy was printed";
	cd "$root" && named_in docs/measuring.md <"$work/policy")"
check "docs/measuring.md names every status of a trial, and what verifies it" "$(sed -n 's/.*X([A-Z_]*, "\([a-z_]*\)", .*/\1/p' tuner/result/result.h | named_in docs/measuring.md)"
check "docs/output.md has each label with its meaning" "$(sed -n 's/.*X([A-Z]*, "\([a-z]*\)", "\([^"]*\)").*/| `\1` | \2 |/p' tuner/result/profile.h | while read -r row; do
	grep -qxF "$row" docs/output.md || echo "$row is missing"; done)"
check "docs/devices.md names every fact of devices" "$(sed -n 's/.*X([A-Z0-9_]*, "\([a-z0-9_]*\)", .*/\1/p' tuner/workload/limits/facts.h | named_in docs/devices.md)"
check "docs/metrics.md names every figure without a counter" "$(sed -n '/define FIGURE_LIST/,/^struct/s/.*X(\([a-z0-9_]*\), ".*/\1/p' probes/metrics/metric_book.h | named_in docs/metrics.md)"
