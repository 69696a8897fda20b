/* Finals in a worker, on a device that is not there: who is launched, announced, verified; what one
 * that fails does to the others.
 * covers: worker_finals.c */
#include "tuner/worker/worker_finals.h"

#include <string.h>
#include <time.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/units.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/worker/measurement.h"

enum { MOST = 3, NONE = -1, ROUNDS = 34 }; /* in 0.1 s of kernel time */
static const double TRUTHS[MOST] = {1e6, 1.001e6, 1.002e6};

/* One goes wrong from that launch of its own on, each in another way. */
static struct {
	int kernel;
	int64_t from;
	enum {
		PASSES,
		WRITES_WRONG,
		WRITES_NOTHING,
		IS_REFUSED,
		DAMAGES,
		KEEPS,
		LASTS,
		SPOILS
	} how;
} fault;

static struct simulated device;
static int64_t launches[MOST];
static uint64_t heard_id;
static int64_t unannounced; /* launches of one that was not the last one heard of */

static int64_t busy_until_ns; /* every launch is disturbed, the sixth for so long; 0: none is */
static int64_t nap_ns;        /* every launch is disturbed and takes so long; 0: none is */

/* Sets of inputs: how often each was met in the rounds. */
static bool has_sets;
static struct device_ops with_digest;
static int64_t met[SIMULATED_SETS];
static int last[MOST]; /* set whose answer each gave last */
static int64_t stale;  /* launches of one that found what is right there already */

static bool remembers; /* the second takes a part of its time while there was one set alone */

static double scale;  /* of the truths: the time of a launch to its kernel's */
static bool scatters; /* every other launch of each takes twice as long, in turns */

static int find(double truth_ns)
{
	int k = 0;

	while (k < MOST - 1 && TRUTHS[k] != truth_ns)
		k++;
	return k;
}

static bool fails(int k)
{
	return k == fault.kernel && launches[k] >= fault.from;
}

static int64_t launch(void *user, double truth_ns)
{
	const int k = find(truth_ns);

	(void)user;
	unannounced += heard_id != (uint64_t)k;
	launches[k]++;
	device.interrupts += busy_until_ns > 0 || nap_ns > 0;
	if (nap_ns > 0)
		(void)nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
	while (device.launches == 5 && clock_now_ns() < busy_until_ns)
		;
	if (fails(k) && fault.how == DAMAGES)
		device.damaged = true;
	if (fails(k) && fault.how == SPOILS)
		device.changed = device.problem->kept[1]->inputs[1];
	if (scatters && (launches[k] + k) % 2)
		truth_ns *= 2;
	if (remembers && k == 1 && met[1] + met[2] + simulated_set(&device) == 0)
		truth_ns /= 20;
	return fails(k) && fault.how == IS_REFUSED ? 0 : (int64_t)(scale * truth_ns);
}

static void write_output(void *user, double truth_ns, float *out)
{
	const int k = find(truth_ns), set = has_sets ? simulated_set(&device) : 0;
	const bool found = out[0] == (float)(1 + SIMULATED_APART * last[k]);
	const int kept = !fails(k)                     ? set /* whose answer it gives */
			 : fault.how == KEEPS          ? 0
			 : fault.how == LASTS && found ? last[k]
						       : set;

	(void)user;
	met[set]++;
	last[k] = kept;
	stale += out[0] == (float)(1 + SIMULATED_APART * set);
	for (int i = 0; i < SIMULATED_ELEMENTS; i++)
		if (!fails(k) || fault.how != WRITES_NOTHING)
			out[i] = (float)(i + 1 + SIMULATED_APART * kept +
					 (fails(k) && fault.how == WRITES_WRONG));
}

static enum asc_status digest(struct device *d, struct device_buffer *const *buffers, size_t n,
			      uint64_t *digests, struct asc_err *e)
{
	float out[SIMULATED_ELEMENTS];

	(void)n;
	device.problem->ops->read(d, buffers[0], out, sizeof out, e);
	digests[0] = hash_bytes(out, sizeof out);
	return ASC_OK;
}

static enum asc_status hear(void *user, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e)
{
	(void)user, (void)phase, (void)step, (void)e;
	heard_id = id;
	return ASC_OK;
}

/* The times until the end that were said behind each round. */
static struct {
	int64_t began_ns;
	int64_t rounds, left_ns; /* newest */
	int64_t most_ns;         /* largest time */
	int64_t first_ns;        /* time before the first round */
	double expected;         /* rounds in all */
	double most; /* largest part of what is left then at the rate since the beginning, the
			last verification with it */
} told;

