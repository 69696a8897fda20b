#include "tests/simulated.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/workload/workload.h"

struct device {
	struct simulated *simulated;
};

struct device_kernel {
	double truth_ns;
};

struct device_buffer {
	float elements[SIMULATED_ELEMENTS];
};

static const double references[SIMULATED_SETS][SIMULATED_ELEMENTS] = {
	{1, 2, 3, 4}, {11, 12, 13, 14}, {21, 22, 23, 24}};
static const double *const reference = references[0];

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

static enum asc_status write_buffer(struct device *d, struct device_buffer *b, const void *data,
				    size_t bytes, struct asc_err *e)
{
	(void)d, (void)e;
	if (b)
		memcpy(b->elements, data, bytes);
	return ASC_OK;
}

static enum asc_status read_buffer(struct device *d, const struct device_buffer *b, void *data,
				   size_t bytes, struct asc_err *e)
{
	(void)d, (void)e;
	memcpy(data, b->elements, bytes);
	return ASC_OK;
}

static enum asc_status fill_buffer(struct device *d, struct device_buffer *b, int byte,
				   struct asc_err *e)
{
	if (d->simulated->lost)
		return asc_err_set(e, ASC_IO, "the device's context is lost");
	memset(b->elements, byte, sizeof b->elements);
	return ASC_OK;
}

static void *address(const struct device_buffer *b)
{
	return b ? (void *)(uintptr_t)b->elements : NULL;
}

enum asc_status simulated_fetch(struct device *d, const void *from, void *to, size_t bytes,
				struct asc_err *e)
{
	(void)d, (void)e;
	memcpy(to, from, bytes);
	return ASC_OK;
}

enum asc_status simulated_store(struct device *d, void *to, const void *from, size_t bytes,
				struct asc_err *e)
{
	return simulated_fetch(d, from, to, bytes, e);
}

static enum asc_status copy_buffer(struct device *d, struct device_buffer *b,
				   const struct device_buffer *from, struct asc_err *e)
{
	(void)d, (void)e;
	*b = *from;
	return ASC_OK;
}

static enum asc_status look(struct device *d, struct device_buffer *const *buffers, size_t n,
			    enum device_harm *harms, struct asc_err *e)
{
	(void)e;
	for (size_t i = 0; i < n; i++)
		harms[i] = d->simulated->damaged                 ? DEVICE_STRAY
			   : d->simulated->changed == buffers[i] ? DEVICE_CHANGED
								 : DEVICE_UNHARMED;
	return ASC_OK;
}

static enum asc_status facts(const struct device_sequence *kernels, struct result *out,
			     struct asc_err *e)
{
	(void)kernels;
	if (result_add_metric(out, RESULT_KERNEL, "registers", 64, "1", e) ||
	    result_add_metric(out, RESULT_KERNEL, "local_bytes", 0, "B", e))
		return e->status;
	return result_add_metric(out, RESULT_KERNEL, "shared_bytes", 1024, "B", e);
}

static enum asc_status flush(struct device *d, const struct device_sequence *kernels,
			     struct asc_err *e)
{
	(void)kernels;
	(void)e;
	d->simulated->flushes++;
	return ASC_OK;
}

static void observe(struct device *d, struct device_state *out)
{
	*out = (struct device_state){.mhz = d->simulated->mhz,
				     .interrupts = d->simulated->interrupts};
}

static const struct device_info *info(const struct device *d)
{
	static const struct device_info none;

	(void)d;
	return &none;
}

static bool lost(const struct device *d)
{
	return d->simulated->lost;
}

static void unload(struct device *d, struct device_kernel *k)
{
	d->simulated->loaded--;
	free(k);
}

static void write_output(struct simulated *s, const struct device_kernel *k)
{
	float *out = s->problem->buffers[0]->elements;

	if (s->write) {
		s->write(s->user, k->truth_ns, out);
		return;
	}
	for (size_t i = 0; i < SIMULATED_ELEMENTS; i++)
		out[i] = (float)reference[i];
}

static enum asc_status run(struct device *d, const struct device_sequence *kernels,
			   const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	struct simulated *s = d->simulated;
	const struct device_kernel *k = kernels->kernels[0];

	*ns = 0;
	for (int64_t i = 0; i < batch->launches; i++) {
		int64_t one = s->launch(s->user, k->truth_ns);
		if (one <= 0)
			return asc_err_set(e, ASC_IO, "refused on purpose");
		s->launches++;
		*ns += one;
		if (s->problem->buffers[0])
			write_output(s, k);
	}
	return ASC_OK;
}

