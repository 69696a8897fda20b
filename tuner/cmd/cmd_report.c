/* asctune report: one page about everything that the database holds, or about how two choices of
 * its runs, or of others', compare. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "db/db.h"
#include "db/overview.h"
#include "db/run_view.h"
#include "reports/page/page.h"
#include "reports/track/track_compare.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/output.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command report_command;

static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;

struct report_options {
	const char *file, *db;
	const char *words[TRACK_SIDES]; /* sides of a comparison as given; NULL: not given */
};

enum { KEY_BASE = 0x100, KEY_AGAINST };

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;

	switch (key) {
	case 'o': o->file = arg; return 0;
	case 'd': o->db = arg; return 0;
	case KEY_BASE: o->words[TRACK_BASE] = arg; return 0;
	case KEY_AGAINST: o->words[TRACK_AGAINST] = arg; return 0;
	case ARGP_KEY_END:
		if (o->words[TRACK_AGAINST] && !o->words[TRACK_BASE])
			command_refuse(state, "--against needs --base");
		return 0;
	case ARGP_KEY_ARG: command_refuse(state, "unexpected \"%s\"", arg); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option report_options[] = {
	{"output", 'o', "FILE", 0, "file to write (default report.html); - is stdout", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"base", KEY_BASE, "SIDE", 0,
	 "compares with SIDE: a database, or of this one a run's number or several (3-5), a date "
	 "(YYYY-MM-DD, UTC) or a device; of each kernel its newest run there counts",
	 0},
	{"against", KEY_AGAINST, "SIDE", 0,
	 "what --base is compared with (default: the newest runs of this database)", 0},
	{0}};
static const struct argp report_argp = {
	report_options,
	parse_report,
	NULL,
	"Writes one HTML file about everything in the database: the best configurations, "
	"what became slower or faster, the history of every kernel with its changes, the "
	"newest runs, and the method behind all that. With --base the page is about how two "
	"runs, nights, devices or databases compare: changes with their intervals, the worst "
	"first, what is within noise folded, and what only one of them has.\vThe page needs no "
	"other file and "
	"no network. Its pictures are drawn by gnuplot 5.4 or newer (Debian: "
	"gnuplot-nox); without gnuplot the page has its tables alone and says so. The "
	"same database and peaks give the same page. Exit status: 0 the page was written, with "
	"regressions or without (`asctune track` has them as its exit status), 2 usage, "
	"bad input or no database.",
	0,
	0,
	0};

/* ---- the sides of a comparison ---- */

struct report_sides {
	const char *path; /* the own database, which runs, dates and devices are of; borrowed */
	struct db *own;   /* NULL: no side has needed it yet */
	struct track_side list[TRACK_SIDES];
	char *names[TRACK_SIDES];
};

static enum asc_status open_own(struct report_sides *s, struct asc_err *e)
{
	return s->own ? ASC_OK : db_open(s->path, DB_READ, &s->own, e);
}

/* Opens a database of choice; the own one, or that of the other side, is not opened twice. */
static enum asc_status open_file(struct report_sides *s, struct track_side *side, const char *path,
				 struct asc_err *e)
{
	const struct track_side *base = &s->list[TRACK_BASE];

	side->path = path;
	if (file_is_same(path, s->path)) {
		const enum asc_status status = open_own(s, e);

		side->db = s->own;
		return status;
	}
	if (side != base && base->db && file_is_same(path, base->path)) {
		side->db = base->db;
		return ASC_OK;
	}
	return db_open(path, DB_READ, &side->db, e);
}

/* Takes numbers of runs, "3" or "3-5"; false: the word is something else. */
static bool take_runs(const char *word, struct track_choice *c)
{
	static const char digits[] = "0123456789";
	const size_t n = strspn(word, digits);
	const char *last = word[n] == '-' ? word + n + 1 : word;

	if (n == 0 || (word[n] && word[n] != '-') || !*last || last[strspn(last, digits)])
		return false;
	c->first_run = strtoll(word, NULL, 10);
	c->last_run = strtoll(last, NULL, 10);
	return true;
}

static bool is_date(const char *word)
{
	static const char like[] = "0000-00-00";

	for (size_t i = 0; i < sizeof like; i++)
		if (like[i] == '0' ? !(word[i] >= '0' && word[i] <= '9') : word[i] != like[i])
			return false;
	return true;
}

static enum asc_status find_run(void *user, const struct db_run_record *r, struct asc_err *e)
{
	(void)r;
	(void)e;
	*(bool *)user = true;
	return ASC_OK;
}

/* ASC_NOTFOUND for a number that is no run: a page about nothing would hide the typing error. */
static enum asc_status check_runs(const struct report_sides *s, const struct track_choice *c,
				  struct asc_err *e)
{
	const int64_t ends[] = {c->first_run, c->last_run};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		bool found = false;

		if (ends[i] > 0 && db_each_run(s->own, &(struct db_run_choice){.run_id = ends[i]},
					       find_run, &found, e))
			return e->status;
		if (!found)
			return asc_err_set(e, ASC_NOTFOUND, "%s: no run %" PRId64, s->path,
					   ends[i]);
	}
	return c->first_run <= c->last_run
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT,
				     "%" PRId64 "-%" PRId64 ": the lower number first",
				     c->first_run, c->last_run);
}

