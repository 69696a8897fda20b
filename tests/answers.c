/* The ends of runs that are made up: what `asctune run` prints of a problem and of several, for
 * tests of terminals. answers [verbose|long]: `long` has names that are long. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/run/run_answer.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/result/baselines.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"

static struct device_info info = {.model = "AMD EPYC"};
static struct session session = {.target = {.device = &device_cpu, .info = &info}};

static struct stats_summary time_of(double median, double half)
{
	return (struct stats_summary){.median = median,
				      .q1 = median - half,
				      .q3 = median + half,
				      .n = 32,
				      .interval = {true, median - half, median + half}};
}

static void set_trial(struct loop_trial *t, const char *implementation, const char *config,
		      double median, double half)
{
	t->found = true;
	t->implementation = implementation;
	t->time = time_of(median, half);
	buf_add_str(&t->config, config);
}

static void add_finalist(struct loop_summary *s, const char *config, double ratio, double half,
			 enum standing standing)
{
	struct loop_finalist *f = &s->finalists[s->n_finalists];

	f->implementation = "packed";
	f->ratio = ratio;
	f->interval = (struct stats_interval){true, ratio - half, ratio + half};
	f->standing = standing;
	f->winner = s->n_finalists++ == 0;
	buf_add_str(&f->config, config);
}

static void set_times(struct loop_summary *s)
{
	s->trials = s->by_status[RESULT_OK] = 25;
	s->valid = 866;
	s->wall_ns = INT64_C(17500000000);
	s->phase_ns[LOOP_BUILDING] = INT64_C(8000000000);
	s->spent_ns[PHASE_MEASURE] = INT64_C(4000000000);
	s->phase_ns[LOOP_FINALS] = INT64_C(4900000000);
	s->steady = (struct loop_steadiness){.samples = 100, .load = 3};
}

static void make_tie(struct loop_summary *s)
{
	static const char *const configs[] = {
		"BLOCK_M=192,BLOCK_N=192,BLOCK_K=512,ROWS=4,VECTORS=3,UNROLL=4,THREADS=1",
		"BLOCK_M=192,BLOCK_N=192,BLOCK_K=128,ROWS=8,VECTORS=3,UNROLL=4,THREADS=1",
		"BLOCK_M=384,BLOCK_N=192,BLOCK_K=128,ROWS=8,VECTORS=3,UNROLL=4,THREADS=1",
		"BLOCK_M=384,BLOCK_N=384,BLOCK_K=512,ROWS=8,VECTORS=3,UNROLL=4,THREADS=1"};

	set_times(s);
	s->by_status[RESULT_SLOW] = 15;
	s->trials = 40;
	set_trial(&s->best, "packed", configs[0], 229.3e3, 6.9e3);
	s->best.host_ns = 412e3;
	set_trial(&s->default_trial, "packed",
		  "BLOCK_M=96,BLOCK_N=192,BLOCK_K=256,ROWS=4,VECTORS=2,UNROLL=1,THREADS=1", 337.1e3,
		  5e3);
	set_trial(&s->baselines[0].trial, "openblas", "BLAS_THREADS=1", 401.3e3, 4e3);
	for (size_t i = 0; i < 4; i++)
		add_finalist(s, configs[i], 1 + 0.01 * (double)i, 0.02, STANDING_TIED);
	add_finalist(s, "BLOCK_M=96", 1.5, 0.02, STANDING_SLOWER);
	s->sure = (struct sureness){SURE_TIE, 4, 2};
	s->steady.load = 67;
}

static void make_clear(struct loop_summary *s)
{
	set_times(s);
	set_trial(&s->best, "rows", "SUMS=16,BLOCK_M=64,THREADS=2", 519.1e3, 24e3);
	set_trial(&s->default_trial, "rows", "SUMS=8,BLOCK_M=1,THREADS=1", 1765e3, 24e3);
	add_finalist(s, "SUMS=16,BLOCK_M=64,THREADS=2", 1, 0, STANDING_TIED);
	add_finalist(s, "SUMS=8,BLOCK_M=1,THREADS=1", 3.4, 0.02, STANDING_SLOWER);
	s->sure = (struct sureness){SURE_CLEAR, 1, 2};
}

/* Names that are longer than a narrow terminal leaves room for. */
static void make_long(struct loop_summary *s)
{
	static const char *const configs[] = {
		"BLOCK_SIZE_OF_THE_OUTERMOST_LOOP=64,THREADS_THAT_SHARE_ONE_LAUNCH=2",
		"BLOCK_SIZE_OF_THE_OUTERMOST_LOOP=128,THREADS_THAT_SHARE_ONE_LAUNCH=1"};

	set_times(s);
	set_trial(&s->best, "an_implementation_with_a_long_name", configs[0], 12.5e3, 0.1e3);
	for (size_t i = 0; i < 2; i++) {
		add_finalist(s, configs[i], 1 + 0.01 * (double)i, 0.02, STANDING_TIED);
		s->finalists[i].implementation = s->best.implementation;
	}
	s->sure = (struct sureness){SURE_TIE, 2, 1};
}

/* Ties whose long setting is in all of them, and so in none of their lines; the widest word of the
 * first just fits 60 columns, that of the second does not. */
