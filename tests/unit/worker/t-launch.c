/* What a launch has left where it must not write, on a device that is not there.
 * covers: launch.c measurement.c harm.c */
#include "tuner/worker/launch.h"

#include <stdio.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

static const struct device_buffer *changed, *damaged;
static int64_t stray;

static int64_t find_stray(const struct device_buffer *b)
{
	(void)b;
	return stray;
}
static bool silent; /* the device does not say */

static bool falsified;

static bool is_falsified(const struct device *d)
{
	(void)d;
	return falsified;
}

static enum asc_status find_harms(struct device *d, struct device_buffer *const *buffers, size_t n,
				  enum device_harm *harms, struct asc_err *e)
{
	(void)d;
	if (silent)
		return asc_err_set(e, ASC_IO, "a copy failed");
	for (size_t i = 0; i < n; i++)
		harms[i] = buffers[i] == damaged   ? DEVICE_STRAY
			   : buffers[i] == changed ? DEVICE_CHANGED
						   : DEVICE_UNHARMED;
	return ASC_OK;
}

static const double FATAL_NS = 7000; /* truth of a kernel that ends the device's context */

static int64_t launch(void *user, double truth_ns)
{
	((struct simulated *)user)->lost |= truth_ns == FATAL_NS;
	return truth_ns == FATAL_NS ? 0 : (int64_t)truth_ns;
}

/* The reason that the result gets; "" when it passes. */
static const char *look(struct simulated *s, struct worker_config *c)
{
	static char reason[200];
	struct result r = {0};
	struct measurement p = {.config = c, .result = &r};

	(void)s;
	bool passed = launch_check_bounds(&p, PHASE_MEASURE);
	tap_ok(passed == (r.status == RESULT_OK) && passed == !c->harmful,
	       "what fails is harmful: nothing else is measured there");
	(void)snprintf(reason, sizeof reason, "%s", passed ? "" : result_reason(&r));
	result_fini(&r);
	return reason;
}

static enum result_status refuse(struct worker_config *c, enum asc_status s)
{
	struct result r = {0};
	struct measurement p = {.config = c, .result = &r};
	const struct asc_err e = {.status = s, .text = "the device says so"};

	(void)measurement_refuse(&p, RESULT_LAUNCH_FAILED, &e);
	const enum result_status status = r.status;

	result_fini(&r);
	return status;
}

static enum asc_status hear(void *user, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e)
{
	(void)id, (void)phase, (void)e;
	if (step)
		*(size_t *)user = step;
	return ASC_OK;
}

/* Two calls, the second of which ends the context: nothing is asked of the device from then on. */
static void test_calls(struct simulated *s, const struct json_node *a_node)
{
	size_t announced = 0;
	struct race race = {.watch = {hear, &announced, NULL}};
	struct implementation two = {.n_calls = 2};
	struct worker_config *c = simulated_load(s, 1, 1000),
			     *fatal = simulated_load(s, 2, FATAL_NS);
	struct result r = {0};
	struct measurement p = {.race = &race, .config = c, .result = &r};
	struct asc_err e = {0};
	int64_t ns;

	for (size_t i = 0; i < 2; i++)
		two.calls[i] =
			(struct callable){.source = i ? "second.cu" : "first.cu", .node = a_node};
	c->implementation = &two;
	c->kernels[1] = fatal->kernels[0];
	c->sequence.n = 2;
	r.status = RESULT_OK;
	tap_int(launch_verify(&p, &ns, &e), ASC_OK, "a call that ends the context is a result");
	tap_int(r.status, RESULT_CRASHED, "it is a crash");
	tap_str(result_reason(&r), "calls[1], second.cu: refused on purpose", "its call is named");
	tap_int((int64_t)announced, 2, "calls are announced one by one");
	result_fini(&r);
	c->sequence.n = 1;
	worker_config_free(c);
	worker_config_free(fatal);
}

static struct {
	const struct device_ops *real;
	struct device_sequence sequence;
	bool refuses, is_empty; /* a launch is not recorded; its graph does nothing */
	int replays;
} graph;

static enum asc_status capture(struct device *d, const struct device_sequence *s, struct asc_err *e)
{
	(void)d;
	graph.sequence = *s;
	return graph.refuses ? asc_err_set(e, ASC_IO, "the stream is captured") : ASC_OK;
}

