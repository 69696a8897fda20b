# A workload says which step its nights are to tell, and track goes by it: in place of --threshold.
# covers: cmd_track.c track_series.c workload_export.c
plain() { sed -E 's/cpu: .* axpy/cpu: DEVICE axpy/; s/±[0-9.]+ %/±F %/'; }
cp -r "$WORKLOADS/axpy" .
sed 's/^  "implementations"/  "track": {"threshold": 0.01},\n&/' "$WORKLOADS/axpy.json" >axpy.json
for night in 1 2 3 4 5 6 7 8 9; do
	asctune run --device cpu --budget 1 --cache hot --db t.db --problem small axpy.json >/dev/null 2>&1
done
sqlite3 t.db 'select export_json from workload' "update run set started_ms = id * 86400000, steady_json = null" "update trial set median_ns = 1e5 + run_id * 7919 % 600" "delete from final"
run track --db t.db --strict 2>/dev/null | plain
run track --db t.db --threshold 50 2>/dev/null | plain
sqlite3 t.db "update workload set export_json = '{}'"
run track --db t.db --threshold 50 2>/dev/null | plain
