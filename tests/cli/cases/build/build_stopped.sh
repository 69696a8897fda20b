# Ctrl-C ends the builds; what was built is in the cache, and the next build goes on from there.
# covers: builds.c cmd_build.c
export ASCTUNE_CACHE_DIR="$PWD/cache"
# a compiler that is slow for all but one block
cat >slow <<'END'
#!/bin/sh
case " $* " in *" -DBLOCK=256 "* | *--version* | *" -E "*) ;; *" -DBLOCK="*) sleep 60 ;; esac
exec cc "$@"
END
chmod +x slow
built() { find cache/artifacts/?? -name '*.so' 2>/dev/null | wc -l; }
CC="$PWD/slow" asctune build "$WORKLOADS/axpy.json" -D cpu --budget all -J 16 --json >lines 2>err &
pid=$!
for try in $(seq 200); do # the reference, and three kernels of one block
	[ "$(built)" -ge 4 ] && break
	sleep 0.1
done
kill -INT $pid
wait $pid; echo "exit $?"
grep '"type":"totals"' lines | grep -o '"interrupted":[a-z]*'
kept=$(built)
[ "$kept" -ge 4 ] && echo "what was built is kept"
find cache/artifacts -name 'tmp-*' | wc -l
CC="$PWD/slow" asctune build "$WORKLOADS/axpy.json" -D cpu --config BLOCK=256,UNROLL=2 --json 2>err | grep -o '"cached":[a-z][a-z]*'
