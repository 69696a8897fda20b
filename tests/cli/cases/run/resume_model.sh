# A run that learns from its results, killed: --resume takes all that it recorded before its strategy is asked, and measures none of it again.
# covers: recorder.c impl_search.c
mkdir w && cp -r "$WORKLOADS/axpy" w && sed 's/"values": \[64, 256, 1024\]/"values": [64, 128, 192, 256, 320, 384, 448, 512, 768, 1024]/' "$WORKLOADS/axpy.json" >w/axpy.json
tune() { exec asctune run w/axpy.json --device cpu --cache hot --strategy model --seed 5 --budget 20 --db r.db --json "$@"; }
trials() { sqlite3 r.db 'select count(*) from trial' 2>/dev/null || echo 0; }
(tune) >/dev/null 2>&1 &
while [ "$(trials)" -lt 12 ] && kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
before=$(trials)
[ "$before" -ge 12 ] && echo "killed behind 12 trials or more"
sqlite3 r.db 'select config_json from trial order by id' >recorded
(tune --resume) >out 2>err
echo "exit $?"
grep '"type":"trial"' out | head -n "$before" >first # finals may add a second line of one
sed -n 's/.*"config":\({[^}]*}\),"resumed":true.*/\1/p' first | diff recorded - && echo "all of them are resumed first, in their order"
grep -o '"type":"summary"\|"trials":[0-9]*' out
sqlite3 r.db 'select count(*), count(distinct config_key) from trial'
