#include "tuner/cmd/run/run_session.h"

#include <stdlib.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/process/sandbox.h"

enum asc_status run_session_open(const struct run_options *o, struct run_session *s,
				 struct asc_err *e)
{
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);

	/* The sandbox is settled before the first child starts: the device is opened in one. */
	if (o->trust)
		sandbox_leave_off();
	if (o->untrusted && sandbox_state_require(e))
		return e->status;
	/* The folder around the file of a workload is readable, but for a stranger's. */
	if (sandbox_grant(o->file, !o->untrusted, e) ||
	    (o->build_only ? target_plan : target_open)(o->device, &s->target, e) ||
	    places_cache(&s->cache, e) || command_own_path(&s->program, e))
		return e->status;
	const struct evaluator_target t = {.device = s->target.ops,
					   .place = s->target.place,
					   .info = &s->target.info,
					   .limits = target_limits(&s->target),
					   .cache = s->cache,
					   .program = s->program,
					   .probes = o->probes,
					   .build_only = o->build_only,
					   .build_jobs = o->jobs       ? o->jobs
							 : threads > 0 ? (size_t)threads
								       : 1};

	if (*t.info->clock_passed && !o->build_only)
		log_print(LOG_NOTE, "timing with the clock \"%s\" (%s)", t.info->clock,
			  t.info->clock_passed);
	session_init(&s->session, evaluator_find("worker"), &t, &o->policy);
	return ASC_OK;
}

void run_session_close(struct run_session *s)
{
	session_fini(&s->session);
	free(s->cache);
	free(s->program);
}
