# A time budget holds although a compiler takes its time: what it has not ended is given up.
cat >slow.sh <<'END'
#!/bin/sh
case "$*" in *--version* | *" -E "* | *BLOCK=256*) ;; *"$SLOW"*) sleep 60 ;; esac
exec cc "$@"
END
chmod +x slow.sh
tune() { CC=$PWD/slow.sh ASCTUNE_CACHE_DIR=$PWD/$CACHE $LIMIT asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --impl loop --problem small --db "${DB:-b.db}" "$@"; }
SLOW=reference CACHE=other tune --budget 1s 2>&1 | grep ^asctune
SLOW=reference CACHE=other tune --budget 1s >/dev/null 2>&1
echo "exit $?"
SLOW=never CACHE=cache tune --budget 1 >/dev/null 2>&1 # the reference is there from now on
SLOW=BLOCK CACHE=cache tune --strategy exhaustive --budget 4s >/dev/null 2>&1
echo "exit $?"
sqlite3 b.db "select count(*) > 1, sum(config_key not like '%BLOCK=256%') from trial"

# So it does where the best on record, which takes part in the finals, is yet to be built.
DB=c.db SLOW=never CACHE=cache tune --config BLOCK=1024 >/dev/null 2>&1
sqlite3 c.db "update trial set median_ns = 1"
rm -r cache/artifacts
DB=c.db SLOW=BLOCK=1024 CACHE=cache LIMIT='timeout 40' tune --budget 3s >/dev/null 2>&1
echo "exit $?"
sqlite3 c.db "select count(*) > 1, sum(config_key like '%BLOCK=1024%') from trial"
