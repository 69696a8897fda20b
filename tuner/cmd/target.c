#include "tuner/cmd/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/shell.h"
#include "tuner/build/triton_python.h"
#include "tuner/cmd/command.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/device_names.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

/* ---- a device that is here ---- */

/* A device that was found: plain bytes, from another process. */
struct found {
	char name[16], place[DEVICE_PLACE_SIZE], why[TARGET_WHY_SIZE];
	struct device_info info;
};

/* A proc_apart_fn. */
static enum asc_status find(const void *question, void *answer, struct asc_err *e)
{
	struct found *f = answer;
	const struct device_ops *ops;

	if (device_choose(question, &ops, f->place, f->why, sizeof f->why, e))
		return e->status;
	(void)snprintf(f->name, sizeof f->name, "%s", ops->name);
	return ops->inspect(f->place, &f->info, e);
}

struct several { /* devices of one kind */
	const char *const *devices;
	size_t n;
};

/* A proc_apart_fn: an answer for each, from a driver that is opened once. */
static enum asc_status find_each(const void *question, void *answer, struct asc_err *e)
{
	const struct several *q = question;
	struct found *f = answer;
	enum asc_status s = ASC_OK;

	for (size_t i = 0; s == ASC_OK && i < q->n; i++)
		s = find(q->devices[i], &f[i], e);
	return s;
}

enum asc_status target_answer(const char *device, struct asc_err *e)
{
	struct found f = {0};

	*e = (struct asc_err){0};
	(void)find(device, &f, e); /* a failure is an answer, too: *e goes with it */
	if (proc_apart_answer(e, &f, sizeof f))
		return ASC_OK;
	return asc_err_set(e, ASC_USAGE, "inspect is started by asctune itself");
}

/* A driver that crashes or hangs makes its device absent. */
static enum asc_status fail_driver(const char *device, struct asc_err *e)
{
	(void)asc_err_wrap(e, "%s: its driver cannot be opened", device);
	return e->status = ASC_ABSENT;
}

/* Asks a process of its own, since this one opens no driver. */
static enum asc_status ask_apart(const char *device, struct found *out, struct asc_err *e)
{
	const enum asc_status s =
		proc_apart(find, device, out, sizeof *out, PROC_APART_DRIVER_NS, e);

	return s == ASC_CHILD || s == ASC_TIMEOUT ? fail_driver(device, e) : s;
}

/* Finds the first kind of device that is usable. */
static enum asc_status ask_all(struct found *out, struct asc_err *e)
{
	struct buf names = {0}, reasons = {0};
	enum asc_status s = ASC_ABSENT;

	for (size_t i = 0; device_list[i] && s; i++) {
		s = ask_apart(device_list[i]->name, out, e);
		if (s) {
			buf_print(&names, "%s%s", names.len ? ", " : "", device_list[i]->name);
			buf_print(&reasons, "%s%s", reasons.len ? "; " : "", e->text);
		}
	}
	if (s)
		(void)asc_err_set(e, ASC_ABSENT, "no device is usable here (%s)",
				  buf_str(&reasons));
	else if (names.len) {
		const size_t n = strlen(out->why);

		(void)snprintf(out->why + n, sizeof out->why - n,
			       " (%s: not here; see `%s list devices`)", buf_str(&names),
			       shell_program());
	}
	buf_fini(&names);
	buf_fini(&reasons);
	return s ? e->status : ASC_OK;
}

static enum asc_status ask(const char *device, struct found *out, struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE], *program;

	if (device_parse(device, &ops, place, e))
		return e->status;
	if (!ops)
		return ask_all(out, e);
	/* A driver that reads its environment when it is loaded needs a program of its own, with
	 * that environment; for the others a fork is enough. */
	if (!ops->environment)
		return ask_apart(device, out, e);
	if (places_program(&program, e))
		return e->status;
	const char *const argv[] = {program, "inspect", device, NULL};
	const enum asc_status s = device_ask(ops, place, argv, out, sizeof *out, e);

	free(program);
	return s == ASC_CHILD || s == ASC_TIMEOUT ? fail_driver(device, e) : s;
}

/* Sets a target to what was found of the device of that name. */
static void take(const char *name, const struct found *f, struct target *out)
{
	/* npu:sim:910B names a model that is also called otherwise. */
	const char *model = strrchr(name, ':');
	const char *means = model ? limits_canonical(model + 1) : NULL;

	if (means)
		log_print(LOG_NOTE, "%s is taken for %s", model + 1, means);
	*out = (struct target){.ops = device_find(f->name), .info = f->info};
	memcpy(out->place, f->place, sizeof out->place);
	memcpy(out->why, f->why, sizeof out->why);
	out->limited = limits_find(out->info.arch, &out->limits);
}

