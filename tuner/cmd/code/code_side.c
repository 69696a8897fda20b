#include "tuner/cmd/code/code_side.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/code/code_file.h"
#include "tuner/code/cubin_code.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/binding/binding.h"

enum { MOST_KERNELS = 256 }; /* of a file: one that is made to name a million would take hours */

void code_side_fini(struct code_side *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->kernels[i].path);
		free(s->kernels[i].entry);
		free(s->kernels[i].name);
		free(s->kernels[i].source);
	}
	free(s->kernels);
	free(s->name);
	free(s->reason);
	*s = (struct code_side){0};
}

/* Keeps a text on one line: what stands in a file is a stranger's. */
static void keep_on_line(char *text)
{
	for (; *text; text++)
		*text = iscntrl((unsigned char)*text) ? '?' : *text;
}

/* NULL: out of memory. */
static char *make_name(const char *path, const char *entry)
{
	const char *own = entry ? entry : path ? path_name(path) : "";
	char *name = str_dup(*own ? own : "a kernel without a name");

	if (name)
		keep_on_line(name);
	return name;
}

enum asc_status code_kernel_open_cubin(const struct code_kernel *k, const char *what,
				       struct buf *bytes, struct cubin *out, struct asc_err *e)
{
	if (file_read(k->path, CODE_FILE_BYTES, bytes, e))
		return e->status;
	if (!cubin_is_one(bytes->data, bytes->len))
		return asc_err_set(e, ASC_ABSENT, "%s is no cubin: it has no %s", k->name, what);
	return cubin_open(bytes->data, bytes->len, out, e);
}

/* Adds a kernel; `entry` and `source` NULL: not known. */
static enum asc_status add_kernel(struct code_side *s, const char *path, const char *runs,
				  const char *entry, const char *source, struct asc_err *e)
{
	if (!array_room(&s->kernels, s->n, &s->room, sizeof *s->kernels))
		return asc_err_nomem(e);
	struct code_kernel *k = &s->kernels[s->n++];

	*k = (struct code_kernel){.path = path ? str_dup(path) : NULL,
				  .entry = entry ? str_dup(entry) : NULL,
				  .name = make_name(path, entry),
				  .source = source ? str_dup(source) : NULL};
	if (!k->name || (path && !k->path) || (entry && !k->entry) || (source && !k->source))
		return asc_err_nomem(e);
	(void)snprintf(k->runs, sizeof k->runs, "%s", runs);
	return ASC_OK;
}