static enum asc_status hear_finals(void *user, const struct finals_progress *p, struct asc_err *e)
{
	const double passed_ns = (double)(clock_now_ns() - told.began_ns), done = (double)p->done;
	const double part = (double)p->left_ns * done / (passed_ns * told.expected);

	(void)user, (void)e;
	if (p->step == FINALS_ROUND && p->done == 0)
		told.first_ns = p->left_ns;
	if (p->step != FINALS_ROUND || p->done == 0)
		return ASC_OK;
	told.rounds = p->done;
	told.left_ns = p->left_ns;
	told.most_ns = p->left_ns > told.most_ns ? p->left_ns : told.most_ns;
	told.most = part > told.most ? part : told.most;
	return ASC_OK;
}

struct bench {
	struct race race;
	struct worker_config *configs[MOST];
	struct result results[MOST];
	bool complete;
};

static void begin(struct bench *b)
{
	*b = (struct bench){.race = {.policy = policy_default, .watch = {hear, NULL, hear_finals}}};
	b->race.policy.sampling.warmup = 0;
	fault.kernel = NONE;
	unannounced = 0;
	scale = 1;
	memset(launches, 0, sizeof launches);
	memset(&told, 0, sizeof told);
	simulated_init(&device, launch, NULL);
	simulated_add_output(&device);
	device.write = write_output;
	has_sets = false;
	stale = 0;
	memset(met, 0, sizeof met);
	for (int i = 0; i < MOST; i++) {
		b->configs[i] = simulated_load(&device, (uint64_t)i, TRUTHS[i]);
		result_init(&b->results[i]);
	}
}

/* Has three sets of inputs, and a digest of outputs. */
static void add_sets(void)
{
	has_sets = true;
	simulated_add_sets(&device);
	with_digest = *device.problem->ops;
	with_digest.digest = digest;
	device.problem->ops = &with_digest;
}

static void run(struct bench *b)
{
	struct asc_err e;

	const enum asc_status s =
		worker_finals_run(b->configs, MOST, &b->race, 7, b->results, &b->complete, &e);

	tap_ok(!s, "finals: %s", s ? e.text : "ok");
	tap_int(unannounced, 0, "every launch was announced");
}

static void end(struct bench *b)
{
	for (int i = 0; i < MOST; i++) {
		worker_config_free(b->configs[i]);
		result_fini(&b->results[i]);
	}
	simulated_fini(&device);
}

static void expect(const struct bench *b, int i, enum result_status status, bool sampled)
{
	const struct result *r = &b->results[i];

	tap_str(result_status_name(r->status), result_status_name(status), "%d: %s", i,
		result_reason(r));
	tap_ok((r->n_samples > 0) == sampled, "%zu samples", r->n_samples);
}

/* ---- the tests ---- */

static void test_good(void)
{
	struct bench b;

	begin(&b);
	run(&b);
	for (int i = 0; i < MOST; i++) {
		expect(&b, i, RESULT_OK, true);
		tap_int((int64_t)b.results[i].n_metrics, 3, "what it takes of the device is known");
	}
	tap_int((int64_t)b.results[0].n_samples, ROUNDS, "kernel time for so many rounds");
	tap_int(launches[0], 1 + ROUNDS + 1, "one each, and verified before and after");
	tap_ok(b.complete, "all results count");
	end(&b);
}

static void test_hot(void)
{
	struct bench b;

	begin(&b);
	b.race.policy.cache = CACHE_HOT;
	run(&b);
	tap_ok(launches[0] >= 1 + 2 * ROUNDS + 1,
	       "every sample is behind a launch of its own: %lld", (long long)launches[0]);
	end(&b);
}

static void test_first_wrong(void)
{
	struct bench b;

	begin(&b);
	fault.kernel = 1;
	fault.from = 0;
	fault.how = WRITES_NOTHING;
	run(&b);
	expect(&b, 0, RESULT_OK, false);
	expect(&b, 1, RESULT_WRONG, false);
	expect(&b, 2, RESULT_OK, false);
	tap_ok(!b.complete, "the others are measured again without it");
	end(&b);
}

