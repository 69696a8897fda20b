/* The exporter `t1`: the spaces of a workload on a device in the FAIR autotuning "T1" format, a
 * file for each problem and implementation. */
#include <string.h>

#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/t1.h"

struct spaces {
	const struct export_request *request;
	const struct problem *problem;
	const struct implementation *implementation;
	const struct sink_kind *kind;
	struct sink *to;
};

static struct t1_kernel kernel_of(const struct spaces *s, size_t call)
{
	const struct callable *c = &s->implementation->calls[call];
	const char *entry = callable_entry(c, s->request->device);
	/* The format has no C for processors; OpenCL is nearest. */
	struct t1_kernel k = {.language = strcmp(c->builder, "nvrtc") == 0 ? "CUDA" : "OpenCL",
			      .name = entry ? entry : c->source, /* a vendor library's function */
			      .file = c->source,
			      .device = s->request->device_model};

	for (size_t i = 0; i < 3; i++) {
		k.global[i] = c->launch.grid[i].text;
		k.local[i] = c->launch.block[i].text;
	}
	return k;
}

static enum asc_status export_space(void *user, const struct space_spec *spec, struct asc_err *e)
{
	struct spaces *s = user;
	const size_t n = s->implementation->n_calls;
	struct t1_kernel kernels[WORKLOAD_MAX_CALLS];
	const char *parts[] = {s->request->workload->name, s->problem->name,
			       s->implementation->name,
			       s->request->limits ? s->request->limits->name : s->request->device};
	struct buf name = {0}, text = {0};
	struct json_writer w = {&text, false};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		sink_add_name(&name, parts[i]);
	for (size_t k = 0; k < n; k++)
		kernels[k] = kernel_of(s, k);
	enum asc_status status = t1_write(&w, buf_str(&name), spec, kernels, n, e);

	buf_add_char(&text, '\n');
	buf_add_str(&name, "_T1.json");
	if (status == ASC_OK)
		status = buf_check(&name, e);
	if (status == ASC_OK)
		status = sink_add(s->to, s->kind, buf_str(&name), &text, e);
	buf_fini(&name);
	buf_fini(&text);
	return status;
}

static enum asc_status export_implementations(struct spaces *s, const struct binding *b,
					      struct asc_err *e)
{
	const struct workload *w = s->request->workload;
	char reason[512];
	bool covers = false;

	for (size_t k = 0; k < w->n_implementations; k++) {
		s->implementation = &w->implementations[k];
		if (s->request->implementation &&
		    strcmp(s->request->implementation, s->implementation->name) != 0)
			continue;
		/* An implementation that does not run on this device has no space here; that is no
		 * failure. */
		if (binding_covers(b, s->implementation, &covers, reason, sizeof reason, e))
			return e->status;
		if (covers && binding_visit_spec(b, s->implementation, export_space, s, e))
			return asc_err_wrap(e, "%s: problem %s: implementation %s", w->path,
					    s->problem->name, s->implementation->name);
	}
	return ASC_OK;
}

static enum asc_status export_t1(const struct exporter_ops *self, const struct export_request *r,
				 struct sink *to, struct asc_err *e)
{
	struct spaces s = {.request = r, .kind = &self->kind, .to = to};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < r->workload->n_problems; i++) {
		struct binding b = {0};

		s.problem = &r->workload->problems[i];
		if (r->problem && !problem_is_called(s.problem, r->problem))
			continue;
		status = binding_init(&b, r->workload, s.problem, r->device, r->facts, e);
		b.limits = r->limits; /* conditions of the device are a part of its space */
		if (status == ASC_OK)
			status = export_implementations(&s, &b, e);
		binding_fini(&b);
	}
	if (status == ASC_OK && to->n == 0)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "%s: nothing of it that is asked for runs on %s",
				     r->workload->path, r->device);
	return status;
}

const struct exporter_ops t1_exporter = {
	.name = "t1",
	.summary = "*_T1.json: a workload's search spaces, as Kernel Tuner reads them",
	.needs = EXPORT_SPACES,
	.kind = {.begins = "{\"General\":{\"FormatVersion\":1,\"BenchmarkName\":\""},
	.write = export_t1,
};
