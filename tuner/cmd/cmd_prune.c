/* asctune prune: drops samples, logs and rows of old losers from a database. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/db.h"
#include "db/prune.h"
#include "reports/results/best.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command prune_command;

#define MS_PER_DAY INT64_C(86400000)

enum { MAX_DAYS = 36500 }; /* a century: no database is older */

struct prune_options {
	const char *db, *keep;
	struct db_prune_rule rule;
	bool dry_run, json;
};

/* N, or days: 90d. */
static void parse_keep(struct prune_options *o, const char *arg, struct argp_state *state)
{
	const size_t n = strlen(arg);
	const bool days = n > 1 && arg[n - 1] == 'd';
	char *number = str_dup(arg);
	uint64_t count = 0;

	if (number && days)
		number[n - 1] = '\0';
	if (!number || !units_parse_count(number, &count) || count > (days ? MAX_DAYS : INT32_MAX))
		command_refuse(state, "--keep: expected days (90d) or a number of runs, not \"%s\"",
			       arg);
	free(number);
	o->keep = arg;
	o->rule = days ? (struct db_prune_rule){.before_ms = (int64_t)time(NULL) * 1000 -
							     (int64_t)count * MS_PER_DAY}
		       : (struct db_prune_rule){.before_ms = INT64_MAX, .newest = (int64_t)count};
}

static error_t parse_prune(int key, char *arg, struct argp_state *state)
{
	struct prune_options *o = state->input;

	switch (key) {
	case 'k': parse_keep(o, arg, state); break;
	case 'n': o->dry_run = true; break;
	case 'd': o->db = arg; break;
	case 'j': o->json = true; break;
	case ARGP_KEY_ARG: command_refuse(state, "unexpected argument \"%s\"", arg);
	case ARGP_KEY_END:
		if (!o->keep)
			command_refuse(state, "--keep is needed: days (90d) or a number of runs");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option prune_options[] = {
	{"keep", 'k', "90d|N", 0,
	 "runs of so many days, or the N newest of each problem on each device by each cache "
	 "policy, lose nothing",
	 0},
	{"dry-run", 'n', NULL, 0, "only says what would be dropped", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object", 0},
	{0}};
static const struct argp prune_argp = {
	prune_options,
	parse_prune,
	NULL,
	"Makes a database smaller: drops samples and logs of the losers of old runs, and all of "
	"those that a later run has tried again.\vNo answer, history or page changes, and "
	"`--resume` repeats nothing. Nothing is "
	"dropped of defaults, answers, finalists, failures that withdraw a configuration, imports "
	"and nights that `track` compares with. The file is written anew, for which its disk needs "
	"room for a second one; runs may record meanwhile.",
	0,
	0,
	0};

static enum asc_status write_json(const struct db_pruned *p, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_int(&w, "runs", p->runs);
	json_write_int(&w, "trials", p->trials);
	json_write_int(&w, "removed", p->removed);
	json_write_int(&w, "sample_bytes", p->sample_bytes);
	json_write_int(&w, "log_bytes", p->log_bytes);
	json_write_int(&w, "kept_for_track", p->kept);
	json_write_int(&w, "in_progress", p->busy);
	json_write_int(&w, "bytes_before", p->bytes_before);
	json_write_int(&w, "bytes_after", p->bytes_after);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

static enum asc_status show(const struct prune_options *o, const struct db_pruned *p,
			    struct asc_err *e)
{
	char size[96] = "";

	if (o->json)
		return write_json(p, e);
	/* One that was stopped has dropped, and not written the file anew: the next one does. */
	if (!o->dry_run && p->bytes_after == p->bytes_before)
		(void)snprintf(size, sizeof size, "; the file has %.1f MB",
			       (double)p->bytes_after * 1e-6);
	else if (!o->dry_run)
		(void)snprintf(size, sizeof size, "; the file had %.1f MB, has %.1f MB",
			       (double)p->bytes_before * 1e-6, (double)p->bytes_after * 1e-6);
	if (p->trials == 0)
		prose_say(stdout, 2, "nothing is left to drop%s", size);
	else
		prose_say(stdout, 2,
			  "%" PRId64 " %s in %" PRId64
			  " %s %s %.1f MB of samples and %.1f MB of logs%s",
			  p->trials, p->trials == 1 ? "trial" : "trials", p->runs,
			  p->runs == 1 ? "run" : "runs", o->dry_run ? "would lose" : "lost",
			  (double)p->sample_bytes * 1e-6, (double)p->log_bytes * 1e-6, size);
	if (p->removed > 0)
		prose_say(stdout, 2,
			  "%" PRId64 " of them %s removed: later runs tried the same again",
			  p->removed, o->dry_run ? "would be" : "are");
	if (p->kept > 0)
		prose_say(stdout, 2,
			  "%" PRId64 " old %s lost nothing: `asctune track` compares with %s",
			  p->kept, p->kept == 1 ? "run" : "runs", p->kept == 1 ? "it" : "them");
	if (p->busy > 0)
		prose_say(stdout, 2,
			  "%" PRId64
			  " old %s lost nothing: their problems have new results that no "
			  "answer counts yet",
			  p->busy, p->busy == 1 ? "run" : "runs");
	return ASC_OK;
}

static int prune_main(int argc, char **argv)
{
	struct prune_options o = {0};
	struct db_pruned pruned = {0};
	struct db *db = NULL;
	struct asc_err e, said;

	command_parse(&prune_argp, argc, argv, &o);
	const char *path = command_db_path(o.db);
	/* For reading first: a database that is not there is not made. */
	enum asc_status status = db_open(path, DB_READ, &db, &e);

	if (status == ASC_OK && !o.dry_run) {
		db_close(db);
		db = NULL;
		status = db_open(path, DB_WRITE, &db, &e);
		/* Answers, which lose nothing, have to be known. */
		if (status == ASC_OK)
			status = best_keep(db, ASC_OK, &e);
	}
	const bool opened = status == ASC_OK;

	if (opened)
		status = db_prune(db, &o.rule, o.dry_run, &pruned, &e);
	db_close(db);
	/* Samples that were dropped before a failure stay dropped. */
	if (opened && (status == ASC_OK || pruned.trials > 0) && show(&o, &pruned, &said) &&
	    !status)
		return command_fail(&said);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command prune_command = {"prune", "drops old losers", &prune_argp, prune_main};