/* Only the launch after the rounds shows it. */
static void test_last_wrong(void)
{
	struct bench b;

	for (int nothing = 0; nothing < 2; nothing++) {
		begin(&b);
		fault.kernel = 1;
		fault.from = 1 + ROUNDS + 1;
		fault.how = nothing ? WRITES_NOTHING : WRITES_WRONG;
		run(&b);
		expect(&b, 0, RESULT_OK, true);
		expect(&b, 1, RESULT_WRONG, true);
		expect(&b, 2, RESULT_OK, true);
		tap_ok(!b.complete, "the others may have left for its times");
		end(&b);
	}
}

/* Outputs are right before each round but one: the kernel stops to write after its 2nd launch. */
static void test_round_wrong(void)
{
	struct bench b;

	begin(&b);
	fault.kernel = 1;
	fault.from = 2;
	fault.how = WRITES_NOTHING;
	run(&b);
	expect(&b, 1, RESULT_WRONG, true);
	tap_ok(!b.complete, "its rounds are nobody's");
	tap_ok(launches[1] <= 1 + b.race.policy.finals.fewest,
	       "noticed in one of the first rounds");
	end(&b);
}

static void test_refused(void)
{
	struct bench b;

	begin(&b);
	fault.kernel = 2;
	fault.from = 5;
	fault.how = IS_REFUSED;
	run(&b);
	expect(&b, 2, RESULT_LAUNCH_FAILED, true);
	tap_int((int64_t)b.results[0].status, RESULT_OK, "no other is to blame");
	tap_ok(!b.complete, "nor has it a result");
	end(&b);
}

static void test_damage(void)
{
	struct bench b;

	begin(&b);
	fault.kernel = 0;
	fault.from = 0;
	fault.how = DAMAGES;
	run(&b);
	expect(&b, 0, RESULT_WRONG, false);
	expect(&b, 1, RESULT_OK, false);
	tap_ok(!b.complete && launches[1] == 0, "none runs on what it has damaged");
	end(&b);
	begin(&b);
	fault.kernel = 0;
	fault.from = 1 + ROUNDS + 1;
	fault.how = DAMAGES;
	run(&b);
	expect(&b, 0, RESULT_WRONG, true);
	tap_ok(b.results[1].status == RESULT_OK && !b.complete, "nor is blamed for it at the end");
	end(&b);
}

static void test_time_is_up(void)
{
	struct bench b;

	begin(&b);
	b.race.until_ns = clock_now_ns();
	run(&b);
	for (int i = 0; i < MOST; i++)
		expect(&b, i, RESULT_OK, false);
	tap_int(device.launches, 0, "nothing is begun");
	end(&b);
}

/* While a sample of a busy machine is taken again. */
static void test_time_is_up_again(void)
{
	struct bench b;

	begin(&b);
	b.race.until_ns = busy_until_ns = clock_now_ns() + 300000000;
	run(&b);
	tap_int(device.launches, 6, "nothing is begun when time is up");
	for (int i = 0; i < MOST; i++)
		expect(&b, i, RESULT_OK, false);
	busy_until_ns = 0;
	end(&b);
}

/* Samples that are all disturbed: those that may be taken again would last as long as all of the
 * time; three quarters of it are for rounds. */
static void test_always_busy(void)
{
	struct bench b;

	begin(&b);
	nap_ns = 20000000;
	b.race.until_ns = clock_now_ns() + 700000000;
	run(&b);
	for (int i = 0; i < MOST; i++)
		tap_ok(b.results[i].n_samples >= 3, "%zu rounds", b.results[i].n_samples);
	nap_ns = 0;
	end(&b);
}

/* Finals that are too noisy to rank go on, but only while there is time for them. */
static void test_noisy(void)
{
	enum { NOISY = 20 };

	scatters = true;
	for (int time = 0; time < 2; time++) {
		struct bench b;

		begin(&b);
		b.race.policy.finals.rounds = b.race.policy.finals.fewest;
		b.race.policy.finals.free = 0;
		b.race.policy.finals.noisy = NOISY;
		b.race.policy.finals.ns = time ? INT64_MAX : 0;
		run(&b);
		tap_int((int64_t)b.results[0].n_samples, time ? NOISY : b.race.policy.finals.fewest,
			"%s time left: rounds", time ? "with" : "without");
		end(&b);
	}
	scatters = false;
}

