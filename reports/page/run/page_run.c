#include "reports/page/run/page_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/history.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/shell.h"

/* ---- facts ---- */

static void write_fact(struct buf *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	buf_print(out, "<dt>%s</dt><dd>", name);
	html_name(out, text, PAGE_RUN_CONFIG);
	buf_add_str(out, "</dd>\n");
}

/* Writes the best of this run, and whether it is that of the database. */
static void write_best(const struct page_run *r)
{
	struct buf *out = r->p->out;
	char time[NUMBER_TEXT_SIZE];

	if (r->n_top == 0)
		return;
	buf_print(out, "<dt>best of this run</dt><dd>%s, ", number_print_time(r->top[0].ns, time));
	html_name(out, r->top[0].implementation, 60);
	buf_add_char(out, ' ');
	html_name(out, r->top[0].config_key, PAGE_RUN_CONFIG);
	if (!r->row->simulated && r->p->n_best)
		buf_print(out, " (%s <a href=\"#best\">Best configurations</a>)",
			  page_best_of_run(r->p, r->row->range.run_id)
				  ? "as in"
				  : "other finals or another run decide:");
	buf_add_str(out, "</dd>\n");
}

/* Writes the number of trials that passed and were withdrawn, which are not in the table. */
static void write_left_out(const struct page_run *r)
{
	const int64_t trials = r->row->trials;

	if (r->table.n == PAGE_RUN_TRIALS)
		buf_print(r->p->out,
			  "<p class=\"note\">Of %" PRId64 " trials the first %zu are read.</p>\n",
			  trials, r->table.n);
	else if (r->table.n < (size_t)trials)
		buf_print(r->p->out,
			  "<p class=\"note\">Left out: %" PRId64 " of %" PRId64
			  " trials passed and were withdrawn by a later failure.</p>\n",
			  trials - (int64_t)r->table.n, trials);
}

static void write_facts(const struct page_run *r)
{
	const struct db_run_view *v = r->row;
	struct buf *out = r->p->out;
	char day[NUMBER_TEXT_SIZE];

	buf_print(out, "<dl>\n<dt>run</dt><dd>%" PRId64 ", %s, ", v->range.run_id,
		  number_print_moment(v->started_ms, day));
	html_text(out, page_run_outcome(v));
	buf_add_str(out, "</dd>\n");
	write_best(r);
	write_fact(out, "strategy", v->strategy);
	write_fact(out, "budget", v->budget);
	write_fact(out, "machine", v->device_machine);
	write_fact(out, "driver", v->device_driver);
	write_fact(out, "asctune", v->version);
	buf_add_str(out, "</dl>\n");
	write_left_out(r);
}

/* ---- views ---- */

static page_run_fn *const views[] = {page_run_search, page_run_distribution, page_run_importance,
				     page_run_heat,   page_run_space,        page_run_energy,
				     page_run_spent,  page_run_first,        page_run_before};

static enum asc_status write_views(struct page_run *r, struct asc_err *e)
{
	struct buf *out = r->p->out;
	enum asc_status status = ASC_OK;

	buf_print(out, "<details class=\"run\"><summary>run %" PRId64 ": ", r->row->range.run_id);
	if (r->n_top)
		buf_print(out, "its search, distributions, constraints, time, fastest %d",
			  (int)PAGE_RUN_TOP);
	else
		buf_add_str(out, "nothing passed; its constraints, time");
	buf_add_str(out, "</summary>\n");
	write_facts(r);
	/* From how the search went to what it found, then to the run before. */
	for (size_t i = 0; i < sizeof views / sizeof *views && status == ASC_OK; i++)
		status = page_run_forgive(r->p, views[i](r, e), e);
	if (r->missing.len)
		buf_print(out, "<p class=\"note\">Not here: %s.</p>\n", buf_str(&r->missing));
	out->failed |= r->missing.failed;
	buf_add_str(out, "</details>\n");
	return status;
}

/* ---- the card ---- */

static void add_ratio(struct buf *out, double ratio, const char *what)
{
	char text[NUMBER_TEXT_SIZE];

	if (!(ratio > 0))
		return;
	buf_print(out, " <span>%s× ", number_print(ratio, 2, text));
	html_name(out, what, 40);
	buf_add_str(out, "</span>");
}

