#!/bin/sh
# Each statement of db/sql fits the schema as the sqlite3 shell reads both, has named parameters only, says what it is for, and is used once; what asks for a
# problem does not read every run of its device.
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v sqlite3 >/dev/null || { echo "1..0 # SKIP sqlite3 is missing"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-sql.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1
echo 1..7
say() { # NUMBER WHAT: fails with the lines of the file `bad`
	if [ -s "$work/bad" ]; then echo "not ok $1 - $2"; sed 's/^/# /' "$work/bad"; else echo "ok $1 - $2"; fi
	: >"$work/bad"
}
: >"$work/bad"
sqlite3 "$work/schema.db" <db/schema.sql 2>"$work/bad"
say 1 "the schema is read"

n=0
for file in db/sql/*/*.sql; do
	n=$((n + 1))
	{ echo EXPLAIN; sed 's/is_search(/ifnull(1, /' "$file"; } >"$work/statement.sql" # the program's own function (db.c), which the shell has not
	sqlite3 -bail "$work/schema.db" <"$work/statement.sql" >"$work/out" 2>&1 && [ -s "$work/out" ] || echo "$file: $(head -1 "$work/out")" >>"$work/bad"
	[ "$(grep -v '^ *--' "$file" | tr -cd ';' | wc -c)" = 1 ] || echo "$file: not one statement that ends with a semicolon" >>"$work/bad"
done
say 2 "each of $n files has one statement, which fits the schema"
grep -n '[?]' db/sql/*/*.sql | grep -v ':[0-9]*: *--' >"$work/bad"
say 3 "parameters have names"
for file in db/sql/*/*.sql; do
	head -1 "$file" | grep -q '^-- [A-Z].*' || echo "$file" >>"$work/bad"
done
say 4 "each file begins with what it is for"
for file in db/sql/*/*.sql; do
	name=sql_$(basename "$file" .sql)
	grep -q "extern const char $name\[\];" db/sql.h || echo "$name is not declared in db/sql.h" >>"$work/bad"
	grep -qw "$name" db/*.c || echo "$name is not used" >>"$work/bad"
done
grep -o 'sql_[a-z_]*' db/sql.h | sort | uniq -d | sed 's/$/ is declared twice/' >>"$work/bad"
say 5 "each is declared, and used"
grep -o 'extern const char sql_[a-z_]*' db/sql.h | sed 's/.*sql_//' | grep -vx schema | while read -r name; do
	ls db/sql/*/"$name.sql" >/dev/null 2>&1 || echo "db/sql.h: no file of $name"
done >"$work/bad"
say 6 "what db/sql.h declares has a file"
for file in $(grep -l ':problem_id' db/sql/*/*.sql); do
	{ echo EXPLAIN QUERY PLAN; sed 's/is_search(/ifnull(1, /' "$file"; } >"$work/statement.sql"
	sqlite3 -bail "$work/schema.db" <"$work/statement.sql" 2>&1 | grep -E 'run_subject \(device_id=\?\)|SCAN r( |$)' | sed "s|^|$file: |" >>"$work/bad"
done
say 7 "what asks for a problem finds its runs by an index"
