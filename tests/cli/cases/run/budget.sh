# A time budget holds although a compiler takes its time: what it has not ended is given up.
# covers: loop.c
cat >slow.sh <<'END'
#!/bin/sh
case "$*" in *--version* | *" -E "* | *BLOCK=256*) ;; *"$SLOW"*) sleep 60 ;; esac
exec cc "$@"
END
chmod +x slow.sh
export ASCTUNE_PASS_ENV=SLOW
tune() { CC=$PWD/slow.sh ASCTUNE_CACHE_DIR=$PWD/$CACHE $LIMIT asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --impl loop --problem small --db "${DB:-b.db}" "$@"; }
# which part it was depends on how far a busy machine comes in a second
SLOW=reference CACHE=other tune --budget 1s 2>&1 | grep ^asctune | sed 's/json: .* took/json: PART took/'
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

# The default is verified and sampled once even when one launch takes most of the time.
mkdir sleepy && cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" sleepy
sed -i 's/#include <stdint.h>/&\n#include <time.h>/; s/const int64_t first/if (block_x == 0)\n\t\tnanosleep(\&(struct timespec){0, 700000000}, 0);\n\t&/' sleepy/axpy/kernel.c
ASCTUNE_CACHE_DIR=$PWD/cache asctune run sleepy/axpy.json --device cpu --impl loop --problem small --budget 1s --db d.db >/dev/null 2>&1
echo "exit $?"
sqlite3 d.db "select is_default, status, n_samples from trial"
