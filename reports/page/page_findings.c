/* Findings, and the card of each: what happened, why, and what to do.
 *
 * A card is about one group of reports/track: one kernel; several kernels that one cause explains,
 * of which the first has the words and the picture and the others a line each; or the broken
 * implementations of one problem. */
#include "reports/page/page_findings.h"

#include <ctype.h>
#include <string.h>

#include "db/history.h"
#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/track/repeat.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"

/* ---- the list ---- */

enum asc_status page_findings_read(struct page *p, struct asc_err *e)
{
	const size_t n = p->history ? p->history->n : 0;
	struct page_finding *list = page_alloc(p, (n + 1) * sizeof *list);
	bool *fresh = page_alloc(p, (n + 1) * sizeof *fresh);

	if (!list || !fresh)
		return asc_err_nomem(e);
	p->findings = list;
	if (n == 0)
		return ASC_OK;
	if (track_groups_find(p->history, &p->groups, e) ||
	    track_night_find_fresh(p->history, p->db, &track_rule_default, fresh, e))
		return e->status;
	for (size_t i = 0; i < p->groups.n; i++) {
		const struct track_entry *x = &p->groups.list[i];

		/* Metrics have no place on the page: `asctune track` names them. */
		if (!x->listed || x->series->tracked)
			continue;
		const struct page_series *place = p->series;
		const struct page_kernel *kernel = NULL;

		while (place->series != x->series) /* the list has all series of the history */
			place++;
		for (size_t k = 0; k < p->n_kernels && !kernel; k++) {
			const struct track_kernel tuned = page_series_kernel(&p->kernels[k].run);

			if (track_kernel_has(&tuned, x->series))
				kernel = &p->kernels[k];
		}
		list[p->n_findings++] =
			(struct page_finding){.entry = x,
					      .place = place,
					      .kernel = kernel,
					      .fresh = fresh[x->series - p->history->list]};
	}
	return ASC_OK;
}

size_t page_findings_size(const struct page *p, size_t first)
{
	return track_groups_size(&p->groups, (size_t)(p->findings[first].entry - p->groups.list));
}

size_t page_findings_count_fresh(const struct page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_findings; i++)
		n += p->findings[i].fresh;
	return n;
}

/* ---- cards ---- */

enum { WHY = 300, NAME = 60 }; /* characters; all of a name is in its tooltip */

static const char fresh_mark[] = "<span title=\"new tonight\">●</span> ";

struct card {
	struct page *p;
	struct buf *out;
	const struct page_finding *finding;
	const struct track_series *series;
	const struct track_point *points;
};

static struct card begin_card(struct page *p, const struct page_finding *f)
{
	return (struct card){.p = p,
			     .out = p->out,
			     .finding = f,
			     .series = f->place->series,
			     .points = track_history_points(p->history, f->place->number)};
}

/* ---- what ---- */

/* Writes the change with its interval, from and to, and since when. */
static void write_change(const struct card *c)
{
	const struct track_series *s = c->series;
	char text[NUMBER_TEXT_SIZE], after[NUMBER_TEXT_SIZE];

	if (s->verdict == TRACK_DRIFTING) {
		buf_add_str(c->out, " <span class=\"mut\">");
		track_write_drift(s, c->out);
		buf_add_str(c->out, "</span>");
		return;
	}
	if (!s->changed) { /* broken, or undecided: there is no before and after */
		if (s->newest_ns > 0)
			buf_print(c->out, " <span class=\"mut\">%s %s</span>",
				  s->verdict == TRACK_BROKEN ? "last good:" : "newest:",
				  number_print_time(s->newest_ns, text));
		return;
	}
	buf_print(c->out, " <span class=\"mut\">%s → ", number_print_time(s->before, text));
	buf_print(c->out, "%s, ", number_print_time(s->after, after));
	buf_print(c->out, "since <a href=\"#%s\">%s</a></span>", c->finding->place->id,
		  number_print_day(c->points[s->index].started_ms, text));
}

/* Writes the problem, linked to its card, and its implementation or how many there are. */
static void write_name(const struct card *c, size_t implementations)
{
	const bool linked = c->finding->kernel && c->finding->kernel->card;

	if (linked)
		buf_print(c->out, "<a href=\"#%s\">", c->finding->kernel->id);
	page_kernel_write_name(c->series->workload, c->series->problem, c->out);
	buf_add_str(c->out, linked ? "</a> <small>" : " <small>");
	if (implementations > 1)
		buf_print(c->out, "%zu implementations", implementations);
	else
		html_name(c->out, c->series->implementation, NAME);
	if (c->p->several_devices) {
		buf_add_str(c->out, ", ");
		html_name(c->out, c->series->device, NAME);
	}
	buf_add_str(c->out, "</small>");
}

