# Two stand-ins share the only problem: each configuration is measured on one of them, finals on the first. The lines of JSON and the record name the
# same device for each trial. The first configuration alone takes longer than the second device needs to join.
# covers: evaluator_several.c run_lanes.c loop_summary.c
sim=npu:sim:Ascend910B3
tune() { asctune run "$ROOT/workloads/softmax.json" --impl triton --problem tiny --budget all --strategy exhaustive --repeats 600 --db "$1.db" --device "$2" --json 2>/dev/null >"$1"; }
tune one $sim
tune two $sim,$sim
configs() { sqlite3 "$1.db" 'SELECT config_key, status FROM trial ORDER BY 1'; }
[ "$(configs one)" = "$(configs two)" ] && echo "the same configurations, each once"
sed -n 's/.*"type":"trial".*"place":"\([^"]*\)".*/\1/p' two | awk '/#2$/ { print NR }' | sort -n >said
sqlite3 two.db "SELECT value FROM run, json_each(steady_json, '\$.trials_of.\"$sim#2\"')" | sort -n >recorded
[ -s said ] && cmp said recorded && echo "lines and record name the same trials of the second"
sqlite3 two.db "SELECT steady_json ->> 'device', steady_json ->> '\$.beside' FROM run"
grep -c '"place":"npu:sim:Ascend910B3#2"' two | awk '{ print ($1 > 0 && $1 < 12) }'
sqlite3 one.db 'SELECT steady_json ->> "trials_of" IS NULL FROM run'
