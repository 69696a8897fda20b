#include "reports/track/repeat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/track_confirm.h"
#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/workload/rewrite.h"

void repeat_add_run(struct buf *out, const struct repeat_run *r)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int64_t limit = r->limit_ns;
	size_t unit = 0;

	/* A file that was not recorded is for the person to fill in. */
	shell_add_program(out);
	shell_add_argument(out, r->command ? r->command : "run");
	shell_add_argument(out, r->file ? r->file : "FILE");
	shell_add_option(out, "-D", r->device);
	shell_add_option(out, "-p", r->problem);
	shell_add_option(out, "--impl", r->implementation);
	shell_add_option(out, "--config", r->config);
	shell_add_option(out, "--against", r->against);
	shell_add_option(out, "--cache", r->cache);
	/* The largest unit that gives a whole number. */
	for (; limit && unit < 3 && limit % 1000 == 0; unit++)
		limit /= 1000;
	if (limit)
		buf_print(out, " --limit %lld%s", (long long)limit, units[unit]);
	for (size_t i = 0; r->rewrites_off && rewrite_list[i]; i++)
		if (r->rewrites_off & rewrite_bit(rewrite_list[i]))
			shell_add_option(out, "--no-rewrite", rewrite_list[i]->name);
	shell_add_option(out, "-b", *r->budget ? r->budget : NULL);
	if (r->resume)
		shell_add_argument(out, "--resume");
	if (r->confirm)
		shell_add_argument(out, "--confirm");
	shell_add_option(out, "--python", r->python);
	shell_add_option(out, "--db", r->db);
}

bool repeat_is_unfinished(const struct repeat_ending *r)
{
	return !r->outcome || strcmp(r->outcome, "done") != 0;
}

/* Number at the beginning of a budget in trials; 0: it has none. */
static int64_t count_planned(const char *budget)
{
	char *end = NULL;
	const long long n = budget ? strtoll(budget, &end, 10) : 0;

	return n > 0 && strncmp(end, " trial", strlen(" trial")) == 0 ? n : 0;
}

void repeat_add_ending(struct buf *out, const struct repeat_ending *r)
{
	const int64_t planned = count_planned(r->budget);

	buf_add_str(out, "not finished");
	if (r->outcome)
		buf_print(out, " (%s)", r->outcome);
	buf_print(out, ": %" PRId64, r->trials);
	if (planned)
		buf_print(out, " of %" PRId64, planned);
	buf_print(out, " trial%s%s", (planned ? planned : r->trials) == 1 ? "" : "s",
		  r->finals ? "" : ", no finals");
}

/* Sets twice the time of a budget, which was too short, in whole seconds; no more than --budget
 * takes. */
static void double_time(const char *budget, struct repeat_run *r)
{
	const char *comma = strchr(budget, ','); /* "200 trials, 60 s" */
	int64_t ns;

	if (units_parse_duration(comma ? comma + strlen(", ") : budget, &ns))
		(void)snprintf(r->budget, sizeof r->budget, "%.0fs",
			       ns < UNITS_DURATION_MOST_NS / 2
				       ? ceil((double)ns / 5e8)
				       : floor((double)UNITS_DURATION_MOST_NS / 1e9));
}

void repeat_go_on(const struct repeat_ending *ending, struct repeat_run *r)
{
	const char *budget = ending->budget ? ending->budget : "";
	const int64_t planned = count_planned(budget);

	/* Trials that were too noisy to decide are measured anew; all others count. */
	r->resume = !ending->undecided || repeat_is_unfinished(ending);
	if (ending->unranked) {
		double_time(budget, r);
		return;
	}
	if (strchr(budget, ',')) /* of trials and time: the default budget, which needs no option */
		return;
	if (planned)
		(void)snprintf(r->budget, sizeof r->budget, "%" PRId64, planned);
	else
		(void)snprintf(r->budget, sizeof r->budget, "%s", budget);
}

const char *repeat_choose(const struct track_series *s, struct repeat_run *r)
{
	const bool broken = s->verdict == TRACK_BROKEN;

	/* One trial, the default configuration's, shows how it fails. */
	(void)snprintf(r->budget, sizeof r->budget, "%s", broken ? "1" : "");
	r->implementation = broken ? s->implementation : NULL;
	r->confirm = track_confirm_why(s) != TRACK_SUSPECT_NONE;
	return broken       ? "see it"
	       : r->confirm ? "measure old and new side by side"
			    : "measure it again";
}

/* Number of digits of a commit, behind which may stand " with changes". */
static size_t hash_length(const char *commit)
{
	return strcspn(commit, " ");
}

static void add_commit(struct buf *out, const char *commit)
{
	struct buf hash = {0};

	buf_add(&hash, commit, hash_length(commit));
	shell_add_argument(out, buf_str(&hash));
	out->failed |= hash.failed;
	buf_fini(&hash);
}

bool repeat_add_diff(struct buf *out, const struct track_series *s, const char *file)
{
	const bool follows = s->changed && s->points && s->index > 0;
	const struct track_point *b = follows ? &s->points[s->index] : NULL, *a = b ? b - 1 : NULL;
	const char *slash = file ? strrchr(file, '/') : NULL;
	struct buf folder = {0};

	/* Two nights of one commit differ in what no commit has: there is no diff of it. */
	if (!slash || !b || !*a->commit || !*b->commit || strcmp(a->code, b->code) == 0 ||
	    (hash_length(a->commit) == hash_length(b->commit) &&
	     strncmp(a->commit, b->commit, hash_length(a->commit)) == 0))
		return false;
	buf_add(&folder, file, slash == file ? 1 : (size_t)(slash - file));
	shell_add_argument(out, "git");
	shell_add_option(out, "-C", buf_str(&folder));
	shell_add_argument(out, "diff");
	add_commit(out, a->commit);
	add_commit(out, b->commit);
	shell_add_argument(out, "--");
	shell_add_argument(out, ".");
	out->failed |= folder.failed;
	buf_fini(&folder);
	return true;
}

void repeat_add_acknowledgement(struct buf *out, const struct track_series *s, const char *db)
{
	shell_add_program(out);
	shell_add_argument(out, "track");
	shell_add_argument(out, "ack");
	shell_add_argument(out, s->name);
	buf_add_str(out, " --reason TEXT");
	shell_add_option(out, "--db", db);
}
