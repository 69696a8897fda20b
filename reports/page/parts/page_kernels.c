#include "reports/page/parts/page_kernels.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_series.h"
#include "reports/results/today.h"
#include "reports/track/repeat.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

/* Most kernels with cards, and with views of their run: about 15 and 60 kB each. */
enum { CARDS = 24, VIEWS = 7, NAME = 60 };

struct list {
	struct page *p;
	struct page_kernel *rows;
	size_t n, room;
};

static const char *copy(struct page *p, const char *text)
{
	return text ? page_print(p, "%s", text) : NULL;
}

static bool is_best_of(const struct page_best *b, const struct db_run_view *r)
{
	return !r->simulated && str_is_same(b->workload, r->workload) &&
	       str_is_same(b->problem, r->problem) &&
	       str_is_same(b->cache_policy, r->cache_policy) &&
	       str_is_same(b->device_kind, r->device_kind) &&
	       str_is_same(b->device_model, r->device_model);
}

/* Finds the best of a kernel: of several machines of one model that of its own run. */
static const struct page_best *find_best(const struct page *p, const struct db_run_view *r)
{
	const struct page_best *found = NULL;

	for (size_t i = 0; i < p->n_best; i++) {
		const struct page_best *b = &p->best[i];

		if (!is_best_of(b, r))
			continue;
		if (b->run_id == r->range.run_id)
			return b;
		if (!found)
			found = b;
	}
	return found;
}

static enum asc_status add_kernel(void *user, const struct db_run_view *row, struct asc_err *e)
{
	struct list *l = user;

	if (!array_room(&l->rows, l->n, &l->room, sizeof *l->rows))
		return asc_err_nomem(e);
	struct page_kernel *to = &l->rows[l->n++];

	*to = (struct page_kernel){.run = *row, .best = find_best(l->p, row)};
#define X(member) to->run.member = copy(l->p, row->member);
	DB_RUN_VIEW_TEXTS(X)
#undef X
	to->unfinished = to->best && to->best->unfinished;
	const char *name = page_print(l->p, "%s|%s", page_run_name(l->p, &to->run),
				      row->device_machine ? row->device_machine : "");

	to->id = page_print(l->p, "r_%016" PRIx64, hash_bytes(name, strlen(name)));
	return ASC_OK;
}

/* ---- order ---- */

/* Finds a history that is broken or slower: that of the best implementation before others. */
static const struct track_series *find_failing(const struct page *p, const struct page_kernel *k)
{
	struct track_kernel kernel = page_series_kernel(&k->run);

	kernel.implementation = k->best ? k->best->implementation : NULL;
	return p->history ? track_history_find_failing(p->history, &kernel) : NULL;
}

/* Rank of what is read first: kernels that broke, that became slower, or either with what a check
 * does not fail for; then doubtful answers. */
static int find_doubt(const struct page_kernel *k)
{
	if (k->run.simulated)
		return -1;
	if (k->failing && !track_series_fails(k->failing))
		return 4;
	if (k->failing)
		return k->failing->verdict == TRACK_BROKEN ? 6 : 5;
	if (!k->best)
		return 3;
	return page_best_doubt(k->best);
}

struct ranked {
	struct page_kernel kernel;
	int doubt;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const struct db_run_view *r = &x->kernel.run, *s = &y->kernel.run;
	const char *const first[] = {r->workload, r->problem, r->device_model, r->cache_policy};
	const char *const second[] = {s->workload, s->problem, s->device_model, s->cache_policy};

	if (x->doubt != y->doubt)
		return y->doubt - x->doubt;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		const int order =
			str_compare_natural(first[i] ? first[i] : "", second[i] ? second[i] : "");

		if (order != 0)
			return order;
	}
	return (r->range.run_id < s->range.run_id) - (r->range.run_id > s->range.run_id);
}

static enum asc_status arrange(struct page *p, const struct list *l, struct asc_err *e)
{
	struct page_kernel *kernels = page_alloc(p, (l->n + 1) * sizeof *kernels);
	struct ranked *ranked = calloc(l->n + 1, sizeof *ranked);

	for (size_t i = 0; ranked && i < l->n; i++) {
		l->rows[i].failing = find_failing(p, &l->rows[i]);
		ranked[i] = (struct ranked){l->rows[i], find_doubt(&l->rows[i])};
	}
	if (ranked && kernels)
		qsort(ranked, l->n, sizeof *ranked, compare);
	for (size_t i = 0; ranked && kernels && i < l->n; i++) {
		kernels[i] = ranked[i].kernel;
		kernels[i].card = i < CARDS;
		kernels[i].views = i < VIEWS;
	}
	p->kernels = kernels;
	p->n_kernels = l->n;
	const bool complete = ranked && kernels;

