/* The section on method: what the page was made of, how verdicts are found, devices, and the
 * verdicts for programs. */
#include "reports/track/track_write.h"

#include <inttypes.h>
#include <string.h>

#include "db/overview.h"
#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/plotter.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

static void write_run_rules(struct buf *out)
{
	buf_add_str(
		out,
		"<dt>best of a run</dt><dd>The winner of its finals, with its time there; without "
		"finals the lowest median (database: final, trial).</dd>\n"
		"<dt>interval</dt><dd>Order statistics that hold the median with at least 95 %, "
		"whatever the distribution; from 6 samples on.</dd>\n"
		"<dt>class of ties</dt><dd>Finalists whose time as a multiple of the chosen "
		"one's, round by round, reaches 1 within its interval.</dd>\n"
		"<dt>importance</dt><dd>Omega squared of log time over the configurations of the "
		"best implementation that passed: (SSb − (k − 1) MSw) / (SSt + MSw) with k groups, "
		"one for each value, or pair of values; cut at 0. The parameter with the largest "
		"share "
		"comes first, the next are of what those before leave, so that shares add up; from "
		"twice as many configurations on as the parameters have values beyond the first. "
		"Descriptive: the strategy chose "
		"what was tried. Methods that fit trees give other numbers.</dd>\n"
		"<dt>left out by conditions</dt><dd>In the order of the workload and then of the "
		"device: how many configurations each removes of those that are left, counted when "
		"the run began (database: run_space).</dd>\n"
		"<dt>roofline</dt><dd>The lesser of the measured peak and of intensity times the "
		"measured bandwidth, the best ever measured of the device (database: peak; the "
		"user's cache); work and bytes as the workload states them.</dd>\n");
}

static void write_rules(struct buf *out)
{
	const struct track_rule *r = &track_rule_default;

	buf_print(
		out,
		"<dl>\n"
		"<dt>history</dt><dd>One for each device model, workload, problem, implementation "
		"and cache policy. A point is a run; its value is the median time of the fastest "
		"configuration, in the finals where it took part (database: trial, final). Lower "
		"is "
		"better.</dd>\n"
		"<dt>left out</dt><dd>Imported results, and runs of which more than 5 %% of the "
		"samples were taken beside other load or at a low clock, where most runs of the "
		"history were not.</dd>\n"
		"<dt>change</dt><dd>Piecewise constant levels by least absolute deviations, as "
		"many "
		"as describe the history shortest; each change is then tested between its two "
		"levels (p &lt; 0.001; the newest ten points 3.95 standard errors). A level has at "
		"least 5 points, the newest 2.</dd>\n"
		"<dt>floor</dt><dd>A step under this size would not be seen: with it in the newest "
		"points, a change is found with a probability of 90 %%. It follows from the noise, "
		"the number of points and the level of alarm.</dd>\n"
		"<dt>level</dt><dd>Huber's location of the points between two changes; the band is "
		"one standard deviation of single points.</dd>\n"
		"<dt>change in %%</dt><dd>Of the level before, in brackets both ends of the 95 %% "
		"interval of the difference: +4.3 %% [+2.9, +5.6]. It may be none where they hold "
		"0.</dd>\n"
		"<dt>verdict</dt><dd>A change of at least %g %% is slower or faster for %zu runs "
		"from the one at which it is first found, then slower or faster since earlier; of "
		"all new ones, "
		"at most %g %% are expected to be chance (Benjamini and Hochberg). What does not "
		"stand that, and a newest point far out alone, is undecided.</dd>\n"
		"<dt>acknowledged</dt><dd>By <code>asctune track ack</code>, until the day that is "
		"given; it is slower still.</dd>\n"
		"<dt>without data</dt><dd>Took part in the newest run of its problem without one "
		"trial that passed.</dd>\n",
		r->least_pct, r->fresh, 100 * r->false_share);
	write_run_rules(out);
	buf_add_str(out, "</dl>\n");
}

/* ---- the page itself ---- */

static void write_runs(const struct db_overview *o, struct buf *out)
{
	char first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE];

	buf_print(out, "<dt>runs</dt><dd>%" PRId64, o->runs);
	number_print_moment(o->first_ms, first);
	number_print_moment(o->last_ms, last);
	/* One run, or several of one minute, have one moment. */
	if (o->runs > 0 && strcmp(first, last) != 0)
		buf_print(out, " from %s to %s", first, last);
	else if (o->runs > 0)
		buf_print(out, " on %s", last);
	if (o->runs > 0)
		buf_print(out, "; %" PRId64 " of %" PRId64 " trials passed", o->ok_trials,
			  o->trials);
	if (o->imported_runs > 0)
		buf_print(out, "; %" PRId64 " imported, which count for nothing here",
			  o->imported_runs);
	if (o->standin_runs > 0)
		buf_print(out, "; %" PRId64 " simulated, which count for nothing here",
			  o->standin_runs);
	buf_add_str(out, "</dd>\n");
}

