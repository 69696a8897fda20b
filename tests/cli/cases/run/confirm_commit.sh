# asctune run --confirm of a source that changed, when the old artifact is gone from the cache: built again from the commit where git has it, else said.
# covers: again.c run_confirm.c
ASCTUNE_CACHE_DIR="$PWD/cache"; TMPDIR="$PWD/scratch"; export ASCTUNE_CACHE_DIR TMPDIR
mkdir -p scratch
mkdir -p tree/deep && cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" tree/deep
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
tune() { asctune run tree/deep/axpy.json --device cpu --budget 1 --cache hot --problem small --db "$1" >/dev/null 2>&1; }
lose() { rm -f cache/artifacts/*/"$(sqlite3 "$1" 'select artifact from trial where run_id = 1')".so; }
confirm() {
	lose "$1"
	run run tree/deep/axpy.json --device cpu --db "$1" --confirm 2>/dev/null | sed -E 's,cpu: .* axpy/small,cpu: DEVICE axpy/small,; s/re-measured: [^;]*slower[^;]*/re-measured: slower/; s/commit [0-9a-f]{12}/commit C/g; s/of commit f+/of commit F/'
}
twice() { sed 's/^\t\tout.*/\t\tfor (int again = 0; again < 20; again++) {\n&\n\t\t__asm__ volatile("" ::: "memory"); }/' "$WORKLOADS/axpy/kernel.c" >tree/deep/axpy/kernel.c; }

git -C tree init -q && commit first
tune kept.db
cp kept.db dirty.db
twice && commit second
tune kept.db
cp kept.db bare.db
confirm kept.db
sqlite3 kept.db 'select kind, ratio > 2 from verdict'
sqlite3 dirty.db 'update run set source_clean = 0'
tune dirty.db
confirm dirty.db
sqlite3 bare.db "update run set source_commit = 'ffffffffffffffffffffffffffffffffffffffff' where id = 1"
confirm bare.db
sqlite3 bare.db "delete from verdict; update run set source_commit = (select source_commit from run where id = 2) where id = 1"
confirm bare.db
rm -rf tree/.git
sqlite3 bare.db 'delete from verdict'
confirm bare.db
asctune track --db bare.db --json | grep -o '"verdict":"[a-z]*"'
ls scratch
