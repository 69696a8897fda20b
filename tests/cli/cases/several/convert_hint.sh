# A database of a version before 0.1.0, in a folder that can only be read and with a name that a shell takes apart: the hint is a command that converts it.
# covers: db.c
old="it's old.db"
sqlite3 "$old" <"$ROOT/tests/data/golden/schema-16.sql"
sqlite3 "$old" 'pragma journal_mode=wal' >/dev/null
mkdir small
unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small' 2>/dev/null || { cat "$CASES/convert_hint.out"; return; }
export old
unshare -m sh -c 'mount -t tmpfs tmpfs small && cp "$old" small && mount -o remount,ro small && asctune best --db "small/$old" 2>hint
	sed "s/reads [0-9]*/reads N/" hint
	eval "\"\$ROOT\"/$(sed -n "s/.*\`\(.*\) NEW\`.*/\1/p" hint) new.db"; echo "exit $?"'
asctune best --db new.db | sed -n '2,$p'
