# Room for references: fewer sets of inputs where the bound has none for more, the least recently used references go first, what a killed run has left goes too.
# covers: reference_room.c worker_setup.c prerequisites.c
export ASCTUNE_CACHE_DIR="$PWD/cache" ASCTUNE_REFERENCES_MB=1
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
tune() { # N -> the note about its sets; the sizes of its references in the cache are 8 N and 8 bytes
	asctune run axpy.json --device cpu --impl loop --budget 2 --dims N=$1 --db r.db 2>&1 >/dev/null | sed -n 's/^asctune: \(.*verified.*\)/\1/p'
}
large() { find cache/reference -type f -size +100k | wc -l; }
kept() { [ $(du -sb cache/reference | cut -f 1) -le 1010000 ] && echo within || du -sb cache/reference; }
echo '- two sets of 0.48 MB fit, three do not'
tune 60000
large
kept
echo '- the same again, from the cache'
tune 60000
echo '- another problem takes the place of the first'
tune 50000
large
kept
echo '- one that is larger than all that may stay is verified on one set, and its reference does not stay'
tune 200000
large
kept
echo '- without a bound that small'
ASCTUNE_REFERENCES_MB=10 tune 200000
large
asctune doctor | sed -n 's/^cache.references  *\(yes\|no\).*MB; at most/\1, at most/p'
echo '- a smaller bound later, and what a killed process has left'
touch -d 2020-01-01 cache/reference/left
truncate -s 5M cache/reference/left
touch -d 2020-01-01 cache/reference/left
tune 1000
ls cache/reference | grep -c left
kept
echo '- bad bounds'
for bound in 0 1G -3; do
	ASCTUNE_REFERENCES_MB=$bound run run axpy.json --device cpu --budget 2 --db r.db 2>&1 | grep -v '^cpu: '
done
