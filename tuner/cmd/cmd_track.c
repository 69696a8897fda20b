/* asctune track: changes of level in histories, since when and why. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/history.h"
#include "db/run_view.h"
#include "reports/track/repeat.h"
#include "reports/track/series_csv.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_transitions.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/accept_track.h"
#include "tuner/cmd/terminal/output.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command track_command;

static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;

struct track_options {
	const char *series, *column, *db, *markdown, *junit;
	bool json, strict, all;
	bool acknowledge, list, undo; /* track ack */
	const char *name, *reason;
	uint64_t days;
	struct track_rule rule;
};

typedef void write_fn(const struct track_groups *g, struct buf *out);

static enum asc_status write_file(const char *path, write_fn *write, const struct track_groups *g,
				  const char *more, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = ASC_OK;

	if (path) {
		write(g, &text);
		buf_add_str(&text, more);
		status = buf_check(&text, e);
	}
	if (path && status == ASC_OK)
		status = output_write(path, TRACK_WRITE_MARK, text.data, text.len, e);
	buf_fini(&text);
	return status;
}

static enum asc_status write_files(const struct track_options *o, const struct track_groups *g,
				   const char *transitions, struct asc_err *e)
{
	/* JUnit has no place for transitions: a test case is a series. */
	return write_file(o->markdown, track_write_markdown, g, transitions, e)
		       ? e->status
		       : write_file(o->junit, track_write_junit, g, "", e);
}

/* Ink of the words that a line begins with; those of changes that are not new are plain. */
static enum ink ink_of(const char *line, size_t n)
{
	static const struct {
		const char *words;
		enum ink ink;
	} inks[] = {{"broken", INK_BAD},  {"slower", INK_BAD},     {"fails", INK_BAD},
		    {"worse", INK_BAD},   {"undecided", INK_WARN}, {"drifting", INK_WARN},
		    {"faster", INK_GOOD}, {"better", INK_GOOD},    {"passes", INK_GOOD}};

	for (size_t i = 0; i < sizeof inks / sizeof *inks; i++)
		if (strlen(inks[i].words) == n && strncmp(line, inks[i].words, n) == 0)
			return inks[i].ink;
	return INK_PLAIN;
}

/* Prints lines of track_write.h: the verdict in color, what does not fit below the name. */
static void print_lines(const char *text)
{
	struct prose p;

	prose_open(&p, stdout);
	while (*text) {
		const size_t n = strcspn(text, "\n"), indent = strspn(text, " ");
		size_t words = 0;

		while (words < n && strncmp(text + words, "  ", 2) != 0) /* two blanks end them */
			words++;
		prose_put(&p, ink_of(text, words), "%.*s", (int)words, text);
		prose_put(&p, INK_PLAIN, "%.*s", (int)(n - words), text + words);
		/* The line of counts begins with one of them, and hangs below nothing. */
		prose_end(&p, *text >= '0' && *text <= '9' ? 0 : indent ? indent : TRACK_HANG);
		text += n + (text[n] == '\n');
	}
	prose_close(&p);
}

static enum asc_status show(const struct track_options *o, const struct track_groups *g,
			    struct asc_err *e)
{
	struct buf text = {0};

	for (size_t i = 0; o->json && i < g->n; i++) {
		track_write_json(&g->list[i], &text);
		buf_add_char(&text, '\n');
	}
	if (!o->json && o->series)
		track_write_line(g->list->series, &text);
	else if (!o->json)
		track_write_lines(g, o->all, &text);
	enum asc_status status = buf_check(&text, e);

	if (status == ASC_OK && o->json)
		fputs(buf_str(&text), stdout);
	else if (status == ASC_OK)
		print_lines(buf_str(&text));
	buf_fini(&text);
	return status;
}

static int exit_status(const struct track_options *o, const struct track_groups *g)
{
	/* A regression counts before a doubt, with --strict, too. */
	if (g->counts.failing > 0)
		return EXIT_NEGATIVE;
	return o->strict && g->counts.uncertain > 0 ? EXIT_UNDECIDED : EXIT_DONE;
}

