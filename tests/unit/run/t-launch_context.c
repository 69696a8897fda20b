/* What a launch has left where it must not write, on a device that is not there. */
#include "tuner/run/launch_context.h"

#include <stdio.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_problem.h"

static const struct device_buffer *changed, *damaged;

static void find_harms(struct device *d, struct device_buffer *const *buffers, size_t n,
		       enum device_harm *harms)
{
	(void)d;
	for (size_t i = 0; i < n; i++)
		harms[i] = buffers[i] == damaged   ? DEVICE_STRAY
			   : buffers[i] == changed ? DEVICE_CHANGED
						   : DEVICE_UNHARMED;
}

static int64_t launch(void *user, double truth_ns)
{
	(void)user;
	return (int64_t)truth_ns;
}

/* The reason that the result gets; "" when it passes. */
static const char *look(struct simulated *s, struct worker_config *c)
{
	static char reason[200];
	struct result r = {0};
	struct launch_context p = {.config = c, .result = &r};

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
	struct launch_context p = {.config = c, .result = &r};
	const struct asc_err e = {.status = s, .text = "the device says so"};

	(void)launch_refuse(&p, RESULT_LAUNCH_FAILED, &e);
	const enum result_status status = r.status;

	result_fini(&r);
	return status;
}

int main(void)
{
	static char copy;
	struct simulated s;

	simulated_init(&s, launch, NULL);
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
	damaged = p->buffers[0];
	tap_str(look(&s, c), "wrote outside of tensor out", "or beside the output");
	p->expected[0] = NULL;
	tap_int(refuse(c, ASC_IO), RESULT_LAUNCH_FAILED, "a launch that fails");
	tap_int(refuse(c, ASC_TIMEOUT), RESULT_TIMEOUT, "one that the device stops");
	tap_int(refuse(c, ASC_ABSENT), RESULT_UNSUPPORTED, "one that it cannot do");
	worker_config_free(c);
	simulated_fini(&s);
	return tap_done();
}