static void write_what(const struct card *c)
{
	const struct track_series *s = c->series;
	const char *state = track_state_name(track_series_state(s));
	char text[NUMBER_TEXT_SIZE];

	buf_print(c->out, "<h4>%s<span class=\"%s\">%s", c->finding->fresh ? fresh_mark : "",
		  page_verdict_looks[s->verdict].class, page_verdict_looks[s->verdict].mark);
	/* "slower" and "faster" are the heading of their cards. */
	if (s->verdict != TRACK_REGRESSION && s->verdict != TRACK_IMPROVEMENT)
		buf_print(c->out, " %s", track_verdict_words(s->verdict));
	if (s->changed)
		buf_print(c->out, " %s", number_print_change(s, text));
	buf_add_str(c->out, "</span> ");
	write_name(c, 1);
	write_change(c);
	if (*state && strcmp(state, "new") != 0) /* a card is about what is new */
		buf_print(c->out, " <span class=\"pill\">%s</span>", state);
	buf_add_str(c->out, "</h4>\n");
}

/* ---- why ---- */

/* Writes "NAME IS, was WAS." where the two differ; returns whether they do. */
static bool write_fact(struct buf *out, const char *name, const char *was, const char *is)
{
	if (strcmp(was, is) == 0)
		return false;
	buf_print(out, " <strong>%s</strong> ", name);
	html_name(out, is, NAME);
	buf_add_str(out, ", was ");
	html_name(out, was, NAME);
	buf_add_char(out, '.');
	return true;
}

bool page_facts_write(const struct track_series *s, const struct track_point *points,
		      struct buf *out)
{
	/* The last run before the change and the first one after it. */
	const struct track_point *a = &points[s->index - 1], *b = &points[s->index];
	struct track_clocks mhz;
	bool any = write_fact(out, "Driver", a->driver, b->driver);

	any |= write_fact(out, "Architecture", a->arch, b->arch);
	any |= write_fact(out, "Clock", a->clock, b->clock);
	if (track_cause_clocks(s, points, &mhz)) {
		buf_print(out, " <strong>Clock</strong> %.0f MHz, was %.0f.", mhz.after,
			  mhz.before);
		any = true;
	}
	any |= write_fact(out, "Compiler", a->toolchain, b->toolchain);
	any |= write_fact(out, "asctune", a->version, b->version);
	if (*a->commit && *b->commit)
		any |= write_fact(out, "Commit", a->commit, b->commit);
	/* The key of the code covers the compiler, too: after another compiler it says nothing. */
	if (strcmp(a->code, b->code) != 0 && strcmp(a->toolchain, b->toolchain) == 0) {
		buf_add_str(out, " The <strong>source changed</strong>, the compiler did not.");
		any = true;
	}
	return any;
}

/* Writes what became of the configuration that won before. */
static void write_winner(const struct card *c)
{
	const struct track_old_best *old = &c->series->old_best;
	char text[NUMBER_TEXT_SIZE];

	buf_print(c->out, " Another configuration won: the old best <strong>%s</strong>",
		  old->words);
	if (old->ns > 0)
		buf_print(c->out, " %s now", number_print_time(old->ns, text));
	if (old->reason) {
		buf_add_str(c->out, " (<code>");
		html_name(c->out, old->reason, WHY);
		buf_add_str(c->out, "</code>)");
	}
	buf_add_char(c->out, '.');
}

/* Writes words, which begin with an ASCII letter, as a sentence. */
static void write_sentence(const struct card *c, const char *words)
{
	buf_print(c->out, " %c", toupper((unsigned char)*words));
	html_text(c->out, words + (*words != 0));
	buf_add_char(c->out, '.');
}

static void write_control(const struct card *c)
{
	struct buf words = {0};

	if (!c->series->control.known)
		return;
	if (c->series->by_machine)
		buf_print(&words, "%s: ", track_state_name(TRACK_STATE_MACHINE));
	track_write_control(c->series, NULL, &words);
	write_sentence(c, buf_str(&words));
	c->out->failed |= words.failed;
	buf_fini(&words);
}