static int track_file(const struct track_options *o, struct asc_err *e)
{
	struct track_series s = {.name = o->series};
	const struct track_history h = {.list = &s, .n = 1, .n_all = 1};
	struct track_groups g = {0};
	double *values = NULL;
	size_t empty;
	int status = EXIT_USAGE;

	if (series_csv_read(o->series, o->column, &values, &s.n, &empty, e))
		return command_fail(e);
	if (empty > 0)
		prose_say(stderr, 2,
			  "%s: %zu %s no value: left out, the points beside %s are "
			  "successive",
			  o->series, empty, empty == 1 ? "cell has" : "cells have",
			  empty == 1 ? "it" : "them");
	s.values = values;
	/* A file is a history of one series, so that all outputs are those of a database. */
	if (track_series_judge(&s, &o->rule, e) || track_series_control(&s, 1, &o->rule, e) ||
	    track_groups_find(&h, &g, e) || write_files(o, &g, "", e) || show(o, &g, e))
		status = command_fail(e);
	else
		status = exit_status(o, &g);
	track_groups_fini(&g);
	track_series_fini(&s);
	free(values);
	return status;
}

static enum asc_status print_transition(void *user, const struct track_transition *t,
					struct asc_err *e)
{
	struct buf line = {0};

	(void)user;
	track_write_transition_json(t, &line);
	return command_print_line(&line, e);
}

/* Prints annotations in CI: the worst regressions stand at the top of the job's page. */
static enum asc_status annotate(const struct track_groups *g, struct asc_err *e)
{
	struct buf lines = {0};

	track_write_annotations(g, &lines);
	const enum asc_status status = output_annotate(&lines, e);

	buf_fini(&lines);
	return status;
}

static enum asc_status show_transitions(const struct track_options *o, struct db *db,
					const struct track_transitions *transitions,
					struct asc_err *e)
{
	struct buf text = {0};

	/* Programs get each configuration, people those with one reason as one line. */
	if (o->json)
		return track_transitions_each(db, print_transition, NULL, e);
	track_transitions_write(transitions, &text);
	enum asc_status status = buf_check(&text, e);

	if (status == ASC_OK)
		print_lines(buf_str(&text));
	buf_fini(&text);
	return status;
}

static void print_command(struct prose *p, const char *words, const char *command)
{
	prose_put(p, INK_PLAIN, "%s: ", words);
	prose_put(p, INK_COMMAND, "%s", command);
	prose_end_command(p, 2);
}

struct advice {
	const struct track_series *series;
	const char *db; /* as --db has it; NULL: not given */
};

/* Prints what can be done about a series, whose newest run is `r`. */
static enum asc_status say_next(void *user, const struct db_run_record *r, struct asc_err *e)
{
	const struct advice *a = user;
	struct repeat_run run = {.file = r->workload_file,
				 .device = r->device_kind,
				 .problem = r->problem,
				 .cache = r->cache_policy,
				 .db = a->db};
	struct buf again = {0}, ack = {0}, diff = {0};
	const char *words = repeat_choose(a->series, &run);
	struct prose p;

	repeat_add_run(&again, &run);
	repeat_add_acknowledgement(&ack, a->series, a->db);
	const bool changed = repeat_add_diff(&diff, a->series, r->workload_file);
	const bool complete = !again.failed && !ack.failed && !diff.failed;