static enum asc_status replay(struct device *d, struct asc_err *e)
{
	graph.replays++;
	return graph.is_empty ? ASC_OK : graph.real->launch(d, &graph.sequence, 1, e);
}

/* A launch as a graph, which nothing follows in the process. */
static void test_graph(struct simulated *s, struct device_ops *ops)
{
	size_t announced = 0;
	struct race race = {.watch = {hear, &announced, NULL}};
	struct worker_config *c = simulated_load(s, 1, 1000);
	struct result r = {.status = RESULT_OK, .phase = PHASE_MEASURE};
	struct measurement m = {.race = &race, .config = c, .result = &r};
	struct asc_err e = {0};
	bool passes = false;

	graph.real = s->problem->ops;
	ops->capture = capture;
	ops->replay = replay;
	tap_ok(launch_try_graph(&m, &passes, &e) == ASC_OK && passes, "a launch is recorded");
	tap_int(graph.replays, 1, "and its graph launched once");
	tap_ok(c->harmful, "the process is of no more use");
	graph.is_empty = true;
	tap_ok(launch_try_graph(&m, &passes, &e) == ASC_OK && !passes,
	       "a graph without the launch's work is none");
	graph.refuses = true;
	tap_ok(launch_try_graph(&m, &passes, &e) == ASC_OK && !passes,
	       "a launch that is not recorded");
	tap_int(graph.replays, 2, "is not launched as a graph");
	tap_int(r.status, RESULT_OK, "what was measured before stands");
	result_fini(&r);
	worker_config_free(c);
}

int main(void)
{
	static const struct {
		int64_t at;
		const char *reason;
	} strays[] = {{0, "wrote outside of tensor out"},
		      {1, "wrote outside of tensor out, just past its end"},
		      {2, "wrote outside of tensor out, 1 byte past its end"},
		      {25, "wrote outside of tensor out, 24 bytes past its end"},
		      {-1, "wrote outside of tensor out, 1 byte before its start"},
		      {-8, "wrote outside of tensor out, 8 bytes before its start"}};
	static char copy;
	struct simulated s;

	simulated_init(&s, launch, &s);
	simulated_add_output(&s);
	struct worker_problem *p = s.problem;
	struct device_ops ops = *p->ops;
	ops.look = find_harms;
	p->ops = &ops;
	struct worker_config *c = simulated_load(&s, 1, 1000);

	tap_str(look(&s, c), "", "nothing was touched");
	p->expected[0] = (struct device_buffer *)(void *)&copy;
	tap_str(look(&s, c), "", "nor is the device's copy of the reference");
	changed = p->expected[0];
	tap_str(look(&s, c), "wrote outside of its tensors, to the reference of tensor out",
		"a write into the reference is the kernel's that made it");
	changed = NULL;
	damaged = p->expected[0];
	tap_str(look(&s, c), "wrote outside of its tensors, to the reference of tensor out",
		"and so is one beside it");
	damaged = NULL;
	ops.falsified = is_falsified;
	tap_str(look(&s, c), "", "what variables begin with was not touched");
	falsified = true;
	tap_str(look(&s, c),
		"wrote outside of its tensors, to the copy of what variables of its module begin "
		"with",
		"a write to the device's copy of that is one");
	falsified = false;
	damaged = p->buffers[0];
	tap_str(look(&s, c), "wrote outside of tensor out", "or beside the output");
	ops.find_stray = find_stray;
	for (size_t i = 0; i < sizeof strays / sizeof *strays; i++) {
		stray = strays[i].at;
		tap_str(look(&s, c), strays[i].reason, "a stray write at %lld", (long long)stray);
	}
	damaged = NULL;
	silent = true;
	tap_str(look(&s, c), "a copy failed",
		"a device that does not say has no harm of the kernel's");
	silent = false;
	p->expected[0] = NULL;
	tap_int(refuse(c, ASC_IO), RESULT_LAUNCH_FAILED, "a launch that fails");
	tap_int(refuse(c, ASC_TIMEOUT), RESULT_TIMEOUT, "one that the device stops");
	tap_int(refuse(c, ASC_ABSENT), RESULT_UNSUPPORTED, "one that it cannot do");
	worker_config_free(c);
	test_graph(&s, &ops);
	test_calls(&s, (const struct json_node *)(const void *)&copy);
	simulated_fini(&s);
	return tap_done();
}