/* Writes the answer: its time with the interval, and how it compares. */
static void write_answer(const struct page_run *r)
{
	const struct page_best *b = r->kernel->best;
	struct buf *out = r->p->out;
	char text[NUMBER_TEXT_SIZE];

	buf_print(out, " <span class=\"big\">%s</span>", number_print_time(b->median_ns, text));
	if (isfinite(b->low_ns) && isfinite(b->high_ns)) {
		buf_print(out, " <span class=\"mut\">[%s, ", number_print_time(b->low_ns, text));
		buf_print(out, "%s]</span>", number_print_time(b->high_ns, text));
	}
	if (b->is_default)
		buf_add_str(out, " <span>the default</span>");
	else
		add_ratio(out, b->vs_default, "the default");
	for (size_t i = 0; i < b->baselines.n; i++)
		add_ratio(out, b->baselines.list[i].ratio, b->baselines.list[i].name);
	if (b->part_pct > 0) {
		buf_add_str(out, " <span class=\"mut\">");
		page_best_write_part(b, out);
		buf_add_str(out, " of attainable</span>");
	}
	buf_add_char(out, ' ');
	page_best_write_sure(b, out);
	page_kernel_write_state(r->kernel, out);
}

/* Writes the fastest of results without an answer: imported ones. */
static void write_fastest(const struct page_run *r)
{
	char text[NUMBER_TEXT_SIZE];

	if (r->n_top == 0) {
		buf_add_str(r->p->out, " <span class=\"bad\">nothing passed</span>");
		return;
	}
	buf_print(r->p->out, " <span class=\"big\">%s</span> <span class=\"mut\">%s</span>",
		  number_print_time(r->top[0].ns, text),
		  r->row->imported    ? "imported results"
		  : r->row->simulated ? "simulated results"
				      : "fastest of its newest run");
}

static void write_title(const struct page_run *r)
{
	struct buf *out = r->p->out;
	const struct db_run_view *v = r->row;

	buf_add_str(out, "<h3>");
	page_kernel_write_name(v->workload, v->problem, out);
	buf_add_str(out, " <small>");
	html_name(out, r->kernel->best ? r->kernel->best->implementation : NULL, 60);
	/* The page's head names the device if it is the only one. */
	if (r->p->several_devices || !r->kernel->best) {
		buf_add_str(out, " on ");
		html_name(out, page_run_device(v), 80);
	}
	if (v->cache_policy && strcmp(v->cache_policy, "cold") != 0) {
		buf_add_str(out, ", ");
		html_name(out, v->cache_policy, 20);
		buf_add_str(out, " cache");
	}
	buf_add_str(out, "</small>");
	if (r->kernel->best)
		write_answer(r);
	else
		write_fastest(r);
	buf_add_str(out, "</h3>\n");
}

static const struct run_implementation *find_implementation(const struct page_run *r)
{
	for (size_t i = 0; i < r->table.n_implementations; i++)
		if (strcmp(r->table.implementations[i].name, r->kernel->best->implementation) == 0)
			return &r->table.implementations[i];
	return NULL;
}

static void write_configuration(const struct page_run *r)
{
	const struct page_best *b = r->kernel->best;

	page_chips_write(*b->default_key ? b->default_key : NULL, b->config_key,
			 find_implementation(r), r->p->out);
}

/* True for a parameter that is known to be one of the launch. */
static bool is_of_launch(const struct page_best *b, const struct setting *s)
{
	char name[128];
	const int n = snprintf(name, sizeof name, ",%.*s,", (int)s->name_len, s->name);

	return b->of_launch && n > 0 && (size_t)n < sizeof name && strstr(b->of_launch, name);
}

/* Writes the parameters as flags of a compiler: "-DNAME=VALUE ..." for a shell. Those of the launch
 * are no macros: they are left out where the workload's file tells. */
static void write_flags(const struct page_best *b, struct buf *out)
{
	const char *key = b->config_key;
	struct buf words = {0}, flag = {0};
	struct setting s;

	while (setting_next(&key, &s)) {
		if (is_of_launch(b, &s))
			continue;
		buf_clear(&flag);
		buf_print(&flag, "-D%.*s=%.*s", (int)s.name_len, s.name, (int)s.value_len, s.value);
		buf_add_str(&words, words.len ? " " : "");
		shell_add_word(&words, buf_str(&flag));
	}
	if (words.len > 0) {
		buf_print(out, " or as macros of its source%s: ",
			  b->of_launch ? "" : " (leave out parameters of its launch)");
		html_copy(out, buf_str(&words));
	}
	out->failed |= words.failed || flag.failed;
	buf_fini(&words);
	buf_fini(&flag);
}

static bool is_broken(const struct page_run *r)
{
	return page_kernel_is_failing(r->kernel) && r->kernel->failing->broken;
}

