# What takes the room in a database, and whether it is sound: a page that was overwritten, a row that refers to none.
# covers: doctor_db.c cmd_doctor.c room.c
asctune run --device cpu --budget 3 --repeats 40 --cache hot --db a.db "$WORKLOADS/axpy.json" --problem small >/dev/null 2>&1
asctune doctor --db a.db >out; echo "exit $?"
sed -E 's/[0-9]+\.[0-9]/N/g; s/ +[0-9]+$/ N/; s/[0-9]+ trials/N trials/' out | tr -s ' ' | grep -e '^a.db' -e '^WHAT' -e '^table trial ' -e '^index trial_run' -e '^in trials' -e '^free' -e sound
asctune doctor --db a.db --json | sed -E 's/:[0-9]+/:N/g' | grep -e '"database"' -e '"trial"' -e 'samples'
sqlite3 a.db 'UPDATE run SET problem_id = 99'
run doctor --db a.db | grep -v '  ' | sed 's/[0-9.]* MB/N MB/'
sqlite3 a.db 'UPDATE run SET problem_id = 1'
# The first page of an index, filled with ones.
cp a.db torn.db
python3 - <<'END'
import sqlite3
db = sqlite3.connect("torn.db")
size = db.execute("PRAGMA page_size").fetchone()[0]
page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'trial_run'").fetchone()[0]
db.close()
with open("torn.db", "r+b") as f:
    f.seek((page - 1) * size)
    f.write(b"\xff" * size)
END
asctune doctor --db torn.db >out; echo "exit $?"
grep -c '^not sound: ' out | sed 's/^[1-9][0-9]*$/some/'
asctune doctor --db torn.db --json >out; echo "exit $?"
grep -c '"kind":"fault"' out | sed 's/^[1-9][0-9]*$/some/'
run doctor --db missing.db
ls missing.db 2>&1
echo 'not a database, but long enough to have a header of one hundred bytes, as a SQLite file would have it ....' >text.db
run doctor --db text.db
run doctor --db a.db --device cpu