static void write_causes(const struct card *c)
{
	const struct track_series *s = c->series;

	write_control(c);
	const bool told = page_facts_write(s, c->points, c->out);

	if (s->old_best.words)
		write_winner(c);
	else if (!told && !s->by_machine)
		buf_add_str(c->out,
			    " The same configuration; nothing was recorded to have changed: "
			    "same source, compiler, driver and clock.");
	else
		buf_add_str(c->out, " Same configuration.");
}

static void write_failed_day(const struct card *c)
{
	char day[NUMBER_TEXT_SIZE];

	buf_print(c->out,
		  "No configuration passed on %s:", number_print_day(c->series->newest_ms, day));
}

/* Writes how the configurations failed, and when one last passed. */
static enum asc_status write_failures(const struct card *c, struct asc_err *e)
{
	char day[NUMBER_TEXT_SIZE];
	const enum asc_status status =
		db_each_failure(c->p->db, c->series->newest_run, c->series->implementation,
				page_failure_write, c->out, e);

	if (c->series->n > 0)
		buf_print(c->out, " It last passed on %s.",
			  number_print_day(c->points[c->series->n - 1].started_ms, day));
	return status;
}

static enum asc_status write_why(const struct card *c, struct asc_err *e)
{
	const struct track_series *s = c->series;
	enum asc_status status = ASC_OK;

	buf_add_str(c->out, "<p class=\"why\">");
	if (s->verdict == TRACK_BROKEN) {
		write_failed_day(c);
		status = write_failures(c, e);
	} else if (s->changed && s->index > 0) {
		write_causes(c);
	}
	if (s->verdict == TRACK_DRIFTING)
		write_control(c);
	if (s->doubt)
		write_sentence(c, s->doubt);
	if (s->again.note) {
		buf_add_char(c->out, ' ');
		html_name(c->out, s->again.note, WHY);
	}
	if (s->faster.config) {
		buf_print(c->out, " Its search found %.1f %% faster: ", s->faster.pct);
		html_name(c->out, s->faster.config, WHY);
	}
	buf_add_str(c->out, "</p>\n");
	return status;
}

static void write_acknowledgement(const struct card *c)
{
	const struct track_series *s = c->series;
	char day[NUMBER_TEXT_SIZE];

	if (!s->ack.reason)
		return;
	buf_add_str(c->out, "<p class=\"note\">Acknowledged ");
	if (s->ack.by && *s->ack.by) {
		buf_add_str(c->out, "by ");
		html_name(c->out, s->ack.by, NAME);
		buf_add_char(c->out, ' ');
	}
	buf_print(c->out, "until %s: ", number_print_day(s->ack.until_ms, day));
	html_name(c->out, s->ack.reason, WHY);
	buf_add_str(c->out, "</p>\n");
}

static void write_chips(const struct card *c)
{
	const struct track_series *s = c->series;

	if (!s->changed || s->index == 0)
		return;
	/* One lucky winner of a night would make chips of chance: the usual ones of both levels. */
	const struct track_point *a = track_cause_usual(c->points, track_cause_before(s), s->index);
	const struct track_point *b = track_cause_usual(c->points, s->index, s->n);

	if (a && b && strcmp(a->config, b->config) != 0)
		page_chips_write(a->config, b->config, NULL, c->out);
}

/* ---- what to do ---- */

static void write_do(const struct card *c)
{
	const struct track_series *s = c->series;
	const struct page_kernel *k = c->finding->kernel;
	struct buf diff = {0}, ack = {0};

	if (s->verdict == TRACK_IMPROVEMENT || s->ack.reason)
		return; /* nothing is to be done */
	buf_add_str(c->out, "<p class=\"do\">");
	/* Look first: at the source, if that changed; then measure again; accept it last. */
	if (k && repeat_add_diff(&diff, s, k->run.workload_file)) {
		buf_add_str(c->out, "See what changed: ");
		page_write_command(&diff, c->out);
		buf_add_str(c->out, "</p>\n<p class=\"do\">");
	}
	if (k)
		page_kernel_write_command(c->p, k, s, c->out);
	if (track_series_fails(s)) {
		repeat_add_acknowledgement(&ack, s, c->p->request->path);
		buf_print(c->out, "%sAccept it: ", k ? "</p>\n<p class=\"do\">" : "");
		page_write_command(&ack, c->out);
	}
	buf_add_str(c->out, "</p>\n");
	buf_fini(&diff);
	buf_fini(&ack);
}

