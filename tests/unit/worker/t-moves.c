/* Tensors that move: where to, who is bound anew and when, and a kernel that goes by an address of
 * before. Outputs that hold the answer already: who is found to need less time then. Inputs that
 * nobody has seen, or that are put anew: who is found to need more.
 * covers: worker_problem.c worker_config.c launch.c own_answer.c unseen_inputs.c */
#include <string.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/own_answer.h"
#include "tuner/worker/unseen_inputs.h"

enum { OUT, IN, TENSORS, END = 64 << 10, PAGE = 4096, MOVES = 100 };

static struct simulated device;
static struct device_ops ops;
static struct device_info info;
static size_t at[TENSORS]; /* places of the tensors */
static size_t bound_at;    /* of the output, when the kernel was bound last */
static int binds, unbound; /* launches of a kernel that is bound to where nothing lies */
static bool replaced;      /* another set takes the input's place */
static bool stale;         /* the kernel writes to where the output lay first */
static double saved;       /* part of a launch that is saved where the answer is there */
static bool disturbed;     /* each launch is */
static int64_t answered;   /* launches that found it */
static int64_t new_ns;     /* time of the first launch at a place; 0: as of the others there */
static int64_t put_ns;     /* and of those */
static size_t met_at;      /* place of the last launch */

static int64_t launch(void *user, double truth_ns)
{
	float now[SIMULATED_ELEMENTS];
	struct asc_err e;

	(void)user;
	(void)ops.read(device.problem->device, device.problem->buffers[OUT], now, sizeof now, &e);
	device.interrupts += disturbed;
	unbound += bound_at != at[OUT];
	if (new_ns > 0) {
		const int64_t ns = met_at != at[OUT] ? new_ns : put_ns;

		met_at = at[OUT];
		return ns;
	}
	if (now[0] != 1)
		return (int64_t)truth_ns;
	answered++;
	return (int64_t)(truth_ns * (1 - saved));
}

static void write_output(void *user, double truth_ns, float *out)
{
	(void)user, (void)truth_ns;
	for (int i = 0; i < SIMULATED_ELEMENTS && !(stale && at[OUT] > 0); i++)
		out[i] = (float)(i + 1);
}

static enum asc_status move(struct device *d, struct device_buffer *b, size_t to, bool keep,
			    struct asc_err *e)
{
	const int i = b == device.problem->buffers[OUT] ? OUT : IN;

	(void)d, (void)e;
	tap_ok(to % DEVICE_MOVE_STEP == 0 && to < END && to != at[i] &&
		       keep == (i == IN && !replaced),
	       "tensor %d moves from %zu to %zu", i, at[i], to);
	at[i] = to;
	return ASC_OK;
}

static enum asc_status bind(struct device *d, struct device_kernel *k, const struct plan *plan,
			    struct device_buffer *const *tensors,
			    struct device_buffer *const *scratch, struct asc_err *e)
{
	(void)d, (void)k, (void)plan, (void)tensors, (void)scratch, (void)e;
	binds++;
	bound_at = at[OUT];
	return ASC_OK;
}

static const struct device_info *get_info(const struct device *d)
{
	(void)d;
	return &info;
}

static enum asc_status hear(void *user, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e)
{
	(void)user, (void)id, (void)phase, (void)step, (void)e;
	return ASC_OK;
}

struct bench {
	struct race race;
	struct result result;
	struct measurement m;
	struct rng rng;
};

static void begin(struct bench *b, bool shares_host)
{
	simulated_init(&device, launch, NULL);
	simulated_add_output(&device);
	simulated_add_sets(&device);
	device.write = write_output;
	ops = *device.problem->ops;
	ops.move = move;
	ops.move_end = END;
	ops.bind = bind;
	ops.info = get_info;
	device.problem->ops = &ops;
	info.shares_host = shares_host;
	memset(at, 0, sizeof at);
	bound_at = 0;
	binds = unbound = 0;
	answered = 0;
	*b = (struct bench){.race = {.policy = policy_default, .watch = {.phase = hear}}};
	b->m = (struct measurement){
		.race = &b->race, .config = simulated_load(&device, 1, 1e6), .result = &b->result};
	result_init(&b->result);
	b->result.status = RESULT_OK;
	rng_init(&b->rng, 3);
}

static void end(struct bench *b)
{
	worker_config_free(b->m.config);
	result_fini(&b->result);
	simulated_fini(&device);
}

