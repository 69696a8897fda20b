#include "tuner/cmd/workload_markdown.h"

#include <stdint.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

/* One section for each file:
 *
 *   1. operator, file and description;
 *   2. its problems, a ladder in one row;
 *   3. its implementations, a row for each device that they cover a problem on, with the least and
 *      the most configurations that these problems have; then those that cannot be called.
 */

enum { MOST_TEXT = 400 /* characters of a description or reason; longer ones are cut */ };

/* Devices that spaces are counted for. Facts that a model does not say are unknown, and leave
 * nothing out; a processor has none. Tables of verdicts are of one compiler, and do not count. */
static const struct {
	const char *device, *model; /* model NULL: none */
	const char *name;
} targets[] = {{"cpu", NULL, "CPU"},
	       {"cuda", "sm_90", "`sm_90`"},
	       {"npu", "Ascend910B3", "`Ascend910B3`"}};

static const struct escape prose[] = {{'|', "\\|"}, {'<', "&lt;"},  {'&', "&amp;"}, {'*', "\\*"},
				      {'`', "\\`"}, {'\\', "\\\\"}, {'\n', " "},    {0, NULL}};
static const struct escape code[] = {{'|', "\\|"}, {'`', "'"}, {'\n', " "}, {0, NULL}};

static void print_prose(const char *text, struct buf *out)
{
	if (*escape_add(out, text, MOST_TEXT, prose))
		buf_add_str(out, "...");
}

static void print_code(const char *text, struct buf *out)
{
	buf_add_char(out, '`');
	(void)escape_add(out, text, SIZE_MAX, code);
	buf_add_char(out, '`');
}

/* ---- problems ---- */

/* Appends the sizes of a list: "1 4 16", of a long one "1 … 8192 (14 sizes)". */
static void print_steps(const struct dimension *d, struct buf *out)
{
	enum { MOST = 4 };

	if (d->n_steps > MOST) {
		buf_print(out, "%lld … %lld (%zu sizes)", (long long)d->steps[0],
			  (long long)d->steps[d->n_steps - 1], d->n_steps);
		return;
	}
	for (size_t i = 0; i < d->n_steps; i++)
		buf_print(out, "%s%lld", i ? " " : "", (long long)d->steps[i]);
}

static void print_problem(const struct problem *p, struct buf *out)
{
	char text[64];

	buf_add_str(out, "| ");
	print_code(p->ladder ? p->ladder : p->name, out);
	buf_add_str(out, " | ");
	for (size_t i = 0; i < p->n_dims; i++) {
		const struct dimension *d = &p->dims[i];

		buf_print(out, "%s%s = ", i ? ", " : "", d->name);
		value_print(d->value, text, sizeof text);
		if (d->n_steps)
			print_steps(d, out);
		else
			buf_add_str(out, text);
	}
	buf_add_str(out, " | ");
	for (size_t i = 0; i < p->n_dtypes; i++)
		buf_print(out, "%s%s = %s", i ? ", " : "", p->dtypes[i].name,
			  dtype_name(p->dtypes[i].dtype));
	buf_add_str(out, " | ");
	for (size_t i = 0; i < p->devices.n; i++)
		buf_print(out, "%s%s", i ? ", " : "", p->devices.names[i]);
	buf_add_str(out, p->devices.names ? " | " : "all | ");
	for (size_t i = 0; i < p->tags.n; i++) {
		buf_add_str(out, i ? ", " : "");
		print_prose(p->tags.names[i], out);
	}
	buf_add_str(out, " |\n");
}

static void print_problems(const struct workload *w, struct buf *out)
{
	buf_add_str(out, "\n| problem | sizes | types | devices | tags |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < w->n_problems; i++) {
		const struct problem *p = &w->problems[i];

		/* Problems of one ladder stand side by side and share its name. */
		if (i == 0 || !p->ladder || p->ladder != p[-1].ladder)
			print_problem(p, out);
	}
}

/* ---- implementations ---- */

struct counts { /* over the problems that an implementation covers on a device */
	size_t problems;
	double combinations;  /* the most */
	uint64_t least, most; /* configurations */
};

static enum asc_status count(const struct workload *w, const struct problem *p,
			     const struct implementation *i, size_t target, struct counts *c,
			     struct asc_err *e)
{
	const char *model = targets[target].model;
	struct limits limits;
	struct binding b = {0};
	struct space *s = NULL;
	char reason[512];
	bool covers = false;

	if (!name_list_has(&p->devices, targets[target].device))
		return ASC_OK;
	if (model && !limits_find(model, &limits))
		return asc_err_set(e, ASC_NOTFOUND, "no model %s", model);
	enum asc_status status =
		binding_init(&b, w, p, targets[target].device, model ? &limits.facts : NULL, e);

