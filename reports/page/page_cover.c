/* The section of covers: a matrix for each kernel with a configuration that was compared on several
 * problems, as `run --cover` does. A row is a configuration, a column a problem, and a cell the
 * loss of the configuration against the fastest of that problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/run_view.h"
#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_number.h"
#include "reports/results/today.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

enum {
	MAX_MATRICES = 12, /* each of up to 12 kB */
	MAX_PROBLEMS = 24, /* columns of a screen */
	MAX_ROWS = 16,     /* a cover is few configurations */
	NAME = 24,         /* characters of a problem above a column */
	CONFIG = 160
};

struct row {
	const char *config;
	bool is_default;
	size_t measured;    /* problems */
	double mean, worst; /* geometric mean and greatest of its ratios to the fastest */
	double *ratios;     /* to the fastest of each problem; NaN: not measured there */
};

struct matrix {
	const struct db_cover_cell *cells; /* of one kernel */
	size_t n;
	const char **problems; /* in natural order */
	size_t n_problems;
	struct row *rows; /* those measured most first, then by mean; the default last */
	size_t n_rows;
};

/* ---- reading ---- */

struct list {
	struct page *p;
	struct db_cover_cell *rows;
	size_t n, room;
};

static const char *copy(struct page *p, const char *text)
{
	return page_print(p, "%s", text ? text : "");
}

static enum asc_status add_cell(void *user, const struct db_cover_cell *c, struct asc_err *e)
{
	struct list *l = user;

	if (!array_room(&l->rows, l->n, &l->room, sizeof *l->rows))
		return asc_err_nomem(e);
	l->rows[l->n++] = (struct db_cover_cell){.device = copy(l->p, c->device),
						 .cache_policy = copy(l->p, c->cache_policy),
						 .workload = copy(l->p, c->workload),
						 .implementation = copy(l->p, c->implementation),
						 .config_key = copy(l->p, c->config_key),
						 .problem = copy(l->p, c->problem),
						 .ratio = c->ratio,
						 .is_default = c->is_default};
	return ASC_OK;
}

enum asc_status page_cover_read(struct page *p, struct asc_err *e)
{
	struct list l = {.p = p};
	enum asc_status status = today_each_cover_cell(p->db, add_cell, &l, e);
	struct db_cover_cell *rows =
		status == ASC_OK ? page_alloc(p, (l.n + 1) * sizeof *rows) : NULL;

	if (rows && l.n)
		memcpy(rows, l.rows, l.n * sizeof *rows);
	if (rows)
		p->n_cover = l.n;
	p->cover = rows;
	free(l.rows);
	return status == ASC_OK && !rows ? asc_err_nomem(e) : status;
}

/* ---- the matrix ---- */

static bool is_same_kernel(const struct db_cover_cell *a, const struct db_cover_cell *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->cache_policy, b->cache_policy) == 0 &&
	       strcmp(a->workload, b->workload) == 0 &&
	       strcmp(a->implementation, b->implementation) == 0;
}

static int compare_names(const void *a, const void *b)
{
	return str_compare_natural(*(const char *const *)a, *(const char *const *)b);
}

static size_t find_problem(const struct matrix *m, const char *name)
{
	size_t i = 0;

	while (i < m->n_problems && strcmp(m->problems[i], name) != 0)
		i++;
	return i;
}

/* Lists problems and configurations of the cells, and fills in the rounds' ratios, which are to the
 * chosen one of any implementation. */