static void check_places(bool shares_host)
{
	struct bench b;
	struct asc_err e;
	int same = 0;

	begin(&b, shares_host);
	for (int i = 0; i < MOVES; i++) {
		(void)worker_problem_move(device.problem, &b.rng, 0, &e);
		same += at[OUT] % PAGE == at[IN] % PAGE;
	}
	if (shares_host)
		tap_int(same, MOVES, "both tensors lie at the same place of a page as before");
	else
		tap_ok(same < MOVES / 2, "distances are any: %d of %d are pages", same, MOVES);
	tap_int(binds, 0, "nothing is bound for that");
	(void)launch_untimed(&b.m, 1, &e);
	(void)launch_untimed(&b.m, 1, &e);
	tap_int(binds, 1, "a launch is, once");
	replaced = true;
	(void)launch_move(&b.m, &b.rng, 2, &e);
	replaced = false;
	tap_int(simulated_set(&device), 2, "another set comes with a move");
	(void)launch_queue(&b.m, true, 1, &e);
	tap_int(binds, 2, "a queued launch follows, too");
	tap_int(unbound, 0, "no launch was made where nothing lies");
	end(&b);
}

static void check_stale(bool goes_by_the_first)
{
	struct bench b;
	struct asc_err e;

	begin(&b, true);
	stale = goes_by_the_first;
	tap_int(launch_verify_moved(&b.m, &b.rng, &e), ASC_OK, "verified at another place");
	tap_str(result_status_name(b.result.status), stale ? "wrong" : "ok", "%s",
		result_reason(&b.result));
	if (stale)
		tap_ok(strncmp(result_reason(&b.result),
			       "with its tensors at other addresses: ", 37) == 0,
		       "which the reason says");
	stale = false;
	end(&b);
}

static void check_answer(double part, bool busy, enum result_status status)
{
	struct bench b;
	struct asc_err e;

	begin(&b, true);
	saved = part;
	disturbed = busy;
	b.race.policy.cache = CACHE_HOT;
	tap_int(own_answer_test(&b.m, &b.rng, &e), ASC_OK, "%.2f saved", part);
	own_answer_forget(b.m.config->problem);
	tap_str(result_status_name(b.result.status), result_status_name(status), "%s",
		result_reason(&b.result));
	tap_ok(answered > 0, "launches found their answer");
	tap_ok(status != RESULT_OK || device.launches < 12, "%d launches", (int)device.launches);
	saved = 0;
	disturbed = false;
	end(&b);
}

enum { SAMPLES = 3, SAMPLE_NS = 20000 };

/* A kernel of 20 us takes so long at new addresses, and where it was launched before. */
static void check_unseen(int64_t first_ns, int64_t then_ns, bool busy, const char *reason)
{
	static int64_t samples[SAMPLES] = {SAMPLE_NS, SAMPLE_NS, SAMPLE_NS};
	struct bench b;
	struct asc_err e;

	begin(&b, true);
	struct measurement *m = &b.m;

	device.problem->workload->tensors[IN].fill.kind =
		FILL_CONSTANT; /* addresses alone are new */
	new_ns = first_ns;
	put_ns = then_ns;
	met_at = 0;
	disturbed = busy;
	b.result.samples = samples;
	b.result.n_samples = SAMPLES;
	tap_int(unseen_inputs_test(&m, 1, 1, 0, &e), ASC_OK, "%d us, then %d%s",
		(int)(first_ns / 1000), (int)(then_ns / 1000), busy ? ", disturbed" : "");
	tap_str(b.result.status == RESULT_OK ? "" : result_reason(&b.result), reason, "%s",
		*reason ? "is wrong" : "passes");
	b.result.samples = NULL;
	b.result.n_samples = 0;
	new_ns = 0;
	disturbed = false;
	end(&b);
}

int main(void)
{
	check_unseen(30000, 20000, false, "");
	check_unseen(60000, 20000, false,
		     "takes 3 x as long where its tensors lie at other addresses");
	check_unseen(60000, 60000, false, "");
	check_unseen(60000, 20000, true, "");
	check_unseen(600000, 20000, true,
		     "takes 30 x as long where its tensors lie at other addresses");
	check_unseen(600000, 600000, true, "");
	check_unseen(600000, 600000, false,
		     "takes 30 x as long where its inputs were put there anew, at other addresses");
	check_places(true);
	check_places(false);
	check_stale(false);
	check_stale(true);
	check_answer(0, false, RESULT_OK);
	check_answer(0.15, false, RESULT_OK);
	check_answer(0.3, false, RESULT_WRONG);
	check_answer(0.9, false, RESULT_WRONG);
	check_answer(0, true, RESULT_OK);
	check_answer(0.9, true, RESULT_WRONG);
	return tap_done();
}
