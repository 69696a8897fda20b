#include "tuner/cmd/run_failures.h"

#include "tuner/base/buf.h"
#include "tuner/cmd/prose.h"
#include "tuner/cmd/repeat.h"
#include "tuner/loop/loop.h"
#include "tuner/workload/workload.h"

enum { INDENT = 11 };

static void print_command(struct prose *p, const struct run_options *run,
			  const struct loop_options *o, const struct loop_failure *f)
{
	const struct repeat_trial t = {o->workload->path, o->problem->name, f->implementation,
				       f->config};
	struct buf command = {0};

	repeat_add_trial(&command, run, &t);
	prose_put(p, INK_PLAIN, "%*srepeat: ", INDENT, "");
	prose_put(p, INK_COMMAND, "%s", buf_str(&command));
	prose_end_command(p, INDENT + 2);
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
