# What a workload file may hold is bounded: a message, soon, whatever stands in it.
# covers: workload_check.c workload_read.c
cp -r "$WORKLOADS/axpy" .
list() { # N FORMAT : N items, with their number up to three times, separated by commas
	awk -v n="$1" -v format="$2" 'BEGIN { for (i = 1; i <= n; i++) printf((i > 1 ? ", " : "") format, i, i, i) }'
}
put() { # PATTERN TEXT : w.json, with a text behind the first such pattern
	awk -v pattern="$1" -v text="$2" '{ at = done ? 0 : index($0, pattern); done = done || at
		print (at ? substr($0, 1, at + length(pattern) - 1) text substr($0, at + length(pattern)) : $0) }' "$WORKLOADS/axpy.json" >w.json
}
try() { # the first line of what is said
	(ulimit -t 60; asctune check-workload w.json) >out 2>&1
	echo "exit $?: $(head -n 1 out | cut -c 1-150)"
}
problem='{"name": "p%d", "dims": {"N": %d}, "dtypes": {"T": "f32"}}'
put '"problems": [' "$(list 999 "$problem"), "; try
put '"N": 1000' ", $(list 256 '"D%d": %d')"; try
put '"T": "f32"' ", $(list 256 '"T%d": "f32"')"; try
put '"constraints": [' "$(list 999 '"BLOCK + %d > %d"'), "; try
put '"implementations": [' "$(list 256 '{"name": "i%d", "source": "%d"}'), "; try
put '"entry": "axpy",' "\"memory\": {\"ub\": [$(list 1001 '{"tile": "t%d", "bytes": %d, "live": [0, 1]}')]},"; try
put '"problems": [' "$(list 998 "$problem"), "
sed -i "s/\"asctune\": 1,/&\"X-more\": \"$(head -c 100000 /dev/zero | tr '\0' x)\",/" w.json; try
{ echo '{"asctune": 1, "X-long": "'; head -c 5000000 /dev/zero | tr '\0' x; echo '"}'; } >w.json; try
echo '- formulas'
for formula in '9 ** 9 ** 9' '2 ** 62 * 4' '2 ** 62' "$(printf '(%.0s' $(seq 101))1$(printf ')%.0s' $(seq 101))" "$(list 5000 '%d' | tr , +)" '1 // 0' 'N % 0' '0 ** -1' 'log2(0)'; do
	sed "s|\"ceil_div(N, BLOCK)\"|\"$formula\"|" "$WORKLOADS/axpy.json" >w.json; try
done
echo '- spaces that have to be given up'
hard='"(P1 * 7919 + P2 * 104729 + P3 * 1299709 + P4 * 15485863 + P5 * 31 + P6 * 104743 + P7 * 65537 + P8) %% 1000003 < 5"'
put '"parameters": {' "$(for i in 1 2 3 4 5 6 7 8; do printf '"P%s": [%s], ' $i "$(list 100 '%d')"; done)"
sed -i "s/\"constraints\": \[/&$(printf "$hard"), /" w.json; try
sed -i 's/"problems": \[/&{"name": "one", "dims": {"N": 1}, "dtypes": {"T": "f32"}}, {"name": "two", "dims": {"N": 2}, "dtypes": {"T": "f32"}}, {"name": "three", "dims": {"N": 3}, "dtypes": {"T": "f32"}}, /' w.json; try
echo "of equal ones: $(grep -c "no other is looked at" out)"
sed -i 's/< 5"/< 5 + N"/' w.json; try
cut -c 1-100 out
