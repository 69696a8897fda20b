#include "tuner/cmd/run/run_session.h"

#include <stdlib.h>
#include <unistd.h>

#include "probes/energy_probe.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/process/proc_apart.h"
#include "tuner/process/sandbox.h"
#include "tuner/workload/workload.h"

/* ---- energy ---- */

struct energy_question {
	const char *kind; /* of the device */
	struct device_info info;
};

struct energy_answer {
	char reason[512]; /* "": it can be told */
};

/* A proc_apart_fn: this process opens no library of a device. */
static enum asc_status ask_energy(const void *question, void *answer, struct asc_err *e)
{
	const struct energy_question *q = question;
	struct energy_answer *a = answer;

	(void)e;
	if (energy_check(q->kind, &q->info, a->reason, sizeof a->reason))
		*a->reason = '\0';
	return ASC_OK;
}

/* Refuses to decide by energies that nothing counts, or that are others' too, before time goes into
 * a search. */
static enum asc_status require_energy(const struct target *t, enum objective by, struct asc_err *e)
{
	const struct energy_question q = {t->ops->name, t->info};
	struct energy_answer a = {""};

	if (proc_apart(ask_energy, &q, &a, sizeof a, PROC_APART_DRIVER_NS, e))
		return asc_err_wrap(e, "--objective %s", objective_name(by));
	return *a.reason ? asc_err_set(e, ASC_ABSENT, "--objective %s: %s", objective_name(by),
				       a.reason)
			 : ASC_OK;
}

size_t run_session_jobs(const struct run_options *o)
{
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);

	return o->jobs ? o->jobs : threads > 0 ? (size_t)threads : 1;
}

enum asc_status run_session_settle(const struct run_options *o, struct asc_err *e)
{
	if (o->trust)
		sandbox_leave_off();
	if (o->untrusted && sandbox_state_require(e))
		return e->status;
	/* The folder around the file of a workload is readable, but for a stranger's. */
	return sandbox_grant(o->file, !o->untrusted, e);
}

enum asc_status run_session_open(const struct run_options *o, struct run_session *s,
				 struct asc_err *e)
{
	if (run_session_settle(o, e) ||
	    (o->build_only ? target_plan : target_open)(o->device, &s->target, e))
		return e->status;
	return run_session_open_one(o, NULL, s, e);
}

enum asc_status run_session_open_one(const struct run_options *o, struct pool *pool,
				     struct run_session *s, struct asc_err *e)
{
	if (places_cache(&s->cache, e) || places_program(&s->program, e))
		return e->status;
	if (o->objective != OBJECTIVE_TIME && require_energy(&s->target, o->objective, e))
		return e->status;
	const struct evaluator_target t = {.device = s->target.ops,
					   .place = s->target.place,
					   .info = &s->target.info,
					   .limits = target_limits(&s->target),
					   .cache = s->cache,
					   .program = s->program,
					   .probes = o->probes,
					   .build_only = o->build_only,
					   .build_jobs = run_session_jobs(o),
					   .pool = pool,
					   .own = &evaluator_worker};

	if (*t.info->clock_passed && !o->build_only)
		log_print(LOG_NOTE, "timing with the clock \"%s\" (%s)", t.info->clock,
			  t.info->clock_passed);
	session_init(&s->session, pool ? &evaluator_several : t.own, &t, &o->policy);
	s->inputs = o->inputs;
	if (s->inputs.n_given == 0 && !o->build_only && input_seeds_open(s->cache, &s->inputs, e))
		return e->status;
	s->session.inputs = &s->inputs;
	return ASC_OK;
}

void run_session_take_caches(struct run_session *s, const struct run_options *o,
			     const struct workload *w)
{
	enum cache_policy *const cache = &s->session.policy.cache;

	*cache = o->policy.cache;
	if (!o->cache_given && w->cache)
		(void)cache_policy_parse(w->cache, cache); /* its reader knows both names */
}

void run_session_close(struct run_session *s)
{
	session_fini(&s->session);
	free(s->cache);
	free(s->program);
}
