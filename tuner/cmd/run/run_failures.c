#include "tuner/cmd/run/run_failures.h"

#include <stdio.h>
#include <string.h>

#include "reports/track/repeat.h"
#include "tuner/base/buf.h"
#include "tuner/build/outcome.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/result/setting.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/space/config.h"
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

static void end_line(struct prose *p)
{
	prose_end(p, INDENT + 2);
}

/* Prints which settings it may be, where several failed so and others passed. */
static void print_common(struct prose *p, const struct loop_summary *sum, enum result_status status,
			 const struct loop_failure *f)
{
	struct setting common[TALLY_MAX_SETTINGS];
	const size_t n = tally_find_common(&sum->tally, f->implementation, status, common);
	size_t ended;

	if (n == 0)
		return;
	(void)tally_count(&sum->tally, f->implementation, status, &ended);
	prose_put(p, INK_PLAIN, "%*s", INDENT, "");
	prose_put_common(p, ended, common, n);
	prose_put(p, INK_PLAIN, ", which nothing that passed has");
	end_line(p);
}

static void print_alike(struct prose *p, const struct loop_summary *sum)
{
	const size_t n = tally_count_alike(&sum->tally);

	if (n == 0)
		return;
	prose_put(
		p, INK_WARN,
		"%*sall %zu are wrong alike: suspect the reference, the arguments, or code that no "
		"parameter changes",
		INDENT, "", n);
	end_line(p);
}

/* True for a name as those of macros are written. */
static bool is_macro(const char *name)
{
	return *name >= 'A' && *name <= 'Z' && strpbrk(name, "abcdefghijklmnopqrstuvwxyz") == NULL;
}

/* Prints that a macro is no parameter, where no configuration of an implementation could be built
 * for want of it: a parameter of that name is missing, or has another name. */
static void print_missing(struct prose *p, const struct loop_options *o,
			  const struct loop_summary *sum, const struct loop_failure *f)
{
	const struct implementation *i =
		workload_find_implementation(o->workload, f->implementation);
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {NULL};
	size_t len = 0, failed;
	const char *at = outcome_find_unknown(f->reason, &len);
	const size_t tried =
		tally_count(&sum->tally, f->implementation, RESULT_BUILD_FAILED, &failed);
	char macro[64];

	if (!i || !at || len >= sizeof macro || failed < tried)
		return;
	(void)snprintf(macro, sizeof macro, "%.*s", (int)len, at);
	for (size_t k = 0; k < i->n_parameters; k++)
		names[k] = i->parameters[k].name;
	if (!is_macro(macro))
		return;
	for (size_t k = 0; names[k]; k++)
		if (strcmp(names[k], macro) == 0)
			return;
	const char *near = str_nearest(macro, names);
	prose_put(p, INK_WARN, "%*sno parameter %s in the workload", INDENT, "", macro);
	if (near)
		prose_put(p, INK_WARN, " (did you mean %s?)", near);
	end_line(p);
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
		print_common(p, sum, (enum result_status)i, f);
		if (i == RESULT_WRONG)
			print_alike(p, sum);
		if (i == RESULT_BUILD_FAILED)
			print_missing(p, o, sum, f);
		print_command(p, run, o, f);
	}
}