enum asc_status target_open(const char *device, struct target *out, struct asc_err *e)
{
	const char *name = device ? device : "auto";
	const struct device_ops *ops;
	struct found f = {0};

	*out = (struct target){0};
	if (device_names_are_several(name))
		return device_names_refuse(name, e);
	if (ask(name, &f, e))
		return e->status;
	ops = device_find(f.name);
	/* `auto` was found without the environment of the device: what it says with it counts. */
	if (strcmp(name, "auto") == 0 && ops->environment && ask(f.name, &f, e))
		return e->status;
	take(name, &f, out);
	return ASC_OK;
}

enum asc_status target_open_each(const char *const *devices, size_t n, struct target *out,
				 struct asc_err *e)
{
	const struct several q = {devices, n};
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE];
	enum asc_status s = device_parse(devices[0], &ops, place, e);

	/* Devices of a kind with an environment have one each. */
	if (n == 1 || (s == ASC_OK && (!ops || ops->environment))) {
		for (size_t i = 0; s == ASC_OK && i < n; i++)
			s = target_open(devices[i], &out[i], e);
		return s;
	}
	struct found *f = s ? NULL : calloc(n, sizeof *f);

	if (!f)
		return s ? s : asc_err_nomem(e);
	s = proc_apart(find_each, &q, f, n * sizeof *f, PROC_APART_DRIVER_NS, e);
	if (s == ASC_CHILD || s == ASC_TIMEOUT)
		s = fail_driver(ops->name, e);
	for (size_t i = 0; s == ASC_OK && i < n; i++)
		take(devices[i], &f[i], &out[i]);
	free(f);
	return s;
}

/* ---- a device that need not be here ---- */

enum asc_status target_plan(const char *device, struct target *out, struct asc_err *e)
{
	struct limits l;
	const char *means = device ? limits_canonical(device) : NULL;

	if (!device || !limits_find(device, &l))
		return target_open(device, out, e);
	if (means)
		log_print(LOG_NOTE, "%s is taken for %s", device, means);
	*out = (struct target){.ops = device_find(l.device), .limited = true, .limits = l};
	snprintf(out->info.model, sizeof out->info.model, "%s", l.name);
	/* What a device of this model says of itself, unless a variant is asked for: sm_100f. */
	if (l.sm && strcmp(device, l.name) == 0)
		limits_print_cuda_arch(l.facts.value[FACT_COMPUTE_CAPABILITY], out->info.arch);
	else
		snprintf(out->info.arch, sizeof out->info.arch, "%s", l.sm ? device : l.name);
	snprintf(out->why, sizeof out->why, "%s: a model to plan for", l.name);
	out->info.facts = l.facts;
	return ASC_OK;
}

const struct limits *target_limits(const struct target *t)
{
	return t->limited ? &t->limits : NULL;
}

/* ---- verdicts of a planner ---- */

enum asc_status target_find_planner(const struct target *t, char **out, struct asc_err *e)
{
	const struct triton_python *python;
	struct asc_err why;

	*out = NULL;
	if (triton_python_get(TRITON_NPU, &python, &why))
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	const struct planner *planner = triton_python_planner(python, t->limits.name);

	if (!planner)
		return ASC_OK;
	*out = str_print("%s, %s", python->triton, planner->name);
	return *out ? ASC_OK : asc_err_nomem(e);
}

enum asc_status target_use_verdicts(const struct target *t, struct workload *w, struct asc_err *e)
{
	char *planner = NULL;

	/* An interpreter is asked where it matters alone: that takes as long as the rest. */
	if (!t->limited || strcmp(t->limits.device, "npu") != 0 || !workload_has_verdicts(w))
		return ASC_OK;
	enum asc_status s = target_find_planner(t, &planner, e);

	if (s == ASC_OK)
		s = workload_use_verdicts(w, &t->limits, planner, e);
	free(planner);
	return s;
}

/* ---- problems ---- */

void problem_choice_add(struct problem_choice *c, struct argp_state *state, const char *name)
{
	if (c->n == TARGET_MAX_PROBLEMS)
		command_refuse(state, "--problem: at most %d of them", TARGET_MAX_PROBLEMS);
	c->names[c->n++] = name;
}

bool problem_choice_has(const struct problem_choice *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->names[i], "all") == 0 || problem_name_is_of(name, c->names[i]))
			return true;
	return false;
}

