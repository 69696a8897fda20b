#include "tuner/cmd/run_failures.h"

#include "reports/track/repeat.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/prose.h"
#include "tuner/cmd/run_options.h"
#include "tuner/loop/loop.h"
#include "tuner/workload/workload.h"

enum { INDENT = 11 };

static void print_command(struct prose *to, const struct run_options *run,
			  const struct loop_options *o, const struct loop_failure *f)
{
	const struct policy *p = &run->policy;
	const struct repeat_run r = {
		.file = o->workload->path,
		.device = run->device,
		.problem = o->problem->name,
		.implementation = f->implementation,
		.config = f->config,
		.cache = p->cache != policy_default.cache ? cache_policy_name(p->cache) : NULL,
		.limit_ns = p->limit_ns != policy_default.limit_ns ? p->limit_ns : 0,
		.rewrites_off = run->rewrites_off,
		.db = run->db};
	struct buf command = {0};

	repeat_add_run(&command, &r);
	prose_put(to, INK_PLAIN, "%*srepeat: ", INDENT, "");
	prose_put(to, INK_COMMAND, "%s", buf_str(&command));
	prose_end_command(to, INDENT + 2);
	buf_fini(&command);
}

void run_failures_print(struct prose *p, const struct run_options *run,
			const struct loop_options *o, const struct loop_summary *sum)
{
	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		const struct loop_failure *f = &sum->failures[i];

		if (!f->reason || !f->config)
			continue;
		prose_put(p, INK_BAD, "  %-8s", result_status_name((enum result_status)i));
		prose_put(p, INK_PLAIN, " %s%s%s: %s", f->implementation, *f->config ? " " : "",
			  f->config, f->reason);
		prose_end(p, INDENT);
		print_command(p, run, o, f);
	}
}
