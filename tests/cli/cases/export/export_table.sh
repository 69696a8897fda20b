# A table of rules for a library: what it says, with its evidence, beside rules of somebody else, and when it is stale.
# covers: cmd_export.c exporter.c c_header_export.c infiniops_export.c evidence.c evidence_check.c
golden 13 a.db
names() { sqlite3 a.db "UPDATE workload SET export_json = $1"; }
keys() { grep -o "\"\($1\)\":\(\"[^\"]*\"\|[^,]*\)" "$2" | sed 's/[]}]*$//'; }
# What is missing, and the command that records it.
names NULL; run export infiniops --db a.db -o out
names "'{}'"; run export infiniops --db a.db -o out
names "'{\"infiniops\": {\"operator\": 3}}'"; run export infiniops --db a.db -o out
names "'{\"infiniops\": {\"operator\": \"\"}}'"; run export infiniops --db a.db -o out
names "'{\"infiniops\": {\"operator\": \"Axpy\", \"sizes\": {\"n\": \"K\"}}}'"; run export infiniops --db a.db -o out
ls out 2>&1
names "'{\"infiniops\": {\"operator\": \"Axpy\", \"sizes\": {\"num_elements\": \"N\"}}}'"
run export infiniops --db a.db -o out
ls out; cat out/implementation_index.json
keys 'database\|simulated\|foreign_kernel\|source_digest\|device_fingerprint\|toolchain\|low_ns\|high_ns\|trial_id\|ratio' out/*.evidence.json | head -n 20
grep -o '"library_default":{[^}]*}' out/*.evidence.json
# Slower than the default in the same rounds, and on another kernel than the library's.
cp a.db kept.db
sqlite3 a.db "UPDATE final SET median_ns = median_ns - 30 WHERE NOT winner"; run export infiniops --db a.db -o slow
cp kept.db a.db
names "'{\"infiniops\": {\"operator\": \"Axpy\", \"kernels\": {\"loop\": \"another\"}}}'"
run export infiniops --db a.db -o foreign
run export infiniops --foreign-kernel --db a.db -o foreign; keys foreign_kernel foreign/*.evidence.json
# Stale: another driver, source, compiler, a newer result, another machine; nothing of it.
cp kept.db a.db
run export --check out --db a.db
sqlite3 a.db "UPDATE device SET driver = 'Linux 7.0'"; run export --check out --db a.db; cp kept.db a.db
sqlite3 a.db "UPDATE device SET fingerprint = 'f2'"; run export --check out --db a.db; cp kept.db a.db
sqlite3 a.db "UPDATE implementation SET source_digest = 'd2', toolchain = 'cc 99'"; run export --check out --db a.db; cp kept.db a.db
sqlite3 a.db "UPDATE final SET winner = NOT winner WHERE standing <> 'slower'"; run export --check out --db a.db; cp kept.db a.db
sqlite3 a.db "UPDATE final SET median_ns = median_ns - 30 WHERE NOT winner"; run export --check out --db a.db; cp kept.db a.db
sqlite3 a.db "UPDATE problem SET name = 'other'"; run export --check out --db a.db; cp kept.db a.db
here=$(asctune list devices --json | sed -n 's/.*"name":"cpu".*"summary":"\([^"]*\)".*/\1/p')
sqlite3 a.db "UPDATE device SET model = '$here'"; run export infiniops --db a.db -o here; run export --check here --db a.db --device cpu | sed 's/machine: .*, was/machine: X, was/'; cp kept.db a.db
cp -r out alone; rm alone/implementation_index.json; run export --check alone --db a.db
mkdir empty; run export --check empty --db a.db
run export --check nowhere --db a.db
run export --check out infiniops --db a.db
run export --check out --merge --db a.db
run export --check out --cover 5% --db a.db
run export --check out -o other --db a.db
echo '{"format": "another"}' >empty/x.evidence.json; run export --check empty --db a.db
echo '{"format": "asctune-evidence", "version": 2, "rows": []}' >empty/x.evidence.json; run export --check empty --db a.db
# Somebody else's file is kept; --merge puts the rules into it, in the place of earlier ones.
mkdir theirs; cat >theirs/implementation_index.json <<'END'
{"format": "asctune-infiniops-rules", "version": 1, "infiniops": "1f6f9c2", "rules": [
 {"op": "Gemm", "device": "nvidia", "match": {"m": [1, 64]}, "implementation_index": 1},
 {"op": "Axpy", "device": "cpu", "device_name": "AMD EPYC", "dtype": "float32", "match": {"num_elements": 1000}, "implementation_index": 0, "X-Asctune": 3},
 {"op": "Add", "device": "cpu", "match": {}, "implementation_index": 2}
]}
END
cp -r theirs own
run export infiniops --db a.db -o theirs; diff -r own theirs && echo kept
run export infiniops --db a.db -o theirs --merge; cat theirs/implementation_index.json
cp theirs/implementation_index.json before; run export infiniops --db a.db -o theirs --merge; cmp before theirs/implementation_index.json && echo same
run export infiniops --db a.db -o theirs --force; cmp theirs/implementation_index.json out/implementation_index.json && echo replaced
sed '$s/]}$/,\
{"op": "Mine", "device": "cpu", "match": {"flag": true}, "implementation_index": 0}]}/' theirs/implementation_index.json >added; cp added theirs/implementation_index.json
run export infiniops --db a.db -o theirs --merge; keys op theirs/implementation_index.json
into() { echo "$1" >theirs/implementation_index.json; run export infiniops --db a.db -o theirs --merge; [ "$(cat theirs/implementation_index.json)" = "$1" ] && echo kept; }
into '{"format": "asctune-infiniops-rules", "version": 1, "rules": [{"op": "Axpy", "device": "cpu", "device_name": "AMD EPYC", "dtype": "float", "match": {"num_elements": [1, 5000]}, "implementation_index": 0}]}'
into 'not JSON'
into '{"format": "another", "version": 1, "rules": []}'
into '{"format": "asctune-infiniops-rules", "version": 2, "rules": []}'
into '{"format": "asctune-infiniops-rules", "version": 1, "rules": [{"op": 1}]}'
into '{"format": "asctune-infiniops-rules", "version": 1, "rules": [{"op": "Mine", "device": "cpu", "match": {"n": [5, 1]}, "implementation_index": 1}]}'
# Simulated results only by name, which the evidence says.
asctune export t4 --db a.db -o t4 2>/dev/null; asctune import t4/*.json --db s.db >/dev/null 2>&1
sqlite3 s.db "UPDATE workload SET export_json = '{\"infiniops\": {\"operator\": \"Axpy\"}}'"
run export infiniops --db s.db -o sim
run export infiniops --simulated --db s.db -o sim; cat sim/implementation_index.json; keys simulated sim/*.evidence.json
run export --check sim --db s.db
# The same as a header for C and C++.
run export c-header --db a.db -o c --set prefix=own_table --set library=infiniops
ls c; sed -n '/_subjects\[\]/,/^};/p; /_rules\[\]/,/^};/p' c/own_table.h
cat >ask.c <<'END'
#include "own_table.h"
#include <stdio.h>

int main(void)
{
	const struct own_table_size size = {"num_elements", 1000}, other = {"num_elements", 999};
	const struct own_table_type type = {0, "float"};
	const int64_t active = 0;
	const struct own_table_rule *rule = own_table_find("Axpy", "cpu", "AMD EPYC", &type, 1, &size, 1, &active, 1);

	if (rule)
		printf("%s %g\n", rule->config, own_table_find_parameter(rule, "BLOCK", 0));
	return own_table_find("Axpy", "cpu", "AMD EPYC", &type, 1, &other, 1, &active, 1) != 0;
}
END
cc -std=c99 -Wall -Wextra -Werror -Ic ask.c -o ask && ./ask
run export c-header --db a.db -o c --set prefix='own table'
echo 'int x;' >c/asctune_table.h; run export c-header --db a.db -o c; cat c/asctune_table.h
# What cannot be.
run export c-header --db a.db -o c --problem axpy/other
run export infiniops --db a.db -o a.db
run export infiniops --db a.db -o /proc/nowhere
run export json --merge --db a.db
run export infiniops --merge --force --db a.db
run export infiniops --set colour=red --db a.db
run export infiniops --set colour --db a.db