	if (complete) {
		fflush(stdout); /* it stands behind the lines where both go to one terminal */
		prose_open(&p, stderr);
		prose_put(&p, INK_PLAIN, "next: ");
		if (changed)
			print_command(&p, "see what changed", buf_str(&diff));
		print_command(&p, words, buf_str(&again));
		print_command(&p, "or accept it", buf_str(&ack));
		prose_close(&p);
	}
	buf_fini(&again);
	buf_fini(&ack);
	buf_fini(&diff);
	return complete ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status advise(const struct track_options *o, struct db *db,
			      const struct track_groups *g, struct asc_err *e)
{
	struct advice a = {.db = o->db};

	/* About the first that fails, which is the worst. */
	for (size_t i = 0; i < g->n && !a.series; i++)
		if (track_series_fails(g->list[i].series))
			a.series = g->list[i].series;
	if (!a.series || o->json)
		return ASC_OK;
	return db_each_run(db, &(struct db_run_choice){.run_id = a.series->newest_run}, say_next,
			   &a, e);
}

static enum asc_status track_all(const struct track_options *o, struct db *db,
				 const struct track_groups *g, struct asc_err *e)
{
	struct track_transitions transitions = {0};
	struct buf table = {0};
	enum asc_status status = track_transitions_read(&transitions, db, e);

	/* Files come before lines: one that cannot be written is said before anything else. */
	if (status == ASC_OK) {
		track_transitions_drop_broken(&transitions, g);
		track_transitions_write_markdown(&transitions, &table);
		status = buf_check(&table, e);
	}
	if (status == ASC_OK)
		status = write_files(o, g, buf_str(&table), e);
	if (status == ASC_OK)
		status = show(o, g, e);
	if (status == ASC_OK)
		status = show_transitions(o, db, &transitions, e);
	if (status == ASC_OK)
		status = advise(o, db, g, e);
	track_transitions_fini(&transitions);
	buf_fini(&table);
	return status == ASC_OK ? annotate(g, e) : status;
}

/* Opens the database for writing; a missing one is not made, since `asctune run` makes it. */
static enum asc_status acknowledge(struct track_options *o, const char *path,
				   const struct track_history *h, struct asc_err *e)
{
	struct db *db = NULL;
	int64_t n = 1;
	enum asc_status status = track_known_find_name(h, o->name, o->undo, &o->name, e);

	if (status == ASC_OK)
		status = db_open(path, DB_WRITE, &db, e);
	if (status == ASC_OK && o->undo)
		status = db_forget_acknowledgements(db, o->name, &n, e);
	else if (status == ASC_OK)
		status = track_known_acknowledge(h, db, o->name, o->reason, getenv("USER"),
						 (int64_t)o->days * DAY_MS, e);
	if (status == ASC_OK && n == 0) /* --undo removed none */
		status = asc_err_set(
			e, ASC_NOTFOUND,
			"%s: not acknowledged; `asctune track ack --list` tells what is", o->name);
	if (status == ASC_OK && o->undo) {
		prose_say(stderr, 2, "%s: no longer acknowledged", o->name);
	} else if (status == ASC_OK) {
		char until[TRACK_DAY_SIZE];

		track_print_day(track_known_now_ms() + (int64_t)o->days * DAY_MS, until);
		prose_say(stderr, 2, "%s: acknowledged until %s", o->name, until);
	}
	db_close(db);
	return status;
}

/* Records what commits accept, as `ack` does; prints it. */
static enum asc_status acknowledge_all(const struct track_options *o, const char *path,
				       const struct track_history *h, const struct accepted_list *l,
				       struct asc_err *e)
{
	struct db *db = NULL;
	enum asc_status status = db_open(path, DB_WRITE, &db, e);

	for (size_t i = 0; status == ASC_OK && i < l->n; i++) {
		const struct accepted *a = &l->list[i];

		status = track_known_acknowledge(h, db, a->series, a->reason, a->by,
						 (int64_t)o->days * DAY_MS, e);
		if (status == ASC_OK)
			prose_say(stderr, 2, "%s: acknowledged by %s: %s", a->series, a->by,
				  a->reason);
	}
	db_close(db);
	return status;
}

/* Acknowledges the regressions that commits accept, and reads the histories again. Where nothing
 * can be recorded, they stay as they are, which is said. */
static enum asc_status take_accepted(const struct track_options *o, const char *path,
				     struct db **db, struct track_history **h, struct asc_err *e)
{
	struct accepted_list accepted = {0};
	struct asc_err why;
	enum asc_status status = accept_track_find(*db, *h, &accepted, e);