	free(ranked);
	return complete ? ASC_OK : asc_err_nomem(e);
}

enum asc_status page_kernels_read(struct page *p, struct asc_err *e)
{
	struct list l = {.p = p};
	enum asc_status status = today_each_newest_run(p->db, add_kernel, &l, e);

	if (status == ASC_OK)
		status = arrange(p, &l, e);
	free(l.rows);
	return status;
}

/* ---- words ---- */

const char *page_run_device(const struct db_run_view *row)
{
	return row->device_model && *row->device_model ? row->device_model
	       : row->device_kind                      ? row->device_kind
						       : "";
}

const char *page_run_origin(const struct db_run_view *row)
{
	return row->imported ? ", imported results" : row->simulated ? ", simulated results" : "";
}

const char *page_run_name(struct page *p, const struct db_run_view *row)
{
	return page_print(p, "%s / %s on %s%s%s%s", row->workload ? row->workload : "",
			  row->problem ? row->problem : "", page_run_device(row),
			  row->cache_policy ? ", cache " : "",
			  row->cache_policy ? row->cache_policy : "", page_run_origin(row));
}

const char *page_run_outcome(const struct db_run_view *row)
{
	return !row->outcome                       ? "killed, or goes on"
	       : strcmp(row->outcome, "done") == 0 ? "completed"
						   : row->outcome;
}

void page_kernel_write_name(const char *workload, const char *problem, struct buf *out)
{
	buf_add_str(out, "<span>");
	html_name(out, workload, NAME);
	buf_add_str(out, "/<wbr/>");
	html_name(out, problem, NAME);
	buf_add_str(out, "</span>");
}

bool page_kernel_is_failing(const struct page_kernel *k)
{
	return k->failing && k->best &&
	       strcmp(k->failing->implementation, k->best->implementation) == 0;
}

void page_kernel_write_state(const struct page_kernel *k, struct buf *out)
{
	if (k->failing) {
		buf_print(out, " <span class=\"bad\">%s",
			  page_kernel_is_failing(k) ? "" : "another implementation is ");
		track_write_state(k->failing, out);
		buf_add_str(out, "</span>");
	}
	if (k->unfinished)
		buf_add_str(out, " <span class=\"warn\">its run did not end</span>");
}

static char upper(char c)
{
	return (char)toupper((unsigned char)c);
}

static struct repeat_run run_of(const struct page *p, const struct page_kernel *k)
{
	return (struct repeat_run){.file = k->run.workload_file,
				   .device = k->run.device_kind,
				   .problem = k->run.problem,
				   .cache = k->run.cache_policy,
				   .db = p->request->path};
}

static void write_run(const struct repeat_run *run, struct buf *out)
{
	struct buf words = {0};

	repeat_add_run(&words, run);
	page_write_command(&words, out);
	buf_fini(&words);
}

void page_kernel_write_command(const struct page *p, const struct page_kernel *k,
			       const struct track_series *s, struct buf *out)
{
	struct repeat_run run = run_of(p, k);

	if (s) {
		const char *what = repeat_choose(s, &run);

		buf_print(out, "%c%s: ", upper(*what), what + 1);
	}
	write_run(&run, out);
}

void page_kernel_write_repeat(const struct page *p, const struct page_kernel *k,
			      const char *implementation, const char *config_key, struct buf *out)
{
	struct repeat_run run = run_of(p, k);

	run.implementation = implementation;
	run.config = config_key;
	write_run(&run, out);
}

void page_kernel_write_inquiry(const struct page *p, const struct page_kernel *k,
			       const char *command, const char *against, struct buf *out)
{
	struct repeat_run run = run_of(p, k);

	run.command = command;
	run.against = against;
	if (against) /* code is the same, whatever the caches held */
		run.cache = NULL;
	write_run(&run, out);
}

void page_kernel_write_go_on(const struct page *p, const struct page_kernel *k, struct buf *out)
{
	struct repeat_run run = run_of(p, k);

	repeat_go_on(&(struct repeat_ending){.budget = k->best->run_budget,
					     .unranked = k->best->sure.sure == SURE_UNRANKED},
		     &run);
	write_run(&run, out);
}
