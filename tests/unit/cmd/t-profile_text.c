/* What a terminal shows of a profile: at most 16 lines of 80 columns, whatever is in it.
 * covers: profile_text.c */
#include "tuner/cmd/profile/profile_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/profiles.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/cmd/terminal/prose.h"

static const struct profile_heading softmax = {.workload = "softmax",
					       .problem = "square-8k-bf16",
					       .implementation = "rows",
					       .config = "ITEMS=2,THREADS=512,VECTOR=8",
					       .time_ns = 70000,
					       .low_ns = 69800,
					       .high_ns = 70200,
					       .vs_default = 1.95,
					       .next = "asctune code workloads/softmax.json "
						       "-p square-8k-bf16 --against default"};

static char out[16384];
static FILE *file;

static void begin(struct prose *p)
{
	setenv("COLUMNS", "80", 1);
	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	prose_open(p, file);
}

static void end(struct prose *p, const char *what)
{
	size_t lines = 0, widest = 0;

	prose_close(p);
	fclose(file);
	for (const char *at = out; *at; lines++) {
		const size_t n = strcspn(at, "\n");
		char *line = str_print("%.*s", (int)n, at);
		const size_t width = columns_count(line);

		widest = width > widest ? width : widest;
		free(line);
		at += n + (at[n] == '\n');
	}
	tap_ok(lines <= 16, "%s: %zu lines", what, lines);
	tap_ok(widest <= 80, "%s: %zu columns", what, widest);
}

static void counted(void)
{
	struct profile p;
	struct prose to;

	profile_make_softmax(&p);
	begin(&to);
	profile_text_print(&to, &softmax, &p);
	end(&to, "counters");
	tap_str(out,
		"softmax/square-8k-bf16  70 us ±0.3 %  1.95x default\n"
		"  rows  ITEMS=2 THREADS=512 VECTOR=8\n"
		"  memory: 94 % of the 4.06 TB/s that this GPU moves; 1.06x is left at most\n"
		"               bytes        rate  of the peak          hit\n"
		"  DRAM        268 MB   3.82 TB/s  94 % of 4.06 TB/s          1.00x the need\n"
		"  L2          271 MB   3.86 TB/s  52 % of 7.42 TB/s     1 %\n"
		"  L1          268 MB   3.82 TB/s  17 % of 22.5 TB/s     0 %\n"
		"  units    issue 22 %  FMA 9 %  special 14 %\n"
		"  warps    48 of 64; multiprocessors uneven by 2 %\n"
		"  stalls   long_scoreboard 64 %  wait 8 %  barrier 7 %  others 20 %\n"
		"  code     40 registers, 0 spills; inner loop 96: 48 f32 24 integer 16 special\n"
		"  energy   118 mJ ±0.8 %, 83.0 mJ above idle; 459 W\n"
		"  counted  set default in 7 passes, 170 ms at 1980 MHz, caches flushed\n"
		"next: asctune code workloads/softmax.json -p square-8k-bf16 --against default\n",
		"all of it");
	profile_fini(&p);
}

/* Metrics of one's own, one that is not there, launches beside other work. */
static void own_metrics(void)
{
	static const struct profile_figure figures[] = {{"time_ns", "ns", 27300},
							{"waits", "1", 3},
							{"twice", "ns", 54600},
							{"share", "%", 12.34},
							{NULL, NULL, 0}};
	struct profile p = {.label = LABEL_UNKNOWN, .set = "mine", .passes = 1};
	struct prose to;

	profile_fill(&p, "perf_event", figures);
	profile_add(&p, "launch", "disturbed", "1", 0.254, 0, NULL);
	profile_add(&p, "launch", "half_ns", "ns", NAN, 0, "the launch has one thread");
	begin(&to);
	profile_text_print(&to, NULL, &p);
	end(&to, "metrics of one's own");
	tap_str(out,
		"  unknown: nothing that was looked at explains it\n"
		"  ! other work disturbed 25 % of these launches\n"
		"  counted  set mine in 1 pass\n"
		"  figures  waits 3, twice 54.6 us, share 12.3 %\n"
		"  half the threads or warps at a time: the launch has one thread\n",
		"what has no row of its own");
	profile_fini(&p);
}