static enum asc_status queue(struct device *d, const struct device_sequence *kernels, int64_t n,
			     struct asc_err *e)
{
	int64_t ns;

	return run(d, kernels, &(struct device_batch){.samples = 1, .launches = n}, &ns, e);
}

static enum asc_status wait_for_all(struct device *d, struct asc_err *e)
{
	(void)d, (void)e;
	return ASC_OK;
}

static enum asc_status protect(struct device *d, struct device_buffer *b, bool on,
			       struct asc_err *e)
{
	(void)d, (void)b, (void)on, (void)e;
	return ASC_OK;
}

static const struct device_ops ops = {.name = "simulated",
				      .protect = protect,
				      .summary = "launches take as long as a test says",
				      .info = info,
				      .lost = lost,
				      .release = release,
				      .write = write_buffer,
				      .read = read_buffer,
				      .fill = fill_buffer,
				      .copy = copy_buffer,
				      .fetch = simulated_fetch,
				      .store = simulated_store,
				      .address = address,
				      .look = look,
				      .flush = flush,
				      .observe = observe,
				      .unload = unload,
				      .launch = queue,
				      .wait = wait_for_all,
				      .run = run,
				      .facts = facts};

/* ---- the problem ---- */

static const struct problem nameless = {.name = ""};

void simulated_init(struct simulated *s, int64_t (*launch)(void *user, double truth_ns), void *user)
{
	*s = (struct simulated){
		.launch = launch, .user = user, .problem = need(sizeof *s->problem)};
	s->problem->ops = &ops;
	s->problem->device = need(sizeof *s->problem->device);
	s->problem->device->simulated = s;
	s->problem->workload = need(sizeof *s->problem->workload);
	s->problem->binding.problem = &nameless;
}

void simulated_fini(struct simulated *s)
{
	for (size_t set = 0; set < s->problem->n_sets; set++) {
		free(s->problem->kept[set]->inputs[1]);
		free(s->problem->kept[set]);
	}
	free(s->problem->buffers[1]);
	free(s->problem->binding.tensors);
	free(s->problem->workload->tensors);
	free(s->problem->buffers[0]);
	free(s->problem->staging);
	free(s->problem->device);
	free(s->problem->workload);
	free(s->problem);
}

void simulated_add_output(struct simulated *s)
{
	struct worker_problem *p = s->problem;
	struct bound_tensor *t = need(2 * sizeof *t);

	p->workload->n_tensors = 1;
	p->workload->tensors = need(2 * sizeof *p->workload->tensors);
	p->workload->tensors[0].name = "out";
	p->workload->tensors[0].role = ROLE_OUT;
	*t = (struct bound_tensor){.present = true,
				   .dtype = DTYPE_F32,
				   .rank = 1,
				   .shape = {SIMULATED_ELEMENTS},
				   .count = SIMULATED_ELEMENTS,
				   .bytes = SIMULATED_ELEMENTS * sizeof(float)};
	p->binding.tensors = t;
	p->buffers[0] = need(sizeof *p->buffers[0]);
	p->staging = need(sizeof *p->buffers[0]);
	p->reference.has[0] = true;
	p->reference.tensors[0] = reference;
}

void simulated_add_sets(struct simulated *s)
{
	struct worker_problem *p = s->problem;

	p->workload->n_tensors = 2;
	p->workload->tensors[1].name = "in";
	p->binding.tensors[1] = p->binding.tensors[0];
	p->binding.tensors[1].owner = 1;
	p->buffers[1] = need(sizeof *p->buffers[1]);
	p->n_sets = SIMULATED_SETS;
	for (size_t set = 0; set < p->n_sets; set++) {
		p->kept[set] = need(sizeof *p->kept[set]);
		p->kept[set]->inputs[1] = need(sizeof *p->buffers[1]);
		p->kept[set]->inputs[1]->elements[0] = (float)set;
		p->seeds[set] = set + 1;
		if (set > 0)
			p->references[set] = p->reference;
		p->references[set].tensors[0] = references[set];
	}
}

int simulated_set(const struct simulated *s)
{
	return (int)s->problem->buffers[1]->elements[0];
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

	c->kernels[0] = need(sizeof *c->kernels[0]);
	c->kernels[0]->truth_ns = truth_ns;
	c->sequence = (struct device_sequence){c->kernels, 1};
	c->calls = need(sizeof *c->calls);
	c->id = id;
	c->problem = s->problem;
	s->loaded++;
	return c;
}
