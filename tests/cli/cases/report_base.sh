# asctune report --base: runs, nights, devices and databases compared; what stands for nothing, or for the same on both sides.
kinds() { sed -E 's/[0-9]+ kB/N kB/'; }
words() { sed -nE 's/.*<p class="verdict">(.*)<\/p>/\1/p' report.html | sed 's/<[^>]*>//g'; }
measure() {
	asctune run --device cpu --budget 1 --db "$1" -p small "$WORKLOADS/axpy.json" >/dev/null 2>&1
}
measure t.db
sqlite3 t.db "UPDATE run SET started_ms = 1767225600000" # 2026-01-01
measure t.db
cp t.db u.db
sqlite3 u.db "UPDATE device SET model = 'Another CPU', fingerprint = 'other'; UPDATE trial SET median_ns = 9 * median_ns, low_ns = 9 * low_ns,
	min_ns = 9 * min_ns, max_ns = 9 * max_ns, high_ns = 9 * high_ns; UPDATE final SET median_ns = 9 * median_ns, low_ns = 9 * low_ns,
	min_ns = 9 * min_ns, max_ns = 9 * max_ns, high_ns = 9 * high_ns"
model=$(sqlite3 t.db "SELECT model FROM device")
asctune report --db t.db --base 2026-01-01 2>&1 | kinds
page_check report.html
for side in 2 "$model"; do
	asctune report --db t.db --base "$side" --against 2026-01-01 >out 2>&1
	echo "exit $?: $(kinds <out | sed "s/$model/MODEL/g")"
done
asctune report --base t.db --against u.db 2>&1 | kinds
words
grep -o 'Different devices:' report.html
grep -o 'Another CPU' report.html | head -1
page_check report.html
fails() { asctune report --db t.db "$@"; echo "exit $?"; }
fails --base 99
fails --base 0
fails --base 2026-01-02
fails --base 2026-02-30
fails --base nonsense
echo 'not a database at all, but long enough to be looked at' >text.db
fails --base text.db
fails --base t.db
fails --base 2 --against 2
fails --base 2
fails --against 1
fails --base 1 --base 2
asctune run --device cpu --config N=64 --db t.db -p small "$WORKLOADS/axpy.json" >/dev/null 2>&1
sqlite3 t.db "UPDATE run SET outcome = NULL WHERE id = 1"
fails --base 1