/* Chooses the runs of a day, in UTC. */
static enum asc_status choose_date(struct track_side *side, const char *word, struct asc_err *e)
{
	struct tm t = {0};
	char again[16];

	strptime(word, "%Y-%m-%d", &t);
	const time_t start = timegm(&t);

	/* timegm() takes the 31st of June for the 1st of July: printed again it is another day. */
	if (!gmtime_r(&start, &t) || !strftime(again, sizeof again, "%Y-%m-%d", &t) ||
	    strcmp(again, word) != 0)
		return asc_err_set(e, ASC_INPUT, "%s: no such date", word);
	side->choice.from_ms = (int64_t)start * 1000;
	side->choice.until_ms = side->choice.from_ms + DAY_MS;
	return ASC_OK;
}

static enum asc_status find_device(void *user, const struct db_environment *v, struct asc_err *e)
{
	struct track_side *side = user;

	(void)e;
	if (str_is_same(v->device_model, side->word))
		side->choice.device = side->word;
	return ASC_OK;
}

static enum asc_status choose_device(struct report_sides *s, struct track_side *side,
				     const char *word, struct asc_err *e)
{
	if (db_each_environment(s->own, find_device, side, e))
		return e->status;
	if (!side->choice.device)
		return asc_err_set(e, ASC_NOTFOUND,
				   "%s: neither a database, a run's number, a date (YYYY-MM-DD) "
				   "nor a device of %s",
				   word, s->path);
	return ASC_OK;
}

/* Opens a side. A word is tried in this order: no word, the own database; a number, a run of it; a
 * date; a file that is there, another database; else the name of a device. */
static enum asc_status open_side(struct report_sides *s, enum track_side_index k, const char *word,
				 struct asc_err *e)
{
	struct track_side *side = &s->list[k];
	enum asc_status status;
	const bool runs = word && take_runs(word, &side->choice);

	side->word = word;
	if (word && !runs && !is_date(word) && access(word, F_OK) == 0) {
		status = open_file(s, side, word, e);
	} else {
		status = open_own(s, e);
		side->db = s->own;
		side->path = s->path;
		if (status == ASC_OK && word)
			status = runs            ? check_runs(s, &side->choice, e)
				 : is_date(word) ? choose_date(side, word, e)
						 : choose_device(s, side, word, e);
	}
	if (status != ASC_OK)
		return status;
	s->names[k] = runs ? str_print(strchr(word, '-') ? "runs %s" : "run %s", word)
			   : str_dup(word ? word : s->path);
	side->name = s->names[k];
	return side->name ? ASC_OK : asc_err_nomem(e);
}

/* A database that two of the three share is closed once. */
static void close_sides(struct report_sides *s)
{
	struct db *base = s->list[TRACK_BASE].db, *against = s->list[TRACK_AGAINST].db;

	if (against != s->own && against != base)
		db_close(against);
	if (base != s->own)
		db_close(base);
	db_close(s->own);
	for (int k = TRACK_BASE; k < TRACK_SIDES; k++)
		free(s->names[k]);
}

/* ---- the page ---- */

static enum asc_status write_comparison(struct page_request r, const char *const words[TRACK_SIDES],
					struct buf *page, struct asc_err *e)
{
	struct report_sides sides = {.path = r.path};
	struct track_comparison *c = NULL;
	enum asc_status status = ASC_OK;

	for (int k = TRACK_BASE; k < TRACK_SIDES && status == ASC_OK; k++)
		status = open_side(&sides, k, words[k], e);
	if (status == ASC_OK)
		status = track_compare(sides.list, &track_rule_default, &c, e);
	r.sides = sides.list;
	r.comparison = c;
	if (status == ASC_OK)
		status = page_write(&r, page, e);
	track_comparison_free(c);
	close_sides(&sides);
	return status;
}

static enum asc_status write_page(const struct report_options *o, struct buf *page,
				  struct asc_err *e)
{
	struct page_request r = {
		.path = command_db_path(o->db), .file = o->file, .version = ASCTUNE_VERSION};
	enum asc_status status;

	if (o->words[TRACK_BASE]) {
		status = write_comparison(r, o->words, page, e);
	} else {
		status = command_open_results(r.path, &r.db, e);
		if (status == ASC_OK)
			status = page_write(&r, page, e);
		db_close(r.db);
	}
	if (status == ASC_OK)
		status = output_put(o->file, PAGE_MARK, page, e);
	return status;
}

static int report_main(int argc, char **argv)
{
	struct report_options o = {.file = "report.html"};
	struct buf page = {0};
	struct asc_err e;

	command_parse(&report_argp, argc, argv, &o);
	int result = write_page(&o, &page, &e) ? command_fail(&e) : EXIT_DONE;

	/* In kB, rounded up: no page is written of 0. */
	if (result == EXIT_DONE && !output_is_stdout(o.file))
		prose_say(stderr, 2, "%s written, %zu kB", o.file, (page.len + 999) / 1000);
	buf_fini(&page);
	return result;
}

const struct command report_command = {"report", "writes a page about all results", &report_argp,
				       report_main};