static void make_common(struct loop_summary *s)
{
	static const char *const configs[] = {
		"BLOCK_SIZE_OF_THE_OUTERMOST_LOOP=64,THE_WIDEST_THAT_STILL_HAS_A_ROOM=1",
		"BLOCK_SIZE_OF_THE_OUTERMOST_LOOP=64,THE_WIDEST_THAT_STILL_HAS_A_ROOM=22",
		"BLOCK_SIZE_OF_THE_OUTERMOST_LOOP=64,THREADS=2,UNROLL=4"};

	set_times(s);
	set_trial(&s->best, "packed", configs[0], 12.5e3, 0.1e3);
	for (size_t i = 0; i < 3; i++)
		add_finalist(s, configs[i], 1 + 0.01 * (double)i, 0.02, STANDING_TIED);
	s->finalists[2].implementation = "an_implementation_of_some_length_at_60";
	s->sure = (struct sureness){SURE_TIE, 3, 1};
}

static void make_noisy(struct loop_summary *s)
{
	make_clear(s);
	s->best.time = time_of(30.4e6, 4.9e6);
	s->finalists[1].standing = STANDING_UNDECIDED;
	s->sure = (struct sureness){SURE_UNDECIDED, 2, 16};
	s->steady = (struct loop_steadiness){
		.samples = 100, .load = 80, .clock = 30, .clock_known = true, .hot = 4};
}

static void make_unusable(struct loop_summary *s)
{
	make_clear(s);
	s->best.time = time_of(6e6, 0.1e6);
	s->sure = (struct sureness){SURE_UNUSABLE, 1, 2};
}

static void make_nothing(struct loop_summary *s)
{
	struct loop_failure *f = &s->failures[RESULT_WRONG];
	const struct result wrong = {
		.status = RESULT_WRONG,
		.errors = {.known = true, .bad = 1, .max_abs = 0.1, .mean_abs = 0.0001}};

	set_times(s);
	s->by_status[RESULT_OK] = 0;
	s->by_status[RESULT_WRONG] = 25;
	f->implementation = "loop";
	f->config = str_dup("BLOCK=256,UNROLL=4,THREADS=1");
	for (int i = 0; i < 25; i++)
		tally_add(&s->tally, "loop", f->config, &wrong);
	f->reason =
		str_dup("out: 1 of 1000 elements differ, the first out[500]: 0.314738154 instead "
			"of 0.214738145 (allowed 2.55988e-08); largest error 0.1");
}

/* Row as the database answers where nothing else was recorded. */
static struct answer_row row_of(const struct loop_summary *sum)
{
	const struct loop_trial *b = &sum->best, *d = &sum->default_trial,
				*l = &sum->baselines[0].trial;
	const struct stats_interval *i = &b->time.interval;
	const struct baselines base = {{{.ratio = l->found && !l->recorded ? l->ratio : 0}}, 1};
	struct roofline place;

	(void)loop_summary_place_best(sum, &place);
	if (!b->found)
		return (struct answer_row){.sure = {.sure = SURE_UNUSABLE}};
	struct answer_row row = {
		.median_ns = b->time.median,
		.width_pct = answer_row_width_pct(b->time.median, i->known ? i->low : NAN,
						  i->known ? i->high : NAN, b->time.q1, b->time.q3),
		.to_default = d->found && !d->recorded ? d->ratio : 0,
		.part_pct = 100 * place.part,
		.part_note = place.note,
		.sure = sum->sure};

	answer_row_set_baselines(&row, &base);
	return row;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *title;
		void (*make)(struct loop_summary *s);
	} ends[] = {{"gemm/odd", make_tie},
		    {"softmax/llama-32k-vocabulary", make_clear},
		    {"gemm/square-1024", make_noisy},
		    {"a_kernel_with_a_name_of_its_own/a_problem_of_some_length", make_long},
		    {"gemm/tall", make_common},
		    {"sdpa/odd-causal", make_unusable},
		    {"axpy/small", make_nothing}};
	static char path[] = "workloads/axpy.json", name[] = "small";
	const struct workload workload = {.path = path};
	const struct problem problem = {.name = name};
	const struct loop_options o = {
		.session = &session, .workload = &workload, .problem = &problem};
	const struct run_options run = {.verbose = argc > 1 && strcmp(argv[1], "verbose") == 0};
	const bool is_long = argc > 1 && strcmp(argv[1], "long") == 0;
	struct asc_err e;
	struct prose p;
	struct table t;

	prose_open(&p, stdout);
	answer_row_begin(&t);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		static struct loop_summary sum;

		if ((ends[i].make == make_long || ends[i].make == make_common) != is_long)
			continue;
		loop_summary_init(&sum);
		ends[i].make(&sum);
		sum.default_trial.ratio = sum.default_trial.time.median / sum.best.time.median;
		sum.baselines[0].trial.ratio =
			sum.baselines[0].trial.time.median / sum.best.time.median;
		run_answer_print(&p, ends[i].title, &run, &o, &sum);
		const struct answer_row row = row_of(&sum);

		answer_row_add(&t, ends[i].title, &row);
		loop_summary_fini(&sum);
	}
	const enum asc_status status = table_print(&t, stdout, &e);

	table_fini(&t);
	prose_close(&p);
	return status != ASC_OK;
}
