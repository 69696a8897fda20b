# Where the time went adds up to the whole; the compilers' own time, which run side by side, is beside it.
# covers: loop_summary.c
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --problem small --impl loop --budget 3 --db s.db --json 2>/dev/null | grep '"type":"summary"' >line
sqlite3 :memory: "select sum(value) = json_extract(line, '\$.wall_ns') from (select readfile('line') as line), json_each(line, '\$.spent_ns') where key != 'build'"
sqlite3 :memory: "select key from (select readfile('line') as line), json_each(line, '\$.spent_ns') where key in ('measure', 'finals', 'rest') and value > 0"
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --problem small --impl loop --budget 1 --db s.db 2>/dev/null | grep '^  spent' | grep -c ' 0 ns\|[0-9] us'
