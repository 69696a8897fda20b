/* asctune report: one page about everything that the database holds, or about how two choices of
 * its runs, or of others', compare. */
#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/page.h"
#include "reports/track/track_compare.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/report_side.h"
#include "tuner/cmd/terminal/output.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command report_command;

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
	 "compares with SIDE: a database, or of this one a run's number, a date (YYYY-MM-DD, UTC) "
	 "or "
	 "a device; of each kernel its newest run there counts",
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

static bool is_stdout(const struct report_options *o)
{
	return strcmp(o->file, "-") == 0;
}

static enum asc_status write_database(struct page_request r, struct buf *page, struct asc_err *e)
{
	enum asc_status status = command_open_results(r.path, &r.db, e);

	if (status == ASC_OK)
		status = page_write(&r, page, e);
	db_close(r.db);
	return status;
}

static enum asc_status write_comparison(struct page_request r, const char *const words[TRACK_SIDES],
					struct buf *page, struct asc_err *e)
{
	struct report_sides sides;
	struct track_comparison *c = NULL;
	enum asc_status status = report_sides_open(&sides, r.path, words, e);

	if (status == ASC_OK)
		status = track_compare(sides.list, &track_rule_default, &c, e);
	r.sides = sides.list;
	r.comparison = c;
	if (status == ASC_OK)
		status = page_write(&r, page, e);
	track_comparison_free(c);
	report_sides_close(&sides);
	return status;
}

static enum asc_status write_page(const struct report_options *o, struct buf *page,
				  struct asc_err *e)
{
	const struct page_request r = {
		.path = command_db_path(o->db), .file = o->file, .version = ASCTUNE_VERSION};
	const enum asc_status status = o->words[TRACK_BASE] ? write_comparison(r, o->words, page, e)
							    : write_database(r, page, e);

	if (status || !is_stdout(o))
		return status ? status : output_write(o->file, PAGE_MARK, page->data, page->len, e);
	fwrite(page->data, 1, page->len, stdout);
	return ASC_OK;
}

static int report_main(int argc, char **argv)
{
	struct report_options o = {.file = "report.html"};
	struct buf page = {0};
	struct asc_err e;

	command_parse(&report_argp, argc, argv, &o);
	int result = write_page(&o, &page, &e) ? command_fail(&e) : EXIT_DONE;

	if (result == EXIT_DONE && !is_stdout(&o))
		prose_say(stderr, 2, "%s written, %zu kB", o.file, (page.len + 999) / 1000);
	buf_fini(&page);
	return result;
}

const struct command report_command = {"report", "writes a page about all results", &report_argp,
				       report_main};
