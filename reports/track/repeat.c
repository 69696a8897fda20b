#include "reports/track/repeat.h"

#include "reports/track/track_confirm.h"
#include "reports/track/track_series.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/workload/rewrite.h"

static void add_rewrites(struct buf *out, unsigned off)
{
	for (size_t i = 0; off && rewrite_list[i]; i++)
		if (off & rewrite_bit(rewrite_list[i]))
			shell_add_option(out, "--no-rewrite", rewrite_list[i]->name);
}

/* Adds a time in the largest unit that gives a whole number. */
static void add_limit(struct buf *out, int64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	if (ns == 0)
		return;
	for (; i < 3 && ns % 1000 == 0; i++)
		ns /= 1000;
	buf_print(out, " --limit %lld%s", (long long)ns, units[i]);
}

void repeat_add_run(struct buf *out, const struct repeat_run *r)
{
	shell_add_argument(out, "asctune");
	shell_add_argument(out, "run");
	shell_add_argument(out, r->file ? r->file : "FILE");
	shell_add_option(out, "-D", r->device);
	shell_add_option(out, "-p", r->problem);
	shell_add_option(out, "--impl", r->implementation);
	shell_add_option(out, "--config", r->config);
	shell_add_option(out, "--cache", r->cache);
	add_limit(out, r->limit_ns);
	add_rewrites(out, r->rewrites_off);
	if (r->budget)
		buf_print(out, " -b %zu", r->budget);
	if (r->confirm)
		shell_add_argument(out, "--confirm");
	shell_add_option(out, "--db", r->db);
}

const char *repeat_choose(const struct track_series *s, struct repeat_run *r)
{
	r->budget = s->verdict == TRACK_BROKEN;
	r->implementation = r->budget ? s->implementation : NULL;
	r->confirm = track_confirm_wants(s);
	return r->budget    ? "see it"
	       : r->confirm ? "measure old and new side by side"
			    : "measure it again";
}

void repeat_add_acknowledgement(struct buf *out, const struct track_series *s, const char *db)
{
	shell_add_argument(out, "asctune");
	shell_add_argument(out, "track");
	shell_add_argument(out, "ack");
	shell_add_argument(out, s->name);
	buf_add_str(out, " --reason TEXT");
	shell_add_option(out, "--db", db);
}
