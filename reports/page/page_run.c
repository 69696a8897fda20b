#include "reports/page/page_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_best.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

/* ---- what views share ---- */

const char *page_run_device(const struct db_run_view *row)
{
	return row->device_model && *row->device_model ? row->device_model
	       : row->device_kind                      ? row->device_kind
						       : "";
}

const char *page_run_name(struct page *p, const struct db_run_view *row)
{
	return page_print(p, "%s / %s on %s%s%s%s", row->workload ? row->workload : "",
			  row->problem ? row->problem : "", page_run_device(row),
			  row->cache_policy ? ", cache " : "",
			  row->cache_policy ? row->cache_policy : "", page_run_origin(row));
}

const char *page_run_origin(const struct db_run_view *row)
{
	return row->imported ? ", imported results" : row->simulated ? ", simulated results" : "";
}

const struct run_parameter *page_run_parameter(const struct page_run *r, size_t number)
{
	return &r->table.implementations[r->winner].parameters[number];
}

enum asc_status page_run_forgive(struct page *p, enum asc_status status, struct asc_err *e)
{
	if (status != ASC_INPUT)
		return status;
	buf_add_str(p->out, "<p class=\"note\">Damaged: ");
	html_text(p->out, e->text);
	buf_add_str(p->out, ".</p>\n");
	return ASC_OK;
}

void page_cell_interval(struct html_table *t, double ns, double low_ns, double high_ns)
{
	const struct quantity_scale u = number_scale_time(ns);
	char text[NUMBER_TEXT_SIZE];

	if (!isfinite(low_ns) || !isfinite(high_ns)) {
		html_cell_time(t, ns);
		return;
	}
	html_cell_begin_number(t, ns);
	buf_print(t->out, "%s", number_print(ns / u.factor, 2, text));
	buf_print(t->out, " [%s, ", number_print(low_ns / u.factor, 2, text));
	buf_print(t->out, "%s] %s", number_print(high_ns / u.factor, 2, text), u.unit);
	html_cell_end(t);
}

/* ---- one run ---- */

static size_t find_winner(const struct page_run *r)
{
	for (size_t i = 0; r->n_top && i < r->table.n_implementations; i++)
		if (strcmp(r->table.implementations[i].name, r->top[0].implementation) == 0)
			return i;
	return 0;
}

/* Puts the best of the database first where it comes from this run, with its time. */
static void put_answer_first(struct page_run *r)
{
	const struct page_best *b = page_best_of_run(r->p, r->row->range.run_id);
	size_t at = 0;

	if (!b || r->n_top == 0)
		return;
	while (at < r->n_top && (strcmp(r->top[at].config_key, b->config_key) != 0 ||
				 strcmp(r->top[at].implementation, b->implementation) != 0))
		at++;
	if (at == r->n_top)
		at--;
	struct run_place first = r->top[at];

	first.implementation = b->implementation;
	first.config_key = b->config_key;
	first.trial = run_table_find(&r->table, b->implementation, b->config_key);
	first.ns = b->median_ns;
	first.low_ns = b->low_ns;
	first.high_ns = b->high_ns;
	memmove(&r->top[1], &r->top[0], at * sizeof *r->top);
	r->top[0] = first;
}

static enum asc_status read_run(struct page_run *r, struct asc_err *e)
{
	if (run_table_read(r->p->db, &r->row->range, PAGE_RUN_TRIALS, &r->table, e))
		return e->status;
	if (run_finals_read(r->p->db, r->row->range.run_id, &r->finals, e))
		return e->status;
	r->n_top = run_top(&r->table, &r->finals, r->top, PAGE_RUN_TOP);
	put_answer_first(r);
	r->winner = find_winner(r);
	return r->table.n ? run_effects_find(&r->table, r->winner, &r->effects, e) : ASC_OK;
}

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
	html_text(out, v->outcome ? v->outcome : "not ended in order");
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

static const struct run_view {
	const char *title;
	page_run_fn *write;
} views[] = {
	{"Search", page_run_search},
	{"Distribution", page_run_distribution},
	{"Importance of parameters", page_run_importance},
	{"Pairs of parameters", page_run_heat},
	{"What conditions left out", page_run_space},
	{"Roofline", page_run_limits},
	{"Energy", page_run_energy},
	{"Where the time went", page_run_spent},
	{"The first configurations", page_run_first},
	{"Against the run before", page_run_before},
};

static enum asc_status write_views(struct page_run *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	write_facts(r);
	for (size_t i = 0; i < sizeof views / sizeof *views && status == ASC_OK; i++) {
		buf_print(r->p->out, "<h4>%s</h4>\n", views[i].title);
		status = views[i].write(r, e);
	}
	return status;
}

static void write_title(struct page_run *r, bool folded)
{
	struct buf *out = r->p->out;

	buf_print(out, folded ? "<details class=\"run\" id=\"%s\"><summary>" : "<div id=\"%s\">",
		  r->id);
	buf_add_str(out, "<h3>");
	html_name(out, page_run_name(r->p, r->row), 160);
	buf_add_str(out, folded ? "</h3></summary>\n" : "</h3>\n");
}

enum asc_status page_run_write(struct page *p, const struct db_run_view *row, bool folded,
			       struct asc_err *e)
{
	struct page_run r = {.p = p, .row = row};
	const char *name = page_print(p, "%s|%s", page_run_name(p, row),
				      row->device_machine ? row->device_machine : "");
	enum asc_status status;

	r.id = page_print(p, "r_%016" PRIx64, hash_bytes(name, strlen(name)));
	write_title(&r, folded);
	status = read_run(&r, e);
	if (status == ASC_OK)
		status = write_views(&r, e);
	status = page_run_forgive(p, status, e);
	buf_add_str(p->out, folded ? "</details>\n" : "</div>\n");
	run_effects_fini(&r.effects);
	run_finals_fini(&r.finals);
	run_table_fini(&r.table);
	return status;
}
