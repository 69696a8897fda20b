/* The program's own rules: each label at its threshold and beside it, and readings of an H100 (CUDA
 * 13.0, CUPTI 2025.3) whose label is known from elsewhere: softmax moves 88 % of what DRAM can by
 * the counter's own measure, cuBLAS' product has its tensor units at work in 89 % of the cycles.
 * covers: figures.c */
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/figures.h"
#include "tests/tap.h"

/* A launch that nothing limits: a tenth of all rates, a hundredth of the time without work. */
static const char gpu[] =
	"time_ns=1e6 empty_ns=1e4 need_bytes=3e8 need_flops=5e9 peak_dram=3e12 peak_l2=8e12 "
	"peak_l1=3e13 peak_shared=3e13 peak_flops=5e13 peak_tensor=9e14 multiprocessors=100 "
	"cache_bytes=5e7 blocks=10000 blocks_at_once=8 warps_at_once=64 warps_most=64 "
	"loop_instructions=100 loop_spills=0 loop_tensor=0 loop_shared=0 loop_global=0 "
	"code_spills=0 ";
static const char cpu[] =
	"time_ns=1e6 empty_ns=1e3 need_bytes=4e6 need_flops=2e7 peak_dram=4e10 peak_thread=3e10 "
	"peak_l2=2e11 peak_flops=2e11 threads=2 multiprocessors=2 busy_threads=2 working_threads=2 "
	"faults=0 "
	"blocks=64 "
	"cache_bytes=3e7 code_instructions=100 loop_chained=0 loop_vector=20 loop_scalar=0 "
	"loop_memory=0 loop_calls=0 loop_rest=0 cold_ns=1e6 hot_ns=1e6 half_ns=2e6 ";