static bool fill(struct page *p, struct matrix *m)
{
	m->problems = page_alloc(p, (m->n + 1) * sizeof *m->problems);
	m->rows = page_alloc(p, (m->n + 1) * sizeof *m->rows);
	if (!m->problems || !m->rows)
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (find_problem(m, m->cells[i].problem) == m->n_problems)
			m->problems[m->n_problems++] = m->cells[i].problem;
	qsort(m->problems, m->n_problems, sizeof *m->problems, compare_names);
	for (size_t i = 0; i < m->n; i++) {
		const struct db_cover_cell *c = &m->cells[i];
		struct row *r = &m->rows[m->n_rows];

		/* Cells of a configuration follow each other: another one begins a row. */
		if (i == 0 || strcmp(c->config_key, m->cells[i - 1].config_key) != 0) {
			*r = (struct row){.config = c->config_key,
					  .is_default = c->is_default,
					  .ratios =
						  page_alloc(p, m->n_problems * sizeof *r->ratios)};
			if (!r->ratios)
				return false;
			for (size_t k = 0; k < m->n_problems; k++)
				r->ratios[k] = NAN;
			m->n_rows++;
		}
		m->rows[m->n_rows - 1].ratios[find_problem(m, c->problem)] = c->ratio;
	}
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->is_default != y->is_default)
		return x->is_default - y->is_default;
	if (x->measured != y->measured)
		return x->measured < y->measured ? 1 : -1;
	return (x->mean > y->mean) - (x->mean < y->mean);
}

/* Divides the ratios of each problem by the fastest one's, which becomes 1; sums up the rows, and
 * sorts them. */
static void scale(struct matrix *m)
{
	for (size_t k = 0; k < m->n_problems; k++) {
		double fastest = INFINITY;

		for (size_t i = 0; i < m->n_rows; i++)
			fastest = fmin(fastest, m->rows[i].ratios[k]);
		for (size_t i = 0; i < m->n_rows; i++)
			m->rows[i].ratios[k] /= fastest;
	}
	for (size_t i = 0; i < m->n_rows; i++) {
		struct row *r = &m->rows[i];

		for (size_t k = 0; k < m->n_problems; k++)
			if (!isnan(r->ratios[k])) {
				r->mean += log(r->ratios[k]);
				r->worst = fmax(r->worst, r->ratios[k]);
				r->measured++;
			}
		r->mean = exp(r->mean / (double)r->measured);
	}
	/* A configuration that was compared on one problem and is not the fastest there serves
	 * nothing. */
	const size_t n = m->n_rows;

	m->n_rows = 0;
	for (size_t i = 0; i < n; i++)
		if (m->rows[i].measured > 1 || m->rows[i].worst <= 1 || m->rows[i].is_default)
			m->rows[m->n_rows++] = m->rows[i];
	qsort(m->rows, m->n_rows, sizeof *m->rows, compare_rows);
}

/* ---- the table ---- */

static void write_loss(struct buf *out, double ratio)
{
	char text[NUMBER_TEXT_SIZE];
	const double pct = 100 * (ratio - 1);

	buf_add_str(out, number_print(pct, pct < 9.95, text));
}

static void write_cell(struct buf *out, double ratio)
{
	/* By the logarithm, since losses are ratios; twice the time has the last colour. */
	const double part = fmin(log2(ratio), 1);

	if (isnan(ratio)) {
		buf_add_str(out, "<td class=\"none\" title=\"not measured\"></td>");
		return;
	}
	buf_print(out, "<td class=\"h%d%s\">", (int)lround((PAGE_HEAT_STEPS - 1) * part),
		  ratio > 1 ? "" : " on");
	write_loss(out, ratio);
	buf_add_str(out, "</td>");
}

static void write_row(struct buf *out, const struct row *r, size_t n_problems)
{
	buf_add_str(out, "<tr><th scope=\"row\">");
	html_name(out, *r->config ? r->config : "(no parameters)", CONFIG);
	buf_add_str(out, r->is_default ? " <small>the default</small></th>" : "</th>");
	for (size_t k = 0; k < n_problems; k++)
		write_cell(out, r->ratios[k]);
	buf_add_str(out, "<td>");
	write_loss(out, r->mean);
	buf_add_str(out, "</td><td>");
	write_loss(out, r->worst);
	buf_add_str(out, "</td></tr>\n");
}

