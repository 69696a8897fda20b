# What others have put into a cache is neither followed nor waited for: it is replaced.
# covers: cache.c
export ASCTUNE_CACHE_DIR="$PWD/own"
tune() {
	rm -f c.db*
	timeout -k 1 20 asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --db c.db "$@" >/dev/null 2>err
	echo "exit $?"
	sed -n "s|$PWD/||; s/^asctune: //p" err
	asctune best --db c.db --json | grep -o '"implementation":"[a-z]*"'
	sqlite3 c.db "select status, count(*) from trial group by status"
}
tune
for kind in pipe link; do
	for what in 'artifacts .sum' 'artifacts .so' 'artifacts .log' 'artifacts .files' 'artifacts .json' 'artifacts .failed' 'reference .f64'; do
		echo "- a $kind for each ${what#* }"
		echo precious >victim
		find "own/${what% *}" -type f -name "*.so" -o -type f -name '*.f64' | while read -r file; do
			base=${file%.so}
			place="${base%.f64}${what#* }"
			rm -f "$place"
			case $kind in
			pipe) mkfifo "$place" ;;
			link) ln -s "$PWD/victim" "$place" ;;
			esac
		done
		tune >now 2>&1
		grep -q 'ok|11' now || cat now
		cat victim
	done
done
echo '- open to all'
chmod 777 own
tune 2>/dev/null | head -n 2