/* The time that is said to be left is by the limit that is reached first. */
static void test_left(void)
{
	enum { LIMIT_NS = 40000000 };
	struct bench b;

	begin(&b);
	b.race.policy.finals.rounds = 100000;
	b.race.policy.finals.ns = 30000000; /* 10 rounds of 3 ms of kernel time */
	told.expected = 10;
	told.began_ns = clock_now_ns();
	run(&b);
	tap_int(told.rounds, 10, "kernel time ends the rounds");
	tap_ok(told.first_ns >= 29000000, "%lld ns before the first", (long long)told.first_ns);
	tap_ok(told.left_ns > 0 && told.most <= 1, "%.3g of what these leave, at most", told.most);
	end(&b);

	begin(&b);
	b.race.policy.finals.rounds = 100000;
	b.race.policy.finals.ns = INT64_MAX;
	b.race.policy.finals.fewest = 1;
	b.race.policy.finals.wall_ns = LIMIT_NS;
	told.began_ns = clock_now_ns();
	run(&b);
	tap_ok(told.rounds < 100000 && told.most_ns <= clock_now_ns() - told.began_ns,
	       "time on the clock ends the rounds: %lld ns left at most", (long long)told.most_ns);
	end(&b);

	begin(&b);
	b.race.policy.finals.rounds = 100000;
	b.race.policy.finals.ns = INT64_MAX;
	b.race.until_ns = clock_now_ns() + LIMIT_NS;
	run(&b);
	tap_ok(told.rounds < 100000 && told.most_ns <= LIMIT_NS,
	       "as the run's own limit does: %lld ns left at most", (long long)told.most_ns);
	end(&b);
}

/* A round has one set of inputs for all, and outputs begin with poison. The last set waits for the
 * end of the rounds. */
static void test_sets(void)
{
	enum { LAST = SIMULATED_SETS - 1 };
	struct bench b;

	begin(&b);
	add_sets();
	run(&b);
	for (int i = 0; i < MOST; i++) {
		expect(&b, i, RESULT_OK, true);
		/* The first on each set, the last, and that of a round that was drawn. */
		const int64_t verified = launches[i] - b.results[i].bits.compared;

		tap_int(b.results[i].bits.sets, SIMULATED_SETS, "on all sets");
		tap_ok(verified >= SIMULATED_SETS && verified <= SIMULATED_SETS + 2,
		       "%d: all but %lld launches are compared by their digests", i,
		       (long long)verified);
	}
	for (int set = 0; set < LAST; set++)
		tap_ok(met[set] >= MOST * ROUNDS / 10 && met[set] % MOST == 0,
		       "set %d was there in %lld launches", set, (long long)met[set]);
	tap_ok(met[LAST] > 0 && met[LAST] < MOST * ROUNDS / 10,
	       "the last in %lld, behind the rounds", (long long)met[LAST]);
	tap_int(stale, 0, "none found its own answer");
	tap_int((int64_t)device.problem->set, 0, "the first set is there at the end");
	tap_ok(b.complete, "all results count");
	end(&b);
}

/* The tie that will be chosen is launched on as often as rare faults need, less often where that
 * would take too long. */
static void test_launched_on(void)
{
	static const char *const keys[MOST] = {"K=3", "K=1", "K=2"};
	struct bench b;

	for (int best = 1; best <= 2; best++) {
		/* 0.1 ms, for which the promise is, or 1 ms */
		const int64_t enough = best == 2 ? POLICY_RACES_ENOUGH / 4 : POLICY_RACES_ENOUGH;

		begin(&b);
		add_sets();
		scale = best == 2 ? 1 : 0.1;
		b.race.begun_ns = clock_now_ns();
		for (int i = 0; i < MOST; i++)
			b.configs[i]->key = str_dup(keys[i]);
		b.configs[2]->is_best = best == 2;
		run(&b);
		for (int i = 0; i < MOST; i++) {
			const int64_t compared = b.results[i].bits.compared;

			expect(&b, i, RESULT_OK, true);
			if (i == best)
				tap_ok(compared >= enough && compared < enough + 100,
				       "%d is %s: %lld launches are compared", i,
				       best == 2 ? "the best on record" : "the first by its key",
				       (long long)compared);
			else
				tap_ok(compared >= POLICY_RACES_LEAST &&
					       compared < POLICY_RACES_ENOUGH / 4,
				       "%d ties with it: %lld are", i, (long long)compared);
		}
		end(&b);
	}
}

