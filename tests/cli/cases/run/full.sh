# A disk without room for the folders of children: one line, which names the place. A small file system of its own needs a mount.
# covers: places.c
mkdir small
room() { # OPTION of the file system of the cache
	unshare -m sh -c '
	mount -t tmpfs -o "$0",mode=700 tmpfs small || exit 77
	ASCTUNE_CACHE_DIR="$PWD/small" asctune run "$WORKLOADS/axpy.json" -p small --device cpu --cache hot --repeats 2 --budget 1 --db f.db' "$1" >/dev/null 2>err
	echo "exit $?"
	sed -n "s/tmp-[^ :]*/TMP/g; s/^asctune: //p" err
}
unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small' 2>/dev/null || { cat "$CASES/full.out"; return; }
for inodes in 2 4; do echo "- $inodes files and folders"; room nr_inodes=$inodes; done
echo '- a folder that may only be read'
room ro
echo '- below one'
unshare -m sh -c 'mount -t tmpfs -o ro tmpfs small && ASCTUNE_CACHE_DIR="$PWD/small/a/b" asctune run "$WORKLOADS/axpy.json" -p small --device cpu --db f.db' 2>&1; echo "exit $?"
