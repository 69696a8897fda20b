# What the conversion of a development version's database keeps, adds and refuses.
# covers: db.c
convert() { "$ROOT/tests/data/golden/convert.py" "$@" && echo converted; }
sqlite3 old.db <"$ROOT/tests/data/golden/schema-01.sql"
convert old.db new.db
asctune best --db new.db | tail -n 2
echo '# what the schema did not have is not known'
sqlite3 new.db 'select count(*), count(rewrites_json), count(clock_mhz), count(digest), count(begin_ns) from trial; select count(machine) from device; select count(*) from peak;
	select count(*), count(toolchain), count(source_digest) from implementation; select count(imported), sum(imported), count(history_json), count(sure), count(decided) from run'
echo '# peaks of a device, measured once under whatever load, become rows of unknown accuracy; a problem computes in the narrowest of its floating types'
sqlite3 peaks.db <"$ROOT/tests/data/golden/schema-02.sql"
sqlite3 peaks.db "delete from peak; insert into peak select id, 7e9, 3e9, 55 from device; update problem set dims_json = '{\"dtypes\":{\"I\":\"i8\",\"S\":\"f32\",\"T\":\"bf16\"}}'"
convert peaks.db peaked.db
sqlite3 peaked.db 'select unit, type, rate, low, moments, measured_ms from peak order by 1, 2; select element from problem'
echo '# what is no such database'
convert new.db again.db
convert old.db new.db
convert missing.db other.db
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
convert text.db other.db
ls again.db other.db 2>&1