bool problem_choice_names(const struct problem_choice *c, const struct problem *p)
{
	size_t i = 0;

	while (i < c->n && !problem_is_called(p, c->names[i]))
		i++;
	return i < c->n;
}

bool target_wants(const struct target *t, const struct problem *p, const struct problem_choice *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->names[i], "all") == 0)
			return true;
	if (c->n > 0)
		return problem_choice_names(c, p);
	/* A stand-in runs kernels on the host's processor: it takes the small problems. */
	if (t->info.simulated && (p->tags.n == 0 || !name_list_has(&p->tags, "smoke")))
		return false;
	return name_list_has(&p->devices, t->ops->name);
}

static enum asc_status refuse(const struct workload *w, const char *what, const char *name,
			      const char *const *names, struct asc_err *e)
{
	const char *nearest = str_nearest(name, names);
	struct buf all = {0};

	for (size_t i = 0; names[i]; i++)
		buf_print(&all, "%s%s", i ? ", " : "", names[i]);
	if (nearest)
		asc_err_set(e, ASC_NOTFOUND, "%s: no %s \"%s\" (did you mean \"%s\"?)", w->path,
			    what, name, nearest);
	else
		asc_err_set(e, ASC_NOTFOUND, "%s: no %s \"%s\"; there are: %s", w->path, what, name,
			    buf_str(&all));
	buf_fini(&all);
	return e->status;
}

/* Refuses a name that is none of the workload's problems (a ladder is one name), or none of its
 * implementations. */
static enum asc_status refuse_name(const struct workload *w, const char *name, bool problem,
				   struct asc_err *e)
{
	const size_t most = problem ? w->n_problems : w->n_implementations;
	const char **names = calloc(most + 1, sizeof *names);
	size_t n = 0;

	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < most; i++) {
		const struct problem *p = problem ? &w->problems[i] : NULL;

		if (!p)
			names[n++] = w->implementations[i].name;
		else if (!p->ladder || i == 0 ||
			 p->ladder != p[-1].ladder) /* they stand in a row */
			names[n++] = p->ladder ? p->ladder : p->name;
	}
	refuse(w, problem ? "problem" : "implementation", name, names, e);
	free(names);
	return e->status;
}

static bool has_problem(const struct workload *w, const char *name)
{
	size_t i = 0;

	while (i < w->n_problems && !problem_is_called(&w->problems[i], name))
		i++;
	return i < w->n_problems || strcmp(name, "all") == 0;
}

enum asc_status target_add_problems(struct workload *w, const struct problem_choice *c,
				    struct asc_err *e)
{
	const struct problem *added;

	for (size_t i = 0; i < c->n; i++) {
		const size_t n = w->n_problems;

		/* A name that was added and is refused then is one of sizes: that is said. */
		if (!has_problem(w, c->names[i]) &&
		    workload_open_problem(w, c->names[i], &added, e) &&
		    (e->status == ASC_NOMEM || w->n_problems > n))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status target_check(const struct target *t, struct workload *w,
			     const struct problem_choice *c, const char *implementation,
			     struct asc_err *e)
{
	const struct implementation *left_out =
		implementation ? workload_find_unsupported(w, implementation) : NULL;
	bool some = false;

	if (left_out)
		return asc_err_set(e, ASC_ABSENT, "%s: implementation %s is unsupported: %s",
				   w->path, implementation, left_out->unsupported);
	if (implementation && !workload_find_implementation(w, implementation))
		return refuse_name(w, implementation, false, e);
	if (target_add_problems(w, c, e))
		return e->status;
	const char *stranger = NULL; /* a name that is no problem's */

	for (size_t i = 0; i < c->n && !stranger; i++)
		if (!has_problem(w, c->names[i]))
			stranger = c->names[i];
	/* Each workload of a folder has some of the names; one file alone has to have all. */
	for (size_t i = 0; i < w->n_problems; i++)
		some = some || target_wants(t, &w->problems[i], c);
	if (stranger && !(some && c->of_folder))
		return refuse_name(w, stranger, true, e);
	if (some)
		return ASC_OK;
	return t->info.simulated
		       ? asc_err_set(e, ASC_ABSENT,
				     "%s: a stand-in runs problems with the tag \"smoke\", and "
				     "there is none; tag one, or choose with --problem",
				     w->path)
		       : asc_err_set(e, ASC_ABSENT,
				     "%s: no problem is meant for %s; choose with --problem",
				     w->path, t->ops->name);
}