static void write_use(const struct page_run *r)
{
	const struct page_best *b = r->kernel->best;
	struct buf *out = r->p->out;

	buf_add_str(out, "<p class=\"do\">");
	if (is_broken(r)) {
		buf_add_str(out, "No configuration passes now: <a href=\"#changes\">why</a>.");
	} else if (b->failed) {
		buf_add_str(out, "No configuration passes any more.");
	} else if (*b->config_key) {
		buf_add_str(out, "Use it: ");
		html_copy(out, b->config_key);
		if (b->has_macros)
			write_flags(b, out);
	} else {
		buf_add_str(out, "It has no parameters.");
	}
	/* The card is about the newest run, its answer may be of another one. */
	if (b->run_id != r->row->range.run_id)
		buf_print(out, " The times above are of run %" PRId64 ".", b->run_id);
	if (r->kernel->unfinished || b->sure.sure == SURE_UNRANKED) {
		buf_add_str(out,
			    r->kernel->unfinished ? " Go on with it: " : " Give it more time: ");
		page_kernel_write_go_on(r->p, r->kernel, out);
	} else if (!b->failed && page_best_doubt(b) > 0) {
		buf_add_str(out, " Tune it again when the machine is quiet: ");
		page_kernel_write_command(r->p, r->kernel, NULL, out);
	}
	buf_add_str(out, "</p>\n");
}

struct failures { /* of the best implementation in the newest run, while they are read */
	struct page_run *run;
	struct buf items;
	int64_t n; /* configurations */
};

static enum asc_status add_failure(void *user, const struct db_failure *f, struct asc_err *e)
{
	struct failures *all = user;
	struct page_run *r = all->run;

	buf_add_str(&all->items, "<li>");
	page_failure_write(&all->items, f, e);
	buf_add_str(&all->items, " Repeat it: ");
	page_kernel_write_repeat(r->p, r->kernel, r->kernel->best->implementation, f->config_key,
				 &all->items);
	buf_add_str(&all->items, "</li>\n");
	all->n += f->configurations;
	return buf_check(&all->items, e);
}

/* Writes how configurations failed beside the best, one of each status to be repeated; those of a
 * kernel that is broken stand in its finding. */
static enum asc_status write_failures(struct page_run *r, struct asc_err *e)
{
	const struct run_implementation *of = find_implementation(r);
	struct failures all = {.run = r};
	struct buf *out = r->p->out;

	if (!of || is_broken(r))
		return ASC_OK;
	enum asc_status status =
		db_each_failure(r->p->db, r->row->range.run_id, of->name, add_failure, &all, e);

	if (status == ASC_OK && all.n)
		buf_print(out,
			  "<p><strong>Failed:</strong> %" PRId64
			  " of %zu configurations of run %" PRId64 ".</p>\n<ul>\n%s</ul>\n",
			  all.n, of->trials, r->row->range.run_id, buf_str(&all.items));
	buf_fini(&all.items);
	return status;
}

static enum asc_status write_card(struct page_run *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (r->kernel->best) {
		write_configuration(r);
		buf_add_str(r->p->out, "<div class=\"row\">\n");
		status = page_run_forest(r, e);
		if (status == ASC_OK)
			status = page_run_slices(r, e);
		buf_add_str(r->p->out, "</div>\n");
		if (status == ASC_OK)
			status = page_run_forgive(r->p, page_run_profile(r, e), e);
		write_use(r);
		if (status == ASC_OK)
			status = write_failures(r, e);
	}
	if (status == ASC_OK && r->kernel->views)
		status = write_views(r, e);
	return status;
}

static const char *class_of(const struct page_kernel *k)
{
	static const char *const classes[] = {"good", "warn", "bad"};

	if (page_kernel_is_failing(k))
		return page_verdict_looks[k->failing->verdict].class;
	return k->best ? classes[page_best_doubt(k->best)] : k->run.simulated ? "" : "bad";
}

enum asc_status page_run_write(struct page *p, const struct page_kernel *k, struct asc_err *e)
{
	struct page_run r = {.p = p, .kernel = k, .row = &k->run, .id = k->id};

	buf_print(p->out, "<div class=\"card %s\" id=\"%s\">", class_of(k), r.id);
	enum asc_status status = page_run_read(&r, e);

	/* The title stands even if the rest is damaged: links lead to the card. */
	write_title(&r);
	if (status == ASC_OK)
		status = write_card(&r, e);
	status = page_run_forgive(p, status, e);
	buf_add_str(p->out, "</div>\n");
	run_effects_fini(&r.effects);
	run_finals_fini(&r.decided);
	run_finals_fini(&r.finals);
	run_table_fini(&r.table);
	buf_fini(&r.missing);
	return status;
}