static void write_caption(const struct page *p, const struct db_cover_cell *c, struct buf *out)
{
	html_name(out, c->workload, 60);
	buf_add_str(out, ", ");
	html_name(out, c->implementation, 60);
	if (*c->cache_policy && strcmp(c->cache_policy, "cold") != 0) {
		buf_add_str(out, ", ");
		html_name(out, c->cache_policy, 20);
		buf_add_str(out, " cache");
	}
	if (p->several_devices) {
		buf_add_str(out, ", ");
		html_name(out, c->device, 60);
	}
	buf_add_str(out, ": loss beside the fastest of each problem, %");
}

static void write_matrix(struct page *p, const struct matrix *m)
{
	struct buf *out = p->out;
	const size_t columns = m->n_problems < MAX_PROBLEMS ? m->n_problems : MAX_PROBLEMS;
	const size_t rows = m->n_rows < MAX_ROWS ? m->n_rows : MAX_ROWS;

	buf_add_str(out, "<div class=\"table data item\" role=\"group\" tabindex=\"0\" "
			 "aria-label=\"losses\"><table class=\"heat\"><caption>");
	write_caption(p, &m->cells[0], out);
	buf_add_str(out, "</caption>\n<thead><tr><td></td>");
	for (size_t k = 0; k < columns; k++) {
		buf_add_str(out, "<th scope=\"col\">");
		html_name(out, m->problems[k], NAME);
		buf_add_str(out, "</th>");
	}
	buf_add_str(out, "<th scope=\"col\">mean</th><th scope=\"col\">worst</th></tr></thead>\n"
			 "<tbody>\n");
	for (size_t i = 0; i < rows; i++)
		write_row(out, &m->rows[i], columns);
	buf_add_str(out, "</tbody></table></div>\n");
	if (rows < m->n_rows || columns < m->n_problems)
		buf_print(out,
			  "<p class=\"note\">Of %zu configurations %zu, of %zu problems %zu.</p>\n",
			  m->n_rows, rows, m->n_problems, columns);
}

/* ---- the section ---- */

/* The number of cells of the kernel whose first is `first`. */
static size_t count_cells(const struct page *p, size_t first)
{
	size_t n = 1;

	while (first + n < p->n_cover && is_same_kernel(&p->cover[first], &p->cover[first + n]))
		n++;
	return n;
}

/* True where a configuration other than the default was compared on several problems, and is not
 * the only one, as a library's is. */
static bool is_matrix(const struct db_cover_cell *cells, size_t n)
{
	bool several = false, shared = false;

	for (size_t i = 1; i < n; i++) {
		const bool same = strcmp(cells[i].config_key, cells[i - 1].config_key) == 0;

		several |= !same;
		shared |= same && !cells[i].is_default;
	}
	return several && shared;
}

bool page_has_no_cover(const struct page *p)
{
	for (size_t first = 0, n; first < p->n_cover; first += n) {
		n = count_cells(p, first);
		if (is_matrix(&p->cover[first], n))
			return false;
	}
	return true;
}

enum asc_status page_write_cover(struct page *p, struct asc_err *e)
{
	size_t shown = 0, left = 0;

	buf_add_str(p->out,
		    "<p class=\"note\">Configurations that were compared on several problems, as "
		    "<code>run --cover</code> does, and the fastest of each: in each cell the loss "
		    "beside the fastest of that problem, which has a frame. The mean is geometric, "
		    "over the problems that were measured; empty: not measured.</p>\n");
	for (size_t first = 0, n; first < p->n_cover; first += n) {
		n = count_cells(p, first);
		struct matrix m = {.cells = &p->cover[first], .n = n};

		if (!is_matrix(m.cells, n))
			continue;
		if (shown++ >= MAX_MATRICES) {
			left++;
			continue;
		}
		if (!fill(p, &m))
			return asc_err_nomem(e);
		scale(&m);
		write_matrix(p, &m);
	}
	if (left)
		buf_print(p->out, "<p class=\"note\">%zu more covers are left out.</p>\n", left);
	return ASC_OK;
}