static const struct rule_case {
	enum label label;
	const char *base, *more; /* a later figure of a name counts */
} cases[] = {
	{LABEL_UNKNOWN, gpu, ""},
	/* Time of an empty launch. */
	{LABEL_LAUNCH, gpu, "empty_ns=3.4e5"},
	{LABEL_UNKNOWN, gpu, "empty_ns=3.3e5"},
	{LABEL_MEMORY, gpu, "empty_ns=5e5 need_bytes=2.2e9"},
	{LABEL_LAUNCH, gpu, "empty_ns=7.7e5 need_bytes=2.2e9"},
	/* Counters of units. */
	{LABEL_TENSOR, gpu, "tensor_pct=70"},
	{LABEL_UNKNOWN, gpu, "tensor_pct=69"},
	{LABEL_TENSOR, gpu, "tensor_pct=40 stall_math_pipe_throttle=2.5 issue_warps=10"},
	{LABEL_UNKNOWN, gpu, "tensor_pct=40 stall_math_pipe_throttle=2.4 issue_warps=10"},
	{LABEL_UNKNOWN, gpu, "tensor_pct=39 stall_math_pipe_throttle=2.5 issue_warps=10"},
	{LABEL_ARITHMETIC, gpu, "fma_pct=75"},
	{LABEL_UNKNOWN, gpu, "fma_pct=74"},
	{LABEL_ARITHMETIC, gpu, "fp64_pct=75"},
	{LABEL_ARITHMETIC, gpu, "half_pct=75"},
	{LABEL_ARITHMETIC, gpu, "xu_pct=75"},
	{LABEL_ARITHMETIC, gpu, "alu_pct=75"},
	{LABEL_ARITHMETIC, gpu, "issue_pct=75"},
	{LABEL_UNKNOWN, gpu, "issue_pct=74 xu_pct=74 alu_pct=74 half_pct=74 fp64_pct=74"},
	/* Counters of memory. */
	{LABEL_MEMORY, gpu, "dram_bytes=2.25e9 kernel_ns=1e6"},
	{LABEL_UNKNOWN, gpu, "dram_bytes=2.24e9 kernel_ns=1e6"},
	{LABEL_MEMORY, gpu, "dram_pct=80"},
	{LABEL_CACHE, gpu, "l2_bytes=5.2e9 kernel_ns=1e6"},
	{LABEL_UNKNOWN, gpu, "l2_bytes=5.1e9 kernel_ns=1e6"},
	{LABEL_CACHE, gpu, "l1_bytes=2.1e10 kernel_ns=1e6"},
	{LABEL_CACHE, gpu, "l1_data_pct=75"},
	{LABEL_CACHE, gpu, "lsu_pct=75"},
	{LABEL_UNKNOWN, gpu, "lsu_pct=74 l1_data_pct=74"},
	{LABEL_SHARED, gpu, "shared_wavefronts=1.5e6 bank_conflicts=5e5 l1_data_pct=60"},
	{LABEL_UNKNOWN, gpu, "shared_wavefronts=1.5e6 bank_conflicts=5e5 l1_data_pct=59"},
	{LABEL_UNKNOWN, gpu, "shared_wavefronts=1.5e6 bank_conflicts=4.9e5 l1_data_pct=60"},
	{LABEL_SHARED, gpu, "shared_wavefronts=1.65e8 kernel_ns=1e6"},
	/* Counters of waiting. */
	{LABEL_IMBALANCE, gpu, "sm_cycles_max=1250 sm_cycles_avg=1000"},
	{LABEL_UNKNOWN, gpu, "sm_cycles_max=1240 sm_cycles_avg=1000"},
	{LABEL_IMBALANCE, gpu, "sm_cycles_max=1250 sm_cycles_avg=1000 fma_pct=80"},
	{LABEL_MEMORY, gpu, "sm_cycles_max=1250 sm_cycles_avg=1000 dram_pct=85"},
	{LABEL_SPILLS, gpu, "local_load_bytes=20 local_store_bytes=5 l1_bytes=100 code_spills=9"},
	{LABEL_UNKNOWN, gpu, "local_load_bytes=20 local_store_bytes=4 l1_bytes=100 code_spills=9"},
	{LABEL_UNKNOWN, gpu, "local_load_bytes=20 local_store_bytes=5 l1_bytes=100"},
	{LABEL_SPILLS, gpu, "local_loads=10 instructions=100 code_spills=9"},
	{LABEL_SPILLS, gpu,
	 "local_load_bytes=30 local_store_bytes=20 l1_bytes=100 code_spills=nan"},
	{LABEL_UNKNOWN, gpu,
	 "local_load_bytes=30 local_store_bytes=19 l1_bytes=100 code_spills=nan"},
	{LABEL_CACHE, gpu, "local_load_bytes=30 local_store_bytes=20 l1_bytes=100"},
	{LABEL_MEMORY, gpu,
	 "local_load_bytes=3e8 local_store_bytes=2e8 l1_bytes=1e9 dram_bytes=2.3e9 kernel_ns=1e6"},
	{LABEL_UNKNOWN, gpu, "local_loads=9 instructions=100 code_spills=9"},
	{LABEL_OCCUPANCY, gpu,
	 "warps_at_once=25 issue_pct=20 stall_long_scoreboard=4 issue_warps=10"},
	{LABEL_LATENCY, gpu,
	 "warps_at_once=26 issue_pct=20 stall_long_scoreboard=4 issue_warps=10 warps=20"},
	{LABEL_UNKNOWN, gpu,
	 "warps_at_once=26 issue_pct=20 stall_long_scoreboard=3.9 issue_warps=10 warps=20"},
	{LABEL_MEMORY, gpu,
	 "issue_pct=20 stall_long_scoreboard=5 issue_warps=10 dram_bytes=1.8e9 kernel_ns=1e6 "
	 "warps_pct=50 warps=32"},
	{LABEL_LATENCY, gpu,
	 "issue_pct=20 stall_long_scoreboard=5 issue_warps=10 dram_bytes=1.7e9 kernel_ns=1e6 "
	 "warps_pct=50 warps=32"},
	{LABEL_LATENCY, gpu,
	 "issue_pct=20 stall_long_scoreboard=5 issue_warps=10 dram_bytes=1.8e9 kernel_ns=1e6 "
	 "warps_pct=49 warps=31"},
	{LABEL_CACHE, gpu, "issue_pct=20 stall_lg_throttle=3 issue_warps=10"},
	{LABEL_UNKNOWN, gpu, "issue_pct=20 stall_lg_throttle=2.9 issue_warps=10"},
	{LABEL_SHARED, gpu,
	 "issue_pct=20 stall_short_scoreboard=2 stall_mio_throttle=1 issue_warps=10 "
	 "shared_wavefronts=1.5e6 bank_conflicts=5e5"},
	{LABEL_UNKNOWN, gpu,
	 "issue_pct=20 stall_short_scoreboard=2 stall_mio_throttle=0.9 issue_warps=10 "
	 "shared_wavefronts=1.5e6 bank_conflicts=5e5"},
	{LABEL_OCCUPANCY, gpu, "warps=16 issue_pct=20 stall_long_scoreboard=4 issue_warps=10"},
	{LABEL_LATENCY, gpu, "issue_pct=20 stall_barrier=3 issue_warps=10"},
	{LABEL_LATENCY, gpu, "issue_pct=20 stall_wait=3 issue_warps=10"},
	{LABEL_LATENCY, gpu,
	 "issue_pct=20 stall_short_scoreboard=2 stall_mio_throttle=2 issue_warps=10"},
	/* Without counters. */
	{LABEL_SPILLS, gpu, "loop_spills=10"},
	{LABEL_UNKNOWN, gpu, "loop_spills=9"},
	{LABEL_TENSOR, gpu, "need_flops=4.5e11 loop_tensor=8"},
	{LABEL_UNKNOWN, gpu, "need_flops=4.4e11 loop_tensor=8"},
	{LABEL_TENSOR, gpu, "need_flops=5.9e11"},
	{LABEL_UNKNOWN, gpu, "need_flops=5.8e11"},
	{LABEL_ARITHMETIC, gpu, "need_flops=3.5e10"},
	{LABEL_UNKNOWN, gpu, "need_flops=3.4e10"},
	{LABEL_UNKNOWN, gpu, "need_flops=3.6e10 loop_tensor=8"},
	{LABEL_UNKNOWN, gpu, "need_flops=5.8e10"}, /* a shorter way than the workload's */
	{LABEL_UNKNOWN, gpu, "need_flops=1.1e12 loop_tensor=8"},
	{LABEL_MEMORY, gpu, "need_bytes=2.1e9"},
	{LABEL_UNKNOWN, gpu, "need_bytes=2e9"},
	{LABEL_CACHE, gpu, "need_bytes=3.5e9"},
	{LABEL_MEMORY, gpu, "need_bytes=3.4e9"},
	{LABEL_IMBALANCE, gpu, "blocks=112 blocks_at_once=1"},
	{LABEL_UNKNOWN, gpu, "blocks=160 blocks_at_once=1"},
	{LABEL_UNKNOWN, gpu, "blocks=900"}, /* eight at a time run slower than one */
	{LABEL_IMBALANCE, gpu, "blocks=75"},
	{LABEL_OCCUPANCY, gpu, "blocks=76"},
	{LABEL_OCCUPANCY, gpu, "blocks=200"},
	{LABEL_UNKNOWN, gpu, "blocks=201"},
	{LABEL_OCCUPANCY, gpu, "warps_at_once=25 half_ns=1.4e6"},
	{LABEL_LATENCY, gpu, "warps_at_once=26 half_ns=1.4e6"},
	{LABEL_UNKNOWN, gpu, "warps_at_once=25 half_ns=1.3e6"},
	{LABEL_MEMORY, gpu, "need_bytes=1.2e9 half_ns=1.2e6"},
	{LABEL_UNKNOWN, gpu, "need_bytes=1.2e9 half_ns=1.3e6"},
	{LABEL_SHARED, gpu, "loop_shared=15 loop_global=2 half_ns=1e6"},
	{LABEL_UNKNOWN, gpu, "loop_shared=14 loop_global=2 half_ns=1e6"},
	{LABEL_CACHE, gpu, "loop_global=8 half_ns=1e6"},
	{LABEL_UNKNOWN, gpu, "loop_global=7 half_ns=1e6"},

	{LABEL_UNKNOWN, cpu, ""},
	{LABEL_LAUNCH, cpu, "empty_ns=4e5"},
	{LABEL_LAUNCH, cpu, "blocks=10000"},
	{LABEL_UNKNOWN, cpu, "blocks=9999"},
	{LABEL_PAGING, cpu, "faults=223"},
	{LABEL_UNKNOWN, cpu, "faults=222"},
	{LABEL_IMBALANCE, cpu, "blocks=4 thread_ns=1300 task_clock=2000 preemptions=9"},
	{LABEL_UNKNOWN, cpu, "blocks=4 thread_ns=1290 task_clock=2000 preemptions=9"},
	{LABEL_UNKNOWN, cpu, "blocks=5 thread_ns=1300 task_clock=2000 preemptions=0"},
	{LABEL_IMBALANCE, cpu, "thread_ns=1400 task_clock=2000 preemptions=0.2"},
	{LABEL_UNKNOWN, cpu, "thread_ns=1400 task_clock=2000 preemptions=0.3"},
	{LABEL_UNKNOWN, cpu, "thread_ns=1390 task_clock=2000 preemptions=0.2"},
	{LABEL_UNKNOWN, cpu,
	 "thread_ns=1400 task_clock=2000 preemptions=0.2 time_ns=2.9e5 need_bytes=1e6 "
	 "need_flops=6e6"},
	{LABEL_IMBALANCE, cpu, "blocks=2 working_threads=1.4"},
	{LABEL_UNKNOWN, cpu, "blocks=2 working_threads=1.5"},
	{LABEL_UNKNOWN, cpu, "blocks=5 working_threads=1.4"},
	{LABEL_ARITHMETIC, cpu, "need_flops=1e8"},
	{LABEL_UNKNOWN, cpu, "need_flops=9.9e7"},
	{LABEL_UNKNOWN, cpu, "need_flops=2.4e8"},
	{LABEL_ARITHMETIC, cpu, "need_flops=5e7 threads=1 busy_threads=1 half_ns=1"},
	{LABEL_MEMORY, cpu, "need_bytes=2.8e7"},
	{LABEL_UNKNOWN, cpu, "need_bytes=2.7e7"},
	{LABEL_MEMORY, cpu, "need_bytes=2.1e7 threads=1 busy_threads=1"},
	{LABEL_CACHE, cpu, "need_bytes=4.6e7"},
	{LABEL_MEMORY, cpu, "need_bytes=1.4e7 hot_ns=6.6e5"},
	{LABEL_UNKNOWN, cpu, "need_bytes=1.4e7 hot_ns=6.7e5"},
	{LABEL_MEMORY, cpu, "hot_ns=3.3e5"},
	{LABEL_UNKNOWN, cpu, "hot_ns=3.4e5"},
	{LABEL_UNKNOWN, cpu, "hot_ns=3.3e5 need_bytes=3.9e6"},
	{LABEL_MEMORY, cpu, "need_bytes=1.4e7 half_ns=1.3e6"},
	{LABEL_UNKNOWN, cpu, "need_bytes=1.4e7 half_ns=1.4e6"},
	{LABEL_MEMORY, cpu, "dram_bytes=3e7 counted_ns=1e6"},
	{LABEL_UNKNOWN, cpu, "dram_bytes=2.9e7 counted_ns=1e6"},
	{LABEL_LATENCY, cpu, "loop_chained=1"},
	{LABEL_LATENCY, cpu, "stalled_cycles=60 cycles=100"},
	{LABEL_UNKNOWN, cpu, "stalled_cycles=59 cycles=100"},
	{LABEL_MEMORY, cpu, "half_ns=1.3e6"},
	{LABEL_UNKNOWN, cpu, "half_ns=1.4e6"},
	{LABEL_UNKNOWN, cpu, "half_ns=8e5"},
	{LABEL_UNKNOWN, cpu, "half_ns=1.3e6 busy_threads=1.6"}, /* others' load */
	{LABEL_UNKNOWN, cpu, "half_ns=1.3e6 need_bytes=7e5"},
	{LABEL_SCALAR, cpu, "loop_scalar=21 loop_memory=40"},
	{LABEL_UNKNOWN, cpu, "loop_scalar=21 need_flops=1.1e6"}, /* too slow for additions */
	{LABEL_UNKNOWN, cpu, "loop_scalar=19"},
	{LABEL_UNKNOWN, cpu, "loop_scalar=21 need_flops=3.1e7"}, /* too fast for single numbers */
	{LABEL_SCALAR, cpu, "vector_ops=3 scalar_ops=7"},
	{LABEL_UNKNOWN, cpu, "vector_ops=4 scalar_ops=6"},
	{LABEL_CACHE, cpu, "loop_vector=0 loop_memory=30 loop_instructions=100"},
	{LABEL_UNKNOWN, cpu, "loop_vector=0 loop_memory=29 loop_instructions=100"},
	{LABEL_UNKNOWN, cpu, "loop_vector=0 loop_memory=30 loop_instructions=100 half_ns=1.4e6"},
	{LABEL_UNKNOWN, cpu, "loop_vector=0 loop_memory=30 loop_instructions=100 loop_calls=1"},
	{LABEL_ARITHMETIC, cpu, "loop_instructions=40 need_flops=4e7"},
	{LABEL_UNKNOWN, cpu, "loop_instructions=41 need_flops=4e7"},
	{LABEL_UNKNOWN, cpu, "loop_instructions=40 need_flops=3.9e7"},
	{LABEL_CACHE, cpu, "loop_memory=10"},
	{LABEL_UNKNOWN, cpu, "loop_memory=9"},
	{LABEL_UNKNOWN, cpu, "loop_memory=10 need_bytes=1.3e7"},
	{LABEL_UNKNOWN, cpu, "loop_memory=40 loop_scalar=30 need_flops=9e7"},
	{LABEL_CACHE, cpu, "llc_bytes=1.2e8 counted_ns=1e6 dram_bytes=1e6"},

/* tests/bench/workloads/why on an H100: what the planted kernels were measured at. */
#define H100                                                                                       \
	"peak_dram=3.055e12 peak_l2=7.776e12 peak_l1=3.314e13 peak_shared=3.338e13 "               \
	"peak_flops=5.691e13 peak_tensor=9.608e14 multiprocessors=132 cache_bytes=5.243e7 "
	{LABEL_CACHE, gpu,
	 H100 "time_ns=1.07e5 half_ns=1.08e5 kernel_ns=1.1e5 dram_bytes=2.12e7 l2_bytes=6.13e8 "
	      "l1_bytes=1.08e9 l1_data_pct=29.8 issue_pct=16.9 fma_pct=8.34 sm_cycles_avg=100 "
	      "sm_cycles_max=109 stall_long_scoreboard=86.6 issue_warps=88.4 warps=59.1 "
	      "warps_pct=92.4 empty_ns=2090 need_bytes=1.7e7 need_flops=2.68e8"},
	{LABEL_LATENCY, gpu,
	 H100 "time_ns=1.18e5 half_ns=2.07e5 kernel_ns=1.18e5 dram_bytes=1.55e8 l2_bytes=1.42e8 "
	      "l1_bytes=6.76e7 l1_data_pct=13.8 issue_pct=15.1 alu_pct=16.5 sm_cycles_avg=100 "
	      "sm_cycles_max=102 stall_long_scoreboard=93.9 issue_warps=101 warps=60.4 "
	      "warps_pct=94.3 empty_ns=1460 need_bytes=6.72e7 need_flops=nan blocks=1024"},
	{LABEL_LATENCY, gpu,
	 H100 "time_ns=1.23e5 half_ns=2.12e5 empty_ns=3900 need_bytes=6.72e7 need_flops=nan"},
	{LABEL_OCCUPANCY, gpu,
	 H100 "time_ns=2.29e5 half_ns=4.23e5 kernel_ns=2.3e5 dram_bytes=1.38e8 l2_bytes=2.05e8 "
	      "issue_pct=3.54 sm_cycles_avg=100 sm_cycles_max=102 stall_long_scoreboard=50.8 "
	      "issue_warps=54.6 warps=7.69 warps_pct=12 warps_at_once=8 empty_ns=3350 "
	      "need_bytes=1.34e8 need_flops=3.36e7"},
	{LABEL_LAUNCH, gpu,
	 H100 "time_ns=1.82e4 empty_ns=7910 kernel_ns=2.54e4 need_bytes=5.24e5 need_flops=6.55e4 "
	      "issue_pct=8.2 sm_cycles_avg=100 sm_cycles_max=122"},
	{LABEL_IMBALANCE, gpu,
	 H100 "time_ns=3.91e5 empty_ns=920 kernel_ns=3.92e5 dram_bytes=4.13e7 issue_pct=98.5 "
	      "fma_pct=79.3 sm_cycles_avg=100 sm_cycles_max=183 need_bytes=3.89e7 "
	      "need_flops=9.97e9 blocks=144 blocks_at_once=1 warps_at_once=32"},
	{LABEL_IMBALANCE, gpu,
	 H100 "time_ns=3.94e5 empty_ns=3330 need_bytes=3.89e7 need_flops=9.97e9 blocks=144 "
	      "blocks_at_once=1 warps_at_once=32"},
	{LABEL_SPILLS, gpu,
	 H100 "time_ns=7.4e6 half_ns=6.01e6 kernel_ns=7.38e6 dram_bytes=1.62e10 l2_bytes=3.84e10 "
	      "l1_bytes=4.59e10 instructions=5.84e8 local_loads=1.78e8 code_spills=360 "
	      "loop_instructions=268 loop_spills=164 stall_long_scoreboard=130 issue_warps=159 "
	      "warps_pct=82.4 warps=52.8 issue_pct=8.31 need_bytes=1.06e8 need_flops=1.33e10"},
	/* The same where its code could not be read. */
	{LABEL_SPILLS, gpu,
	 H100 "time_ns=7.4e6 half_ns=6.01e6 kernel_ns=7.38e6 dram_bytes=1.62e10 l2_bytes=3.84e10 "
	      "l1_bytes=4.59e10 local_load_bytes=2.28e10 local_store_bytes=2.28e10 "
	      "instructions=5.84e8 local_loads=1.78e8 code_spills=nan loop_spills=nan "
	      "loop_instructions=nan stall_long_scoreboard=130 issue_warps=159 warps_pct=82.4 "
	      "warps=52.8 issue_pct=8.31 need_bytes=1.06e8 need_flops=1.33e10"},
	{LABEL_SHARED, gpu,
	 H100 "time_ns=3.57e5 half_ns=4.02e5 kernel_ns=3.58e5 dram_bytes=1.92e7 l2_bytes=2.56e8 "
	      "l1_bytes=2.73e8 l1_data_pct=94.4 shared_wavefronts=8.61e7 bank_conflicts=5.87e7 "
	      "issue_pct=16 need_bytes=1.26e7 need_flops=2.15e9 sm_cycles_avg=100 "
	      "sm_cycles_max=103"},
	{LABEL_SHARED, gpu,
	 H100 "time_ns=3.56e5 half_ns=4.01e5 need_bytes=1.26e7 need_flops=2.15e9 "
	      "loop_instructions=217 loop_shared=48 loop_global=8"},
	/* softmax/square-8k-bf16 on an H100, and with larger blocks in more passes. */
	{LABEL_MEMORY, gpu,
	 "time_ns=9.005e4 hot_ns=9.002e4 half_ns=1.038e5 kernel_ns=8.877e4 dram_bytes=2.614e8 "
	 "l2_bytes=4.099e8 l1_bytes=2.684e8 dram_pct=87.84 l1_data_pct=13.69 issue_pct=28.98 "
	 "fma_pct=12.68 alu_pct=25.58 xu_pct=19.22 lsu_pct=5.915 issue_warps=16.34 "
	 "stall_long_scoreboard=9.06 sm_cycles_avg=1.679e5 sm_cycles_max=1.704e5 tensor_pct=0 "
	 "need_bytes=2.684e8 need_flops=3.355e8 peak_dram=3.054e12 empty_ns=5860 warps_at_once=20 "
	 "multiprocessors=132 blocks=8192 blocks_at_once=5"},
	{LABEL_MEMORY, gpu,
	 "time_ns=1.315e5 hot_ns=1.36e5 half_ns=1.216e5 need_bytes=2.684e8 need_flops=3.355e8 "
	 "peak_dram=3.054e12 empty_ns=5860 warps_at_once=48 multiprocessors=132 blocks=8192 "
	 "blocks_at_once=12 loop_instructions=163 loop_global=3"},
	/* gemm/square-4k-bf16 by cuBLAS on an H100, with counters and without. */
	{LABEL_TENSOR, gpu,
	 "time_ns=1.754e5 kernel_ns=1.773e5 dram_bytes=1.977e8 l2_bytes=1.057e9 tensor_pct=89.62 "
	 "l1_data_pct=69.33 issue_pct=11.97 need_bytes=1.007e8 need_flops=1.374e11 "
	 "peak_dram=3.058e12 peak_l2=7.78e12 peak_tensor=9.522e14 empty_ns=832.6"},
	{LABEL_TENSOR, gpu,
	 "time_ns=1.761e5 need_bytes=1.007e8 need_flops=1.374e11 peak_dram=3.058e12 "
	 "peak_tensor=9.522e14 empty_ns=832.6"},
};