	if (status == ASC_OK && accepted.n > 0) {
		/* A reader may have the file alone (db_open()), so it goes before the writer comes.
		 */
		db_close(*db);
		*db = NULL;
		if (acknowledge_all(o, path, *h, &accepted, &why))
			log_print(LOG_WARN, "what commits accept is not recorded: %s", why.text);
		track_history_free(*h);
		*h = NULL;
		status = db_open(path, DB_READ, db, e);
		if (status == ASC_OK)
			status = track_history_open(*db, path, &o->rule, h, e);
	}
	accept_track_fini(&accepted);
	return status;
}

static enum asc_status list_acknowledged(struct db *db, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = track_known_list(db, &text, e);

	if (status == ASC_OK)
		prose_print(stdout, 2, buf_str(&text));
	buf_fini(&text);
	return status;
}

/* Warns of a newest run in the future: runs are judged in the order of their times, so that those
 * since would count as older. */
static void warn_of_clock(const struct track_history *h)
{
	char day[TRACK_DAY_SIZE];
	int64_t run = 0;

	for (size_t k = 0; k < h->n; k++)
		if (h->list[k].newest_ms == h->newest_ms)
			run = h->list[k].newest_run;
	if (h->newest_ms > track_known_now_ms())
		log_print(LOG_WARN,
			  "run %" PRId64 " is dated %s, in the future: the clock was put back, so "
			  "runs since then count as older",
			  run, track_print_day(h->newest_ms, day));
}

static int track_db(struct track_options *o, struct asc_err *e)
{
	const char *path = command_db_path(o->db);
	struct track_history *h = NULL;
	struct track_groups g = {0};
	struct db *db = NULL;
	int result = EXIT_DONE;
	enum asc_status status = db_open(path, DB_READ, &db, e);

	if (status == ASC_OK && !o->list)
		status = track_history_open(db, path, &o->rule, &h, e);
	if (status == ASC_OK && h && !o->acknowledge)
		status = take_accepted(o, path, &db, &h, e);
	if (status == ASC_OK && h)
		warn_of_clock(h);
	if (status == ASC_OK && o->list) {
		status = list_acknowledged(db, e);
	} else if (status == ASC_OK && o->acknowledge) {
		/* A reader may have the file alone (db_open()), so it goes before the writer comes.
		 */
		db_close(db);
		db = NULL;
		status = acknowledge(o, path, h, e);
	} else if (status == ASC_OK && track_groups_find(h, &g, e) == ASC_OK) {
		status = track_all(o, db, &g, e);
		result = exit_status(o, &g);
	} else if (status == ASC_OK) {
		status = e->status;
	}
	track_groups_fini(&g);
	track_history_free(h);
	db_close(db);
	return status ? command_fail(e) : result;
}

static void parse_word(struct track_options *o, const char *arg, struct argp_state *state)
{
	if (state->arg_num == 0 && strcmp(arg, "ack") == 0)
		o->acknowledge = true;
	else if (state->arg_num == 1 && o->acknowledge)
		o->name = arg;
	else
		command_refuse(state, "unexpected \"%s\"", arg);
}

static void check_words(const struct track_options *o, struct argp_state *state)
{
	bool says_why = o->reason && *o->reason;

	if ((o->list || o->undo) && (!o->acknowledge || o->reason || !o->name == o->undo))
		command_refuse(state, "--list and --undo are for `asctune track ack --list` and "
				      "`asctune track ack NAME --undo`");
	if (o->acknowledge && !o->list && !o->undo && (!o->name || !says_why))
		command_refuse(state, "ack needs the NAME of a series and a --reason");
	if (!o->acknowledge && o->reason)
		command_refuse(state, "--reason is for `asctune track ack`");
	if (o->column && !o->series)
		command_refuse(state, "--column is for --series");
	if (o->series && (o->db || o->acknowledge))
		command_refuse(state,
			       "--series is a file of its own: neither --db nor ack goes with it");
}

static error_t parse_track(int key, char *arg, struct argp_state *state)
{
	enum { DAYS_MOST = 36500 }; /* a century: more is a typing error */
	struct track_options *o = state->input;

	switch (key) {
	case 's': o->series = arg; return 0;
	case 'c': o->column = arg; return 0;
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case 'm': o->markdown = arg; return 0;
	case 'u': o->junit = arg; return 0;
	case 'S': o->strict = true; return 0;
	case 't': o->rule.wanted_pct = 100 * command_parse_part(state, "threshold", arg); return 0;
	case 'a': o->all = true; return 0;
	case 'r': o->reason = arg; return 0;
	case 'l': o->list = true; return 0;
	case 'U': o->undo = true; return 0;
	case 'f':
		command_parse_count(state, "for", arg, 1, &o->days);
		if (o->days > DAYS_MOST)
			command_refuse(state, "--for: at most %d days", DAYS_MOST);
		return 0;
	case ARGP_KEY_ARG: parse_word(o, arg, state); return 0;
	case ARGP_KEY_END: check_words(o, state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option track_options[] = {
	{"series", 's', "FILE", 0,
	 "file of numbers, one a line, or table with a column `value`; - is standard "
	 "input",
	 0},
	{"column", 'c', "NAME", 0, "--series: reads another column, by its name or number", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0,
	 "prints one JSON object for each series and for each configuration whose status "
	 "changed",
	 0},
	{"markdown", 'm', "FILE", 0, "writes also a summary in Markdown, for pull requests and CI",
	 0},
	{"junit", 'u', "FILE", 0, "writes also JUnit XML, in which fails what gives exit status 1",
	 0},
	{"strict", 'S', NULL, 0,
	 "exit status 4 when a series is undecided, or probably the machine's, and none fails", 0},
	{"threshold", 't', "PCT", 0,
	 "a series in which the noise would hide a step of PCT percent is undecided: its night "
	 "cannot tell",
	 0},
	{"all", 'a', NULL, 0,
	 "also lists histories that are otherwise only counted: changed earlier, unchanged, too "
	 "short, "
	 "baselines",
	 0},
	{"reason", 'r', "TEXT", 0, "ack: why the regression is accepted", 0},
	{"list", 'l', NULL, 0, "ack: lists what is acknowledged, and until when", 0},
	{"undo", 'U', NULL, 0, "ack: withdraws the acknowledgement", 0},
	{"for", 'f', "DAYS", 0, "ack: days until it expires (default 30)", 0},
	{0}};
static const struct argp track_argp = {
	track_options,
	parse_track,
	"\nack NAME --reason TEXT [--for DAYS]\nack NAME --undo\nack --list",
	"Finds the changes of level in the history of every implementation of every "
	"problem on every device (its times, and the registers, spills, memory, energy "
	"and compile time of its winner), or in a file of numbers, lower being better, "
	"and says whether the newest level is slower (a regression), faster, unchanged or "
	"undecided; names configurations that began to pass or to fail. A regression is "
	"new, confirmed or not reproduced (`asctune run --confirm`), or acknowledged: "
	"`ack` accepts the new regression of a series until it expires or the series "
	"changes again; so does a commit of the change that accepts a slower kernel as `asctune "
	"gate` has it.\vChanges are found in spite of noise, outliers, drift and "
	"autocorrelation. A change by less than 1 % counts as unchanged; a change counts "
	"as new for 7 points from the one at which it is first found, then reads `slower since "
	"earlier`; of all changes called new at most 5 % are expected to be chance, where the "
	"noise of a night does not depend on the night before and few nights are outliers: "
	"else more are. A verdict has "
	"its floor: a step under that would not be seen. A slow-down that came with another driver "
	"or clock is a regression, and says so. Baselines are not counted; a kernel whose "
	"baseline slowed alike, with nothing recorded that explains it, is probably the "
	"machine's and fails no check. A kernel of which no configuration "
	"passed in its newest run is broken. Exit status: 0 no new regression, 1 a new "
	"or confirmed regression, or a broken kernel, that nobody acknowledged, 2 usage, "
	"bad input or no database, 3 no values, 4 undecided (--strict).",
	0,
	0,
	0};

static int track_main(int argc, char **argv)
{
	struct track_options o = {.rule = track_rule_default, .days = 30};
	struct asc_err e;

	command_parse(&track_argp, argc, argv, &o);
	return o.series ? track_file(&o, &e) : track_db(&o, &e);
}

const struct command track_command = {"track", "finds regressions in histories", &track_argp,
				      track_main};
