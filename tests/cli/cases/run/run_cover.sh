# run --cover: few configurations, each measured on the problems that it serves, beside the default; chosen again where one is wrong; exported with ranges.
# covers: run_show.c run_cover.c
cp -r "$WORKLOADS/axpy" .
# How long a launch takes is in the kernel: BLOCK 64 is best to N = 2000, 1024 beyond; the default takes longer everywhere, the other one eight times as long.
cat >axpy/kernel.c <<'END'
#include <stdint.h>

void axpy(const float *x, const float *y, float *out, int64_t n, float alpha, int64_t block_x)
{
	const int64_t first = block_x * BLOCK, end = first + BLOCK < n ? first + BLOCK : n;
	const int times = BLOCK == 256 ? DEFAULT : (BLOCK == 64) == (n <= 2000) ? 100 : 800;

	for (int64_t i = first; i < end; i++) {
		for (int again = 0; again < times; again++)
			__asm__ volatile("" ::: "memory");
		out[i] = alpha * x[i] + y[i];
	}
#ifdef WRONG
	if (BLOCK == 64 && n == 4000)
		out[first] = 0;
#endif
}
END
ladder() { # SIZES FLAGS: a workload of these
	sed -e 's/^  "reference": {/  "flops": "2 * N", "bytes": "12 * N",\n&/' -e 's/"entry": "axpy",/"entry": "axpy", "flags": ['"$2"'],/' -e '/"name": "large"/d' -e 's/.*"name": "small".*/{"name": "n", "dims": {"N": ['"$1"']}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}/' \
		-e 's/"UNROLL": .*/"UNROLL": [1],/; s/"THREADS": .*/"THREADS": {"values": [1], "default": 1, "stage": "launch"}/' \
		-e 's/"example": {"operator": "Axpy"}/"infiniops": {"operator": "Axpy", "sizes": {"n": "N"}}/; s/"name": "loop",/"name": "loop", "index": 3,/' "$WORKLOADS/axpy.json"
}
tune() { asctune run w.json -D cpu --cache hot --no-history "$@" 2>err; echo "exit $?"; }
shape() { sed '/^$/d; / problems in /,/^KERNEL/d; /^axpy[^ ]*  /d' | sed -nE '/^exit|^axpy.* for .* problem/,$p' | sed -E 's/(on cpu): [^:]*:/\1: X:/; /serves/s/ -?[0-9.]+ %//g; /loss/s/[0-9.]+ %/F %/g; /loss/s/ on .*//'; }
served() { asctune export c-header --cover "$1" --db "$2" -o header >/dev/null 2>&1; sed -n '/_ranges\[\]/,/^};/p; s/.*"{\(.*\)}", .*/\1/p' header/asctune_table.h; }
# What a cover's run measured without the default beside it: nothing.
alone() { sqlite3 "$1" "SELECT count(*) FROM trial t JOIN run r ON r.id = t.run_id WHERE r.strategy = 'cover' AND t.status = 'ok' AND NOT t.is_default AND NOT (EXISTS (SELECT 1 FROM final f WHERE f.run_id = r.id
	AND f.config_key = t.config_key) AND EXISTS (SELECT 1 FROM final f JOIN trial d ON d.run_id = r.id AND d.is_default AND d.config_key = f.config_key WHERE f.run_id = r.id))"; }
# The last table of a run, and that of `best`: one answer, to the last column.
rows() { sed -n '/^KERNEL/,/^$/p' | awk '/^axpy/ { $1 = $1; print }'; }
agrees() { [ -n "$(rows <out)" ] && [ "$(rows <out)" = "$(asctune best --db "$1" | rows)" ] && echo 'best says the same'; }

echo '# Within 100 % the default serves all, within 5 % two do, with a range each. All were in finals: nothing is left to be measured.'
ladder '1000, 2000, 4000, 8000' '"-DDEFAULT=150"' >w.json
tune --strategy exhaustive --budget all --cover 100% --db all.db >out; shape <out; grep 'for the cover\|next' err
agrees all.db
served 100% all.db
ladder '1000, 2000, 4000, 8000' '"-DDEFAULT=600"' >w.json
tune --strategy exhaustive --budget all --cover 5% --db a.db >out; shape <out
agrees a.db
served 5% a.db
asctune export infiniops --cover 5% --db a.db -o rules >/dev/null 2>&1
sed 's/"device_name":"[^"]*"/"device_name":"X"/; s/Asctune":[0-9]*/Asctune":N/' rules/implementation_index.json
grep -o '"problem":"[^"]*"\|"sizes":{[^}]*}' rules/*.evidence.json
asctune run w.json -D cpu --cache hot --strategy exhaustive --budget all --cover 5% --resume --db a.db --json 2>/dev/null | grep '"type":"cover"' | sed -E 's/"model":"[^"]*"/"model":"X"/; s/([a-z]*_(ns|pct))":[-0-9.e]*/\1":F/g; s/"trial":[0-9]*/"trial":N/g'
echo '# What is good on one problem is measured on those beside it; where it is wrong another one serves.'
ladder '1000, 2000, 4000' '"-DDEFAULT=170", "-DWRONG"' >w.json
# Times of two commands are compared: true where the machine had one speed in both, by what the kernels are to take.
steady() {
	sqlite3 b.db "SELECT p.name || t.config_key, t.median_ns FROM trial t JOIN run r ON r.id = t.run_id JOIN problem p ON p.id = r.problem_id WHERE r.strategy <> 'cover' AND t.median_ns > 0" |
		awk -F '|' '{ t[substr($1, 1, index($1, ",") - 1)] = $2 }
			function near(a, b, ratio) { return b > 0 && a / b > ratio / 1.25 && a / b < ratio * 1.25 }
			END { two = t["n.N2000BLOCK=256"]; exit !(near(two, t["n.N1000BLOCK=256"], 2) && near(t["n.N4000BLOCK=256"], two, 2) && near(two, t["n.N2000BLOCK=64"], 1.7)) }'
}
for try in 1 2 3 4 5 6 7 8; do
	rm -f b.db*
	asctune run w.json -D cpu --cache hot --config BLOCK=64 -p n.N2000 --db b.db >/dev/null 2>&1
	tune --budget 1 --cover 5% --resume --db b.db >out
	steady && break
done
shape <out; sed 's/ is wrong: .*/ is wrong/' err | grep 'for the cover' | sort
alone b.db; served 5% b.db
sqlite3 b.db "SELECT p.name, strategy, config_key, status FROM trial t JOIN run r ON r.id = t.run_id JOIN problem p ON p.id = r.problem_id ORDER BY p.name, t.id"
echo '# Again, and with what was measured before.'
tune --budget 1 --cover 5% --resume --db b.db >out; shape <out; grep 'for the cover' err
tune --budget 1 --cover 5% --db b.db >out; shape <out | head -2; grep -c 'for the cover' err
asctune track --db b.db 2>&1 | head -1
echo '# One problem; no problem that passes; options that do not go together.'
ladder 1000 '"-DDEFAULT=150"' >w.json; tune --budget 1 --cover 5% --db d.db >out; shape <out
sed -i 's/alpha \* x/alpha + x/' axpy/kernel.c; tune --budget 1 --cover 5% --db e.db | sed -n '/^exit/p'; grep cover err
run run w.json -D cpu --cover 101%
run run w.json -D cpu --cover 5% --config BLOCK=64
run run w.json -D cpu --cover 5% --confirm