/* The kernel gives its answer again where it finds that, whatever the inputs are now. */
static void test_answers_for_a_moment(void)
{
	struct bench b;

	begin(&b);
	add_sets();
	b.race.begun_ns = clock_now_ns();
	fault.kernel = 0;
	fault.from = 0;
	fault.how = LASTS;
	run(&b);
	expect(&b, 0, RESULT_WRONG, true);
	expect(&b, 1, RESULT_OK, true);
	expect(&b, 2, RESULT_OK, true);
	tap_has(result_reason(&b.results[0]), "of which a part had just changed: ", "named: %s",
		result_reason(&b.results[0]));
	end(&b);
}

/* Timed on another set it gives the first one's answer, from its tenth launch on. */
static void test_answers_kept(void)
{
	struct bench b;

	for (int64_t from = 0; from <= 10; from += 10) {
		begin(&b);
		add_sets();
		fault.kernel = 1;
		fault.from = from;
		fault.how = KEEPS;
		run(&b);
		expect(&b, 0, RESULT_OK, true);
		expect(&b, 1, RESULT_WRONG, true);
		expect(&b, 2, RESULT_OK, true);
		tap_has(result_reason(&b.results[1]), "with the inputs of seed ", "named: %s",
			result_reason(&b.results[1]));
		tap_ok(launches[1] < ROUNDS, "noticed in the rounds: launch %lld",
		       (long long)launches[1]);
		tap_ok(b.complete && b.results[0].n_samples == b.results[2].n_samples,
		       "the others go on without it: %zu rounds", b.results[0].n_samples);
		tap_int((int64_t)device.problem->set, 0, "the first set is there at the end");
		end(&b);
	}
}

static enum asc_status stay(struct device *d, struct device_buffer *b, size_t to, bool keep,
			    struct asc_err *e)
{
	(void)d, (void)b, (void)to, (void)keep, (void)e;
	return ASC_OK;
}

static enum asc_status bind(struct device *d, struct device_kernel *k, const struct plan *plan,
			    struct device_buffer *const *tensors,
			    struct device_buffer *const *scratch, struct asc_err *e)
{
	(void)d, (void)k, (void)plan, (void)tensors, (void)scratch, (void)e;
	return ASC_OK;
}

/* The rounds before inputs change, four, in which the second is the fastest by far: nobody leaves
 * by them, and none of them counts. */
static void test_first_rounds(void)
{
	struct bench b;

	begin(&b);
	add_sets();
	with_digest.move = stay;
	with_digest.move_end = 1 << 16;
	with_digest.bind = bind;
	device.problem->workload->tensors[1].fill.kind = FILL_CONSTANT; /* nothing is unseen */
	b.race.unseen = 2;
	b.race.policy.tests.checks[0] = 2;
	remembers = true;
	run(&b);
	remembers = false;
	for (int i = 0; i < MOST; i++) {
		int64_t least_ns = INT64_MAX;

		expect(&b, i, RESULT_OK, true);
		for (size_t k = 0; k < b.results[i].n_samples; k++)
			if (b.results[i].samples[k] < least_ns)
				least_ns = b.results[i].samples[k];
		tap_ok(least_ns > (int64_t)TRUTHS[i] / 2, "the least of %zu samples is %lld ns",
		       b.results[i].n_samples, (long long)least_ns);
		tap_int((int64_t)b.results[i].n_samples, (int64_t)b.results[0].n_samples,
			"it takes part in all rounds");
	}
	end(&b);
}

/* It writes to inputs that are kept for other rounds. */
static void test_kept_set_spoilt(void)
{
	struct bench b;

	begin(&b);
	add_sets();
	fault.kernel = 1;
	fault.from = 1 + ROUNDS + 1;
	fault.how = SPOILS;
	run(&b);
	expect(&b, 0, RESULT_OK, true);
	expect(&b, 1, RESULT_WRONG, true);
	tap_has(result_reason(&b.results[1]), "wrote to tensor in", "named: %s",
		result_reason(&b.results[1]));
	tap_ok(!b.complete, "no other result counts");
	end(&b);
}

int main(void)
{
	test_good();
	test_sets();
	test_launched_on();
	test_answers_for_a_moment();
	test_answers_kept();
	test_first_rounds();
	test_kept_set_spoilt();
	test_hot();
	test_first_wrong();
	test_last_wrong();
	test_round_wrong();
	test_refused();
	test_damage();
	test_time_is_up();
	test_time_is_up_again();
	test_always_busy();
	test_noisy();
	test_left();
	return tap_done();
}
