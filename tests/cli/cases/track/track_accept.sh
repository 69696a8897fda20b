# asctune track takes what the commits of a change accept, by their messages or by .asctune-accept, for acknowledgements.
# covers: accept_track.c acceptance.c cmd_track.c
mkdir tree && git -C tree init -q -b main
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$@"; }
printf 'axpy/driver loop: of another change\n' >tree/.asctune-accept && commit first -m 'Slower-kernels: axpy/later of another change' && before=$(git -C tree rev-parse HEAD)
commit slow -m 'Slower-kernels: axpy/own loop exact now' && printf 'axpy/later loop sums in order\n' >>tree/.asctune-accept && commit more -m 'Slower-kernels: axpy/driver-2' && after=$(git -C tree rev-parse HEAD)
golden 16 t.db
sqlite3 t.db <"$ROOT/tests/cli/story.sql"
sqlite3 t.db "update run set source_commit = iif(started_ms < 20013 * 86400000, '$before', '$after'), source_clean = 1, workload_file = '$PWD/tree/axpy.json'"
shape() { sed -E 's/commit [0-9a-f]{12}/commit C/g; s/until [0-9-]+/until DAY/'; }
cp t.db dirty.db; cp t.db moved.db
asctune track --db t.db 2>&1 | grep -E 'acknowledged|^[0-9]|driver' | shape
echo '--- that is in the database'
asctune track ack --list --db t.db | shape | sort # within a millisecond or two
asctune track --db t.db 2>&1 | grep -c 'acknowledged by'
echo '--- not of nights with changes; not without the repository'
sqlite3 dirty.db "update run set source_clean = 0 where source_commit = '$after'"
asctune track --db dirty.db 2>&1 | grep -c acknowledged
mv tree moved
asctune track --db moved.db 2>&1 | grep -c acknowledged
