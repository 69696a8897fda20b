#include "tests/simulated.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/model/workload.h"

struct device {
	struct simulated *simulated;
};

struct device_kernel {
	double truth_ns;
};

static void *need(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

/* ---- the device ---- */

static void release(struct device *d, struct device_buffer *b)
{
	(void)d, (void)b;
}

static enum asc_status write_nothing(struct device *d, struct device_buffer *b, const void *data,
				     size_t bytes, struct asc_err *e)
{
	(void)d, (void)b, (void)data, (void)bytes, (void)e;
	return ASC_OK;
}

static enum asc_status flush(struct device *d, struct asc_err *e)
{
	(void)d, (void)e;
	return ASC_OK;
}

static void observe(struct device *d, struct device_state *out)
{
	*out = (struct device_state){.mhz = d->simulated->mhz};
}

static bool lost(const struct device *d)
{
	(void)d;
	return false;
}

static void unload(struct device *d, struct device_kernel *k)
{
	d->simulated->loaded--;
	free(k);
}

static enum asc_status run(struct device *d, struct device_kernel *k,
			   const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	struct simulated *s = d->simulated;

	*ns = 0;
	for (int64_t i = 0; i < batch->launches; i++) {
		int64_t one = s->launch(s->user, k->truth_ns);
		if (one <= 0)
			return asc_err_set(e, ASC_IO, "refused on purpose");
		s->launches++;
		*ns += one;
	}
	return ASC_OK;
}

static const struct device_ops ops = {.version = DEVICE_OPS_VERSION,
				      .name = "simulated",
				      .summary = "launches take as long as a test says",
				      .lost = lost,
				      .release = release,
				      .write = write_nothing,
				      .flush = flush,
				      .observe = observe,
				      .unload = unload,
				      .run = run};

/* ---- the problem ---- */

void simulated_init(struct simulated *s, int64_t (*launch)(void *user, double truth_ns), void *user)
{
	*s = (struct simulated){
		.launch = launch, .user = user, .problem = need(sizeof *s->problem)};
	s->problem->ops = &ops;
	s->problem->device = need(sizeof *s->problem->device);
	s->problem->device->simulated = s;
	s->problem->workload = need(sizeof *s->problem->workload);
}

void simulated_fini(struct simulated *s)
{
	free(s->problem->binding.tensors);
	free(s->problem->device);
	free(s->problem->workload);
	free(s->problem);
}

void simulated_add_inout(struct simulated *s)
{
	s->problem->workload->n_tensors = 1;
	s->problem->binding.tensors = need(sizeof *s->problem->binding.tensors);
	s->problem->host[0] = s;
}

struct worker_config *simulated_load(struct simulated *s, uint64_t id, double truth_ns)
{
	struct worker_config *c = need(sizeof *c);

	c->kernel = need(sizeof *c->kernel);
	c->kernel->truth_ns = truth_ns;
	c->id = id;
	c->problem = s->problem;
	s->loaded++;
	return c;
}
