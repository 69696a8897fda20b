# Databases that every schema so far left (tests/data/golden): those before 0.1.0 are refused and left as they are, then converted, merged, asked and tracked.
# covers: db.c merge.c
export ASCTUNE_CACHE_DIR="$PWD/cache" # with no peaks of this machine, which may be the one that the databases are of
schema() { sqlite3 "$1" "select type, name, sql from sqlite_schema order by 1, 2; pragma user_version; pragma application_id"; }
state() { sqlite3 "$1" 'pragma integrity_check; pragma foreign_key_check'; }
newest=$(sed -n 's/^PRAGMA user_version = \([0-9]*\);.*/\1/p' "$ROOT/db/schema.sql")
for golden in "$ROOT"/tests/data/golden/schema-*.sql; do
	name=$(basename "$golden" .sql)
	echo "$name"
	head -n 1 "$golden"
	sqlite3 "$name.db" <"$golden"
	cp "$name.db" before.db
	if [ "$name" != "schema-$newest" ]; then
		asctune best --db "$name.db" >/dev/null || echo "exit $?"
		asctune merge "$name.db" --db all.db || echo "exit $?"
		cmp "$name.db" before.db
		"$ROOT/tests/data/golden/convert.py" before.db converted.db
		cmp "$name.db" before.db
		mv converted.db "$name.db"
		cp "$name.db" before.db
	fi
	asctune merge "$name.db" --db all.db
	cmp "$name.db" before.db
	asctune merge before.db --db "$name.db"
	asctune best --db "$name.db" | sed '1,/^KERNEL/d'
	asctune track --all --db "$name.db" 2>&1 | tail -n 2
	state "$name.db"
	schema all.db >new
	schema "$name.db" | diff new - && echo "the schema of a new database"
done
echo together
state all.db
sqlite3 all.db "select (select count(*) from run), (select count(*) from trial), (select count(*) from final), (select count(*) from metric)"
asctune track --db all.db | head -n 1
asctune report --db all.db -o report.html >/dev/null 2>&1; echo "report: exit $?"
[ "$name" = "schema-$newest" ] || echo "tests/data/golden has no database of schema $newest"
