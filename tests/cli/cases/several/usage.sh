# Help, version, unknown commands and options: each mistake one clear message and exit status 2.
# covers: main.c run_options.c
run --version
run --help
run
run rnu
run completely-unknown
run run
run run --budget 10x "$WORKLOADS/axpy.json"
run run --budget 0 "$WORKLOADS/axpy.json"
run run --repeats 1000001 "$WORKLOADS/axpy.json"
run run --warmup 2000000000 "$WORKLOADS/axpy.json"
run run --limit 999us "$WORKLOADS/axpy.json"
run run --limit 2502h "$WORKLOADS/axpy.json"
run run --seed 4503599627370497 "$WORKLOADS/axpy.json"
run run --device cpu --db '' "$WORKLOADS/axpy.json"
run run --strategy clever "$WORKLOADS/axpy.json"
run run --strategy genetics "$WORKLOADS/axpy.json"
run run --probe nothing "$WORKLOADS/axpy.json"
run run --no-such-option "$WORKLOADS/axpy.json"
run run missing.json
run run --device nvu "$WORKLOADS/axpy.json"
run run --cache warm "$WORKLOADS/axpy.json"
run run --problem smal "$WORKLOADS/axpy.json"
run run --impl nothing "$WORKLOADS/axpy.json"
run list
run list gadgets
run list workload
run space
run space --count --list "$WORKLOADS/axpy.json"
run export
run export infiniop
run export nothing
run best --db missing.db
run run --budget
run run --re 3 "$WORKLOADS/axpy.json"
run doctor extra
