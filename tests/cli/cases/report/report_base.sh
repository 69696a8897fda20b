# asctune report --base: runs, nights, devices and databases compared; what stands for nothing, or for the same on both sides.
# covers: cmd_report.c page_compare.c
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
# Twice the time for kernel and baseline alike, 1 % and less apart
cp t.db m.db
sqlite3 m.db "UPDATE run SET baseline = 'library';
	CREATE TEMP TABLE i AS SELECT * FROM implementation; UPDATE i SET id = 9, name = 'library', key = 'library'; INSERT INTO implementation SELECT * FROM i;
	INSERT INTO run_implementation SELECT id, 9 FROM run;
	DELETE FROM final;
	CREATE TEMP TABLE t AS SELECT * FROM trial; UPDATE t SET id = id + 100, implementation_id = 9; INSERT INTO trial SELECT * FROM t;
	UPDATE trial SET n_samples = 100, median_ns = 1000 * run_id + id % 100, min_ns = 995 * run_id, low_ns = 999 * run_id, high_ns = 1003 * run_id, max_ns = 1010 * run_id"
asctune report --db m.db --base 2026-01-01 2>&1 | kinds
words
# The same behind another device, where nothing is the machine's; and a baseline of which nothing passes, which is counted.
cp m.db first.db
cp m.db other.db
sqlite3 first.db "DELETE FROM run WHERE id = 2"
sqlite3 other.db "DELETE FROM run WHERE id = 1; UPDATE device SET model = 'Another CPU'"
asctune report --base first.db --against other.db 2>&1 | kinds
words
sqlite3 m.db "UPDATE trial SET status = 'wrong' WHERE run_id = 2 AND implementation_id = 9"
asctune report --db m.db --base 2026-01-01 2>&1 | kinds
words
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
