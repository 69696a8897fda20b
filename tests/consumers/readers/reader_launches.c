/* reader_launches: what asctune launches for a configuration, as a worker would be told. Questions
 * come from the standard input, a line each, words between tabs:
 *
 *     WORKLOAD PROBLEM MODEL NAME=VALUE,...
 *
 * MODEL is a device that need not be here, sm_90. An answer is a line of JSON with "launches" of
 * the implementation that covers the problem, in order: "source", "grid", "arguments" (a number;
 * null for a tensor that is absent; else its "tensor", "dtype" and number of "elements") and
 * "values", the kernel's constants and the options of its compiler; or with "refused", the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/build/builder.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"

static const char *next(char **line)
{
	const char *word = strsep(line, "\t");

	if (!word) {
		(void)fputs("reader_launches: a question has too few words\n", stderr);
		exit(2);
	}
	return word;
}

static void write_argument(const struct binding *b, const struct implementation *i,
			   const struct bound_argument *a, struct json_writer *w)
{
	const size_t n = b->workload->n_tensors;
	int64_t elements = 1;

	if (a->kind == ARG_SCALAR) {
		json_write_value(w, NULL, a->scalar);
		return;
	}
	if (a->tensor < n && !b->tensors[a->tensor].present) {
		json_write_string(w, NULL, NULL);
		return;
	}
	for (size_t k = 0; k < a->rank; k++)
		elements *= a->shape[k];
	json_write_begin(w, NULL, '{');
	json_write_string(w, "tensor",
			  a->tensor < n ? b->workload->tensors[a->tensor].name
					: i->scratch[a->tensor - n].name);
	json_write_string(w, "dtype", dtype_name(a->type));
	json_write_int(w, "elements", elements);
	json_write_end(w, '}');
}

static enum asc_status write_launch(const struct binding *b, const struct implementation *i,
				    size_t call, const struct config *c, const char *const *names,
				    struct json_writer *w, struct asc_err *e)
{
	struct build_request r;
	struct plan plan;

	if (binding_plan(b, i, call, c, &plan, e))
		return e->status;
	const struct kernel_source source = {.binding = b,
					     .call = &i->calls[call],
					     .implementation = i,
					     .config = c,
					     .names = names,
					     .plan = &plan,
					     .device = b->device,
					     .arch = ""};

	kernel_request(&builder_triton, &source, &r);
	enum asc_status s = build_request_check(&r, e);

	if (s == ASC_OK) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "source", i->calls[call].source);
		json_write_begin(w, "grid", '[');
		for (size_t k = 0; k < 3; k++)
			json_write_int(w, NULL, plan.grid[k]);
		json_write_end(w, ']');
		json_write_begin(w, "arguments", '[');
		for (size_t k = 0; k < plan.n_arguments; k++)
			write_argument(b, i, &plan.arguments[k], w);
		json_write_end(w, ']');
		json_write_begin(w, "values", '{');
		for (size_t k = 0; k < r.n_defines; k++) /* values are JSON */
			buf_print(w->out, "%s\"%s\":%s", k ? "," : "", r.defines[k].name,
				  r.defines[k].value);
		json_write_end(w, '}');
		json_write_end(w, '}');
	}
	build_request_fini(&r);
	return s;
}

static enum asc_status write_launches(const struct binding *b, const char *config,
				      struct json_writer *w, struct asc_err *e)
{
	const char *names[CONFIG_MAX_PARAMETERS] = {0};
	const struct implementation *i = b->workload->implementations;
	bool covers = false;
	char why[256];
	struct config c;

	for (size_t k = 0; k < b->workload->n_implementations && !covers; k++) {
		i = &b->workload->implementations[k];
		if (binding_covers(b, i, &covers, why, sizeof why, e))
			return e->status;
	}
	if (!covers)
		return asc_err_set(e, ASC_INPUT, "no implementation covers it: %s", why);
	for (size_t k = 0; k < i->n_parameters; k++)
		names[k] = i->parameters[k].name;
	enum asc_status s = config_parse(config, names, i->n_parameters, &c, e);

	json_write_begin(w, "launches", '[');
	for (size_t k = 0; k < i->n_calls && s == ASC_OK; k++)
		s = write_launch(b, i, k, &c, names, w, e);
	json_write_end(w, ']');
	return s;
}

static enum asc_status answer(char *line, struct json_writer *w, struct asc_err *e)
{
	const char *path = next(&line), *problem = next(&line), *model = next(&line);
	const struct problem *p;
	struct workload *workload = NULL;
	struct limits l;
	struct binding b = {0};
	enum asc_status s = workload_open(path, &workload, e);

	if (s == ASC_OK)
		s = workload_open_problem(workload, problem, &p, e);
	if (s == ASC_OK && !limits_find(model, &l))
		s = asc_err_set(e, ASC_INPUT, "there is no model %s", model);
	if (s == ASC_OK)
		s = binding_init(&b, workload, p, l.device, &l.facts, e);
	if (s == ASC_OK) {
		b.build_only = true;
		s = write_launches(&b, next(&line), w, e);
		binding_fini(&b);
	}
	workload_close(workload);
	return s;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		struct buf out = {0};
		struct json_writer w = {&out, false};
		struct asc_err e;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		json_write_begin(&w, NULL, '{');
		if (answer(line, &w, &e)) { /* what was begun is no answer */
			buf_clear(&out);
			w.comma = false;
			json_write_begin(&w, NULL, '{');
			json_write_string(&w, "refused", e.text);
		}
		json_write_end(&w, '}');
		(void)puts(buf_str(&out));
		buf_fini(&out);
	}
	free(line);
	return 0;
}