/* Puts figures out of "name=value name=value". */
static void put(struct figures *f, const char *text)
{
	while (*text) {
		const size_t name = strcspn(text, "="), all = strcspn(text, " ");
		char copy[64];

		memcpy(copy, text, name);
		copy[name] = '\0';
		figures_put(f, copy, strtod(text + name + 1, NULL));
		text += all + strspn(text + all, " ");
	}
}

static void check(const struct metric_book *book, const struct rule_case *c)
{
	struct figures *f;
	struct profile p = {0};
	struct result r;
	struct asc_err e;

	result_init(&r);
	if (!tap_ok(!figures_new(book, &f, &e), "figures"))
		return;
	put(f, c->base);
	put(f, c->more);
	if (!figures_derive(f, NULL, &r, &e) &&
	    !figures_judge(f, c->base == gpu ? "cuda" : "cpu", &p, &e))
		tap_str(label_name(p.label), label_name(c->label), "%s: %.60s: %s",
			c->base == gpu ? "cuda" : "cpu", c->more, p.sentence);
	else
		tap_ok(false, "%s", e.text);
	tap_ok(p.sentence && !strchr(p.sentence, '?'), "every figure of the sentence is known");
	profile_fini(&p);
	result_fini(&r);
	figures_free(f);
}

int main(void)
{
	struct metric_book *book = NULL;
	struct asc_err e;

	if (!tap_ok(!metric_book_open(NULL, 0, &book, &e), "the program's book"))
		tap_note("%s", e.text);
	for (size_t i = 0; book && i < sizeof cases / sizeof *cases; i++)
		check(book, &cases[i]);
	metric_book_free(book);
	return tap_done();
}