	b.limits = model ? &limits : NULL;
	if (status == ASC_OK)
		status = binding_covers(&b, i, &covers, reason, sizeof reason, e);
	if (status == ASC_OK && covers)
		status = binding_space(&b, i, &s, e);
	if (s) {
		const uint64_t n = space_count(s);
		const double all = space_cartesian(s);

		c->least = c->problems == 0 || n < c->least ? n : c->least;
		c->most = n > c->most ? n : c->most;
		c->combinations = all > c->combinations ? all : c->combinations;
		c->problems++;
	}
	space_free(s);
	binding_fini(&b);
	return status;
}

/* Appends what an implementation is made of: its builder and source, of several calls each. */
static void print_parts(const struct implementation *i, struct buf *out)
{
	for (size_t k = 0; k < i->n_calls; k++) {
		const struct callable *c = &i->calls[k];

		buf_add_str(out, k ? ", " : "");
		if (strcmp(c->builder, "vendor") != 0)
			buf_print(out, "%s ", c->builder);
		print_code(c->source, out);
	}
}

static void begin_row(const struct implementation *i, struct buf *out)
{
	buf_add_str(out, "| ");
	print_code(i->name, out);
	if (i->index >= 0)
		buf_print(out, " | %lld | ", (long long)i->index);
	else
		buf_add_str(out, " | | ");
}

static void print_devices(const struct implementation *i, struct buf *out)
{
	for (size_t k = 0; k < i->devices.n; k++)
		buf_print(out, "%s%s", k ? ", " : "", i->devices.names[k]);
	buf_add_str(out, i->devices.names ? " | " : "all | ");
}

static enum asc_status print_implementation(const struct workload *w,
					    const struct implementation *i, struct buf *out,
					    struct asc_err *e)
{
	bool shown = false;

	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		struct counts c = {0};

		if (!name_list_has(&i->devices, targets[t].device))
			continue;
		for (size_t p = 0; p < w->n_problems; p++)
			if (count(w, &w->problems[p], i, t, &c, e))
				return asc_err_wrap(e, "%s: problem %s: implementation %s", w->path,
						    w->problems[p].name, i->name);
		if (c.problems == 0)
			continue;
		shown = true;
		begin_row(i, out);
		buf_print(out, "%s | ", targets[t].name);
		print_parts(i, out);
		buf_print(out, " | %zu | %.0f | %llu", c.problems, c.combinations,
			  (unsigned long long)c.least);
		if (c.most > c.least)
			buf_print(out, " to %llu", (unsigned long long)c.most);
		buf_add_str(out, " |\n");
	}
	/* For another device of its class alone. */
	if (!shown) {
		begin_row(i, out);
		print_devices(i, out);
		print_parts(i, out);
		buf_add_str(out, " | 0 | | |\n");
	}
	return ASC_OK;
}

static void print_unsupported(const struct implementation *i, struct buf *out)
{
	begin_row(i, out);
	print_devices(i, out);
	buf_add_str(out, "unsupported: ");
	print_prose(i->unsupported, out);
	buf_add_str(out, " | | | |\n");
}

static enum asc_status print_implementations(const struct workload *w, struct buf *out,
					     struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	buf_add_str(out,
		    "\n| implementation | index | device | made of | problems | combinations | "
		    "configurations |\n|---|--:|---|---|--:|--:|--:|\n");
	for (size_t i = 0; i < w->n_implementations && status == ASC_OK; i++)
		status = print_implementation(w, &w->implementations[i], out, e);
	for (size_t i = 0; i < w->n_unsupported; i++)
		print_unsupported(&w->unsupported[i], out);
	return status;
}

/* ---- the page ---- */

enum asc_status workload_markdown_print(const struct workload_files *files, struct buf *out,
					struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	buf_add_str(
		out,
		"# Workloads\n\n"
		"Made by `asctune list workloads --markdown`.\n\n"
		"An implementation has a row for each kind of device on which it covers a problem; "
		"`problems` is their number. `combinations` are all of its parameters' values. "
		"`configurations` are those that its conditions and the limits of the device "
		"leave, the least and the most of these problems. A CPU counts as unknown, a GPU "
		"as one of compute capability 9.0 (`sm_90`), an NPU as an `Ascend910B3`; tables of "
		"verdicts, which are of one compiler, leave out more.\n");
	for (size_t i = 0; i < files->n && status == ASC_OK; i++) {
		struct workload *w = NULL;
		const char *slash = strrchr(files->paths[i], '/');

		status = workload_open(files->paths[i], &w, e);
		if (status == ASC_OK) {
			buf_add_str(out, "\n## ");
			print_prose(w->operator_name, out);
			buf_add_str(out, "\n\n");
			print_code(slash ? slash + 1 : files->paths[i], out);
			buf_add_str(out, w->description ? ": " : "");
			print_prose(w->description, out);
			buf_add_str(out, "\n");
			print_problems(w, out);
			status = print_implementations(w, out, e);
		}
		workload_close(w);
	}
	return status ? status : buf_check(out, e);
}