static void uncounted(void)
{
	static const struct profile_figure figures[] = {
		{"time_ns", "ns", 253000},      {"hot_ns", "ns", 131000},
		{"half_ns", "ns", 490000},      {"threads", "1", 2},
		{"working_threads", "1", 1.94}, {"faults", "1", 0},
		{"loop_instructions", "1", 79}, {"loop_vector", "1", 57},
		{"loop_width_bits", "1", 512},  {"loop_chained", "1", 1},
		{"loop_scalar", "1", 22},       {NULL, NULL, 0}};
	struct profile p = {.label = LABEL_MEMORY,
			    .basis = LABEL_BASIS_TIME,
			    .sentence = str_dup("84 % of 40.1 GB/s")};
	struct prose to;

	profile_fill(&p, "perf_event", figures);
	profile_add(&p, "perf_event", "cycles", "1", NAN, 0,
		    "the virtual machine passes no hardware counters on");
	profile_add(&p, "perf_event", "instructions", "1", NAN, 0,
		    "the virtual machine passes no hardware counters on");
	begin(&to);
	profile_text_print(&to, NULL, &p);
	end(&to, "no counters");
	tap_str(out,
		"  memory (without counters): 84 % of 40.1 GB/s\n"
		"  tried    hot caches take 0.52x the time, half the threads at a time 1.94x\n"
		"  threads  2, busy 1.94, faults 0\n"
		"  code     loops 512 bits wide; inner loop 79: 57 vector 22 scalar\n"
		"  the virtual machine passes no hardware counters on (2 metrics)\n",
		"a reason once, and no row of what is not known");
	profile_fini(&p);
}

/* Names as long as a reading's, a sentence and reasons of several lines. */
static void crowded(void)
{
	struct profile_heading h = softmax;
	struct profile p;
	struct prose to;
	char name[40];

	profile_make_softmax(&p);
	free(p.sentence);
	p.sentence = str_dup("95 % of the time goes into waiting for 3 multiprocessors of 132, "
			     "which have twice as many blocks as the others");
	p.failure = str_dup("crashed in pass 3 of 7: CUDA_ERROR_ILLEGAL_ADDRESS, the worker was "
			    "started again and the other passes were left out");
	h.next = "asctune code /home/someone/project/workloads/softmax_with_a_long_name.json -p "
		 "square-8k-bf16 --against default --db /home/someone/project/results.db";
	profile_add(&p, "cupti", "shared_moved_bytes", "B", 1e9, 0, NULL);
	profile_add(&p, "cupti", "shared_rate", "B/s", 1e12, 0, NULL);
	for (int i = 0; i < 30; i++) {
		(void)snprintf(name, sizeof name, "stall_a_very_long_reason_to_wait%02d_pct", i);
		profile_add(&p, "cupti", name, "%", 3, 0, NULL);
		(void)snprintf(name, sizeof name, "loop_a_class_of_instructions_%02d", i);
		profile_add(&p, "code", name, "1", 100 + i, 0, NULL);
		char *reason = str_print("this chip has no counter of it, reason %d", i);
		profile_add(&p, "cupti", name, "1", NAN, 0, reason);
		free(reason);
	}
	begin(&to);
	profile_text_print(&to, &h, &p);
	end(&to, "crowded");
	tap_has(out, "crashed in pass 3", "what failed is said");
	tap_has(out, "next: asctune code", "the command stays");
	tap_has(out, "L1 ", "the levels stay");
	profile_fini(&p);
}

static void beside(void)
{
	static const struct profile_figure figures[] = {
		{"dram_bytes", "B", 537000000}, {"l2_bytes", "B", 271000000},
		{"code_registers", "1", 44},    {"warps", "1", 48},
		{"dram_rate", "B/s", 3.9e12},   {NULL, NULL, 0}};
	const struct profile_heading other_h = {.workload = "softmax",
						.problem = "square-8k-bf16",
						.implementation = "rows",
						.config = "ITEMS=2,THREADS=128,VECTOR=8",
						.time_ns = 139000};
	struct profile p, other = {.label = LABEL_LATENCY, .basis = LABEL_BASIS_COUNTERS};
	struct prose to;

	profile_make_softmax(&p);
	profile_fill(&other, "cupti", figures);
	begin(&to);
	profile_text_print_beside(&to, &softmax, &p, &other_h, &other);
	end(&to, "beside");
	tap_str(out,
		"softmax/square-8k-bf16\n"
		"  this   rows  ITEMS=2 THREADS=512 VECTOR=8\n"
		"  memory: 94 % of the 4.06 TB/s that this GPU moves; 1.06x is left at most\n"
		"  other  rows  ITEMS=2 THREADS=128 VECTOR=8\n"
		"  latency: each step waits for the one before\n"
		"                                     this        other     ratio\n"
		"  time                              70 us       139 us     1.99x\n"
		"  dram_bytes                       268 MB       537 MB     2.00x  with the time\n"
		"  code_registers                       40           44     1.10x\n"
		"  dram_rate                     3.82 TB/s    3.90 TB/s     1.02x\n"
		"  0 more differ, 2 are equal within 1 %\n"
		"next: asctune code workloads/softmax.json -p square-8k-bf16 --against default\n",
		"what explains the time comes first");
	profile_fini(&p);
	profile_fini(&other);
}

int main(void)
{
	counted();
	uncounted();
	own_metrics();
	crowded();
	beside();
	return tap_done();
}