enum asc_status code_side_count(struct code_side *s, struct asc_err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		struct code_kernel *k = &s->kernels[i];

		if (!k->path)
			(void)asc_err_set(
				&k->why, ASC_ABSENT,
				"%s is a function of a library, which asctune does not build",
				k->entry ? k->entry : "it");
		else if (code_file_count(k->path, k->entry, &k->counts, &k->why) == ASC_OK)
			k->why.status = ASC_OK;
		else
			keep_on_line(k->why.text);
		if (k->why.status == ASC_NOMEM)
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

enum asc_status code_side_open_file(const char *path, struct code_side *out, struct asc_err *e)
{
	struct buf bytes = {0};
	struct cubin cubin;
	const char *kernel;
	char runs[RUN_DIGEST_SIZE] = "";
	enum asc_status s = file_read(path, CODE_FILE_BYTES, &bytes, e);

	if (s == ASC_OK)
		s = run_digest(bytes.data, bytes.len, runs, e);
	out->name = str_dup(path);
	if (s == ASC_OK && !out->name)
		s = asc_err_nomem(e);
	if (s == ASC_OK && !cubin_is_one(bytes.data, bytes.len)) {
		s = add_kernel(out, path, runs, NULL, NULL, e);
	} else if (s == ASC_OK) {
		s = cubin_open(bytes.data, bytes.len, &cubin, e);
		s = s ? asc_err_wrap(e, "%s", path) : s;
		for (size_t at = 0; s == ASC_OK && (kernel = cubin_next_kernel(&cubin, &at));)
			s = out->n < MOST_KERNELS
				    ? add_kernel(out, path, runs, kernel, NULL, e)
				    : asc_err_set(e, ASC_LIMIT, "%s has more than %d kernels", path,
						  MOST_KERNELS);
		if (s == ASC_OK && out->n == 0)
			s = asc_err_set(e, ASC_INPUT, "%s has no kernels", path);
	}
	buf_fini(&bytes);
	if (s == ASC_OK)
		s = code_side_count(out, e);
	/* The first reason is the answer, where nothing of a file can be told. */
	if (s == ASC_OK && out->n == 1 && out->kernels[0].why.status != ASC_OK) {
		*e = out->kernels[0].why;
		return e->status;
	}
	return s;
}

/* ---- a configuration ---- */

struct building {
	const struct code_build *b;
	struct code_side *out;
};

static void begin(void *user, const struct binding *b, uint64_t planned)
{
	(void)user;
	(void)b;
	(void)planned;
}

static void wait_for(void *user)
{
	(void)user;
}

static enum asc_status take_kernel(struct code_side *out, const struct kernel_build *k,
				   const char *folder, struct asc_err *e)
{
	const char *entry =
		*k->plan.entry ? k->plan.entry : callable_entry(k->source.call, k->source.device);
	char *source = k->builder->command ? path_join(folder, k->source.call->source) : NULL;

	if (k->builder->command && !source)
		return asc_err_nomem(e);
	const enum asc_status s = add_kernel(out, k->builder->command ? k->artifact.path : NULL,
					     k->artifact.runs, entry, source, e);

	if (s == ASC_OK)
		out->kernels[out->n - 1].dynamic_bytes = k->plan.shared_bytes;
	free(source);
	return s;
}

enum asc_status code_side_take(struct code_side *out, const struct build_event *event,
			       struct asc_err *e)
{
	const struct trial *t = event->trial;
	const struct binding *b = event->binding;
	struct buf name = {0}, config = {0};

	config_print(&t->config, t->names, &config);
	buf_print(&name, "%s/%s %s %s", b->workload->name, b->problem->name,
		  t->implementation->name, buf_str(&config));
	buf_fini(&config);
	out->name = buf_take(&name);
	if (!out->name)
		return asc_err_nomem(e);
	if (!build_event_is_built(event)) {
		out->reason = str_dup(event->reason ? event->reason : "no reason is known");
		return out->reason ? ASC_OK : asc_err_nomem(e);
	}
	char *folder = path_folder(b->workload->path);
	enum asc_status s = folder ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < event->n_kernels && s == ASC_OK; i++)
		s = take_kernel(out, &event->kernels[i], folder, e);
	free(folder);
	return s;
}

/* Takes the configuration; functions that a run needs as well are of no interest. */
static enum asc_status take(void *user, const struct build_event *event, struct asc_err *e)
{
	const struct building *w = user;

	if (!event->trial || w->out->name)
		return ASC_OK;
	w->out->rebuilt =
		w->b->recorded && strcmp(w->b->recorded, event->trial->result.artifact) != 0;
	return code_side_take(w->out, event, e);
}

enum asc_status code_side_build(const struct code_build *b, struct code_side *out,
				struct asc_err *e)
{
	struct building building = {b, out};
	struct buf noted = {0};
	struct builds builds = {0};
	const struct builds_watch watch = {begin, take, wait_for, NULL, &building};
	const struct loop_options lo = {.workload = b->workload,
					.problem = b->problem,
					.implementation = b->implementation,
					.session = &b->on->session,
					.strategy = &strategy_random,
					.config = b->config ? b->config : "",
					.recorded = b->recorded,
					.budget.trials = 1,
					.seed = 1,
					.rewrites_off = b->rewrites_off,
					.noted = &noted,
					.stop = b->stop};
	enum asc_status s = builds_open(&builds, &b->on->session.target, e);

	if (s == ASC_OK)
		s = builds_make(&builds, &lo, 1, &watch, e);
	builds_close(&builds);
	buf_fini(&noted);
	if (s == ASC_OK && !out->name && !(b->stop && *b->stop))
		s = asc_err_set(e, ASC_INPUT, "nothing was built");
	if (s == ASC_OK)
		s = code_side_count(out, e);
	return s ? asc_err_wrap(e, "%s/%s", b->workload->name, b->problem->name) : ASC_OK;
}