static void write_command(const struct page_request *r, struct buf *out)
{
	struct buf words = {0};

	shell_add_program(&words);
	shell_add_argument(&words, "report");
	shell_add_option(&words, "--db", r->path);
	shell_add_option(&words, "-o", r->file);
	buf_add_str(out, "<dt>made by</dt><dd>asctune ");
	html_text(out, r->version);
	buf_add_str(out, ": ");
	page_write_command(&words, out);
	buf_add_str(out, "</dd>\n");
	buf_fini(&words);
}

static enum asc_status write_origin(struct page *p, struct asc_err *e)
{
	struct db_overview o;

	if (db_find_overview(p->db, &o, e))
		return e->status;
	buf_add_str(p->out, "<dl>\n");
	write_runs(&o, p->out);
	buf_add_str(p->out, "<dt>database</dt><dd>");
	html_name(p->out, p->request->path, 200);
	buf_add_str(p->out, "</dd>\n");
	write_command(p->request, p->out);
	buf_add_str(p->out, "<dt>pictures</dt><dd>");
	if (p->plotter->program) {
		buf_add_str(p->out, "gnuplot ");
		html_text(p->out, p->plotter->version);
	} else {
		buf_add_str(p->out, "none, ");
		html_text(p->out, p->plotter->reason);
	}
	buf_add_str(p->out, "</dd>\n</dl>\n");
	return ASC_OK;
}

static const struct html_column columns[] = {
	{"device", NULL, false}, {"architecture", NULL, false}, {"driver", NULL, false},
	{"clock", NULL, false},  {"fingerprint", NULL, false},  {"asctune", NULL, false},
	{"runs", NULL, true},    {"first", NULL, true},         {"newest", NULL, true},
	{NULL, NULL, false}};

static void cell_day(struct html_table *t, int64_t ms)
{
	char day[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, (double)ms);
	buf_add_str(t->out, number_print_day(ms, day));
	html_cell_end(t);
}

static enum asc_status write_environment(void *user, const struct db_environment *v,
					 struct asc_err *e)
{
	struct html_table *t = user;

	(void)e;
	if (!html_table_row(t))
		return ASC_OK;
	html_cell_begin(t);
	html_name(t->out, v->device_kind, 40);
	buf_add_str(t->out, ": ");
	html_name(t->out, v->device_model, 80);
	html_cell_end(t);
	html_cell_name(t, v->arch, 60);
	html_cell_name(t, v->driver, 80);
	html_cell_name(t, v->clock, 40);
	html_cell_name(t, v->fingerprint, 12);
	html_cell_name(t, v->version, 40);
	html_cell_count(t, v->runs);
	cell_day(t, v->first_ms);
	cell_day(t, v->last_ms);
	return ASC_OK;
}

/* Writes the changes as `asctune track --json` prints them. */
static void write_data(struct page *p)
{
	struct buf json = {0};
	size_t n = 0;

	buf_add_str(p->out, "<script type=\"application/json\" id=\"verdicts\">[");
	for (size_t i = 0; i < p->groups.n && n < HTML_TABLE_SHOWN; i++) {
		const struct track_series *s = p->groups.list[i].series;

		if (s->tracked || s->verdict == TRACK_UNCHANGED) /* no kernel, or nothing to say */
			continue;
		buf_clear(&json);
		track_write_json(&p->groups.list[i], &json);
		buf_add_str(p->out, n++ ? ",\n" : "\n");
		html_json(p->out, buf_str(&json));
		p->out->failed |= json.failed;
	}
	buf_add_str(p->out, "]</script>\n");
	buf_fini(&json);
}

enum asc_status page_write_method(struct page *p, struct asc_err *e)
{
	struct html_table t = {.out = p->out,
			       .id = "environments",
			       .caption = "Devices, drivers and versions, the newest first",
			       .columns = columns};

	if (write_origin(p, e))
		return e->status;
	buf_add_str(p->out, "<details><summary>Words and rules</summary>\n");
	write_rules(p->out);
	buf_add_str(p->out, "</details>\n");
	buf_add_str(p->out, "<details><summary>Devices, drivers and versions</summary>\n");
	html_table_begin(&t);
	enum asc_status status = db_each_environment(p->db, write_environment, &t, e);

	html_table_end(&t);
	buf_add_str(p->out, "</details>\n");
	write_data(p);
	return status;
}