/* ---- all ---- */

static enum asc_status write_kernel(const struct card *c, struct asc_err *e)
{
	buf_add_str(c->out, "<div class=\"row\"><div class=\"words\">\n");
	write_what(c);
	const enum asc_status status = write_why(c, e);

	write_chips(c);
	write_acknowledgement(c);
	write_do(c);
	buf_add_str(c->out, "</div>\n");
	page_trend_write(c->p, c->finding->place);
	buf_add_str(c->out, "</div>\n");
	return status;
}

/* Writes a line of a broken implementation, with what to do folded. */
static enum asc_status write_implementation(const struct card *c, struct asc_err *e)
{
	buf_print(c->out, "<li>%s<strong>", c->finding->fresh ? fresh_mark : "");
	html_name(c->out, c->series->implementation, NAME);
	buf_add_str(c->out, "</strong>");
	const enum asc_status status = write_failures(c, e);

	write_acknowledgement(c);
	if (!c->series->ack.reason) {
		buf_add_str(c->out, "<details><summary>See it, accept it</summary>\n");
		write_do(c);
		buf_add_str(c->out, "</details>");
	}
	buf_add_str(c->out, "</li>\n");
	return status;
}

/* Writes the broken implementations of one problem. */
static enum asc_status write_implementations(struct page *p, const struct page_finding *list,
					     size_t n, struct asc_err *e)
{
	const struct card first = begin_card(p, list);
	enum asc_status status = ASC_OK;

	buf_print(p->out, "<h4><span class=\"bad\">%s %s</span> ",
		  page_verdict_looks[TRACK_BROKEN].mark, track_verdict_words(TRACK_BROKEN));
	write_name(&first, n);
	buf_add_str(p->out, "</h4>\n<p class=\"why\">");
	write_failed_day(&first);
	buf_add_str(p->out, "</p>\n<ul>\n");
	for (size_t i = 0; i < n && status == ASC_OK; i++) {
		const struct card c = begin_card(p, &list[i]);

		status = write_implementation(&c, e);
	}
	buf_add_str(p->out, "</ul>\n");
	return status;
}

/* Writes the other kernels of a group, one line each. */
static void write_others(struct page *p, const struct page_finding *list, size_t n)
{
	buf_print(p->out, "<p>The same night, ");
	html_text(p->out, list->entry->cause);
	buf_add_str(p->out, ":</p>\n<ul>\n");
	for (size_t i = 1; i < n; i++) {
		const struct card c = begin_card(p, &list[i]);
		const struct track_series *s = c.series;
		char text[NUMBER_TEXT_SIZE];

		buf_print(p->out, "<li>%s<span class=\"%s\">%s %s</span> ",
			  list[i].fresh ? fresh_mark : "", page_verdict_looks[s->verdict].class,
			  page_verdict_looks[s->verdict].mark, number_print_change(s, text));
		page_series_link(list[i].place, p->out);
		buf_print(p->out, " %s → ", number_print_time(s->before, text));
		buf_add_str(p->out, number_print_time(s->after, text));
		write_acknowledgement(&c);
		buf_add_str(p->out, "</li>\n");
	}
	buf_add_str(p->out, "</ul>\n");
}

enum asc_status page_finding_card(struct page *p, const struct page_finding *list, size_t n,
				  struct asc_err *e)
{
	const struct card first = begin_card(p, list);
	const enum track_verdict verdict = first.series->verdict;
	enum asc_status status;

	buf_print(p->out, "<div class=\"card %s\">\n", page_verdict_looks[verdict].class);
	if (n > 1 && verdict == TRACK_BROKEN) {
		status = write_implementations(p, list, n, e);
		buf_add_str(p->out, "</div>\n");
		return status;
	}
	if (n > 1) {
		struct buf words = {0};

		track_write_finding(list->entry, n, NULL, &words);
		buf_add_str(p->out, "<p><strong>");
		html_text(p->out, buf_str(&words));
		p->out->failed |= words.failed;
		buf_fini(&words);
		buf_add_str(p->out, "</strong></p>\n");
	}
	status = write_kernel(&first, e);
	if (n > 1)
		write_others(p, list, n);
	buf_add_str(p->out, "</div>\n");
	return status;
}
