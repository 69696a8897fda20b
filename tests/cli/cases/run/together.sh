# Four runs of the same workload at once, on one cache: each key is compiled once, by one of them.
# covers: cache.c
cat >counting <<'END'
#!/bin/sh
case "$*" in *--version*) ;; *) echo x >>"$COUNT" ;; esac
exec cc "$@"
END
chmod +x counting
export COUNT="$PWD/count" CC="$PWD/counting" ASCTUNE_CACHE_DIR="$PWD/own"
for i in 1 2 3 4; do
	asctune run --trust "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 2 --strategy exhaustive --budget all --db $i.db --json >$i.out 2>&1 &
done
wait
for i in 1 2 3 4; do
	sqlite3 $i.db 'select status, count(*) from trial group by status'
done
echo "compilers: $(wc -l <count), artifacts: $(find own -name '*.so' | wc -l)"
