/* The records of all processes of a program, merged: a kernel or problem that an earlier file had
 * is that one, and its calls and times are added. */
#include "reports/exchange/capture.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/capture_record.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/symbols.h"

/* Keys of what was merged so far, whose numbers are places in the lists of the capture. */
struct merge {
	struct capture *c;
	struct symbols kernels, skipped;
	struct symbols *problems; /* of each kernel */
	size_t capacity;
};

static enum asc_status merge_kernel(struct merge *m, struct own_kernel *own, struct asc_err *e)
{
	struct capture *c = m->c;
	const uint32_t at = own->merged = symbols_add(&m->kernels, own->is.key);

	if (at < c->n_kernels) {
		c->kernels[at].tuned_s += own->is.tuned_s;
		return ASC_OK;
	}
	if (at == SYMBOL_NONE ||
	    !array_room(&c->kernels, at, &c->kernels_capacity, sizeof *c->kernels) ||
	    !array_room(&m->problems, at, &m->capacity, sizeof *m->problems))
		return asc_err_nomem(e);
	m->problems[at] = (struct symbols){0};
	c->kernels[c->n_kernels++] = own->is;
	return ASC_OK;
}

static enum asc_status merge_problem(struct merge *m, uint32_t kernel,
				     const struct capture_problem *p, struct asc_err *e)
{
	struct capture_kernel *k = &m->c->kernels[kernel];
	const uint32_t at = symbols_add(&m->problems[kernel], p->key);
	struct capture_problem *known;

	if (at == SYMBOL_NONE || !array_room(&k->problems, at, &k->capacity, sizeof *k->problems))
		return asc_err_nomem(e);
	if (at == k->n_problems) {
		k->problems[k->n_problems++] = *p;
		return ASC_OK;
	}
	known = &k->problems[at];
	known->calls += p->calls;
	known->timed += p->timed;
	known->time_ns += p->time_ns;
	for (size_t i = 0; i < p->n_sets && known->n_sets < CAPTURE_SETS; i++)
		known->sets[known->n_sets++] = p->sets[i];
	return ASC_OK;
}

static enum asc_status merge_skipped(struct merge *m, const struct capture_skipped *s,
				     struct asc_err *e)
{
	struct capture *c = m->c;
	const uint32_t at = symbols_add(&m->skipped, s->key);

	if (at == SYMBOL_NONE ||
	    !array_room(&c->skipped, at, &c->skipped_capacity, sizeof *c->skipped))
		return asc_err_nomem(e);
	if (at == c->n_skipped)
		c->skipped[c->n_skipped++] = *s;
	else
		c->skipped[at].calls += s->calls;
	return ASC_OK;
}

static enum asc_status merge_record(struct merge *m, struct record *r, struct asc_err *e)
{
	struct capture *c = m->c;
	const struct json_node *device = json_find(r->process, "device");

	if (!c->process || (json_type(json_find(c->process, "device")) != JSON_OBJECT && device &&
			    json_type(device) == JSON_OBJECT))
		c->process = r->process ? r->process : c->process;
	for (size_t i = 0; i < r->n_kernels; i++)
		if (merge_kernel(m, &r->kernels[i], e))
			return e->status;
	for (size_t i = 0; i < r->n_problems; i++)
		if (merge_problem(m, r->kernels[r->problems[i].kernel].merged, &r->problems[i].is,
				  e))
			return e->status;
	for (size_t i = 0; i < r->n_skipped; i++)
		if (merge_skipped(m, &r->skipped[i], e))
			return e->status;
	return ASC_OK;
}

static void merge_fini(struct merge *m)
{
	for (size_t i = 0; i < m->c->n_kernels; i++)
		symbols_fini(&m->problems[i]);
	free(m->problems);
	symbols_fini(&m->kernels);
	symbols_fini(&m->skipped);
}

static enum asc_status read_file(struct merge *m, const char *path, struct asc_err *e)
{
	struct record r;
	enum asc_status s = capture_record_read(m->c, path, &r, e);

	if (s == ASC_OK)
		s = merge_record(m, &r, e);
	capture_record_fini(&r);
	return s;
}

bool capture_is_tensor(const struct capture_argument *a)
{
	return a->kind == CAPTURED_TENSOR || a->kind == CAPTURED_DESCRIPTOR;
}

bool capture_has_name(const struct json_node *list, const char *name)
{
	const char *text = NULL;
	struct asc_err none;

	for (const struct json_node *n = json_first(list); n; n = json_next(n))
		if (json_get_string(n, &text, &none) == ASC_OK && strcmp(text, name) == 0)
			return true;
	return false;
}

double capture_problem_ns(const struct capture_problem *p)
{
	return p->timed > 0 ? p->time_ns / p->timed * p->calls : 0;
}

double capture_kernel_ns(const struct capture_kernel *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n_problems; i++)
		sum += capture_problem_ns(&k->problems[i]);
	return sum;
}

double capture_kernel_calls(const struct capture_kernel *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n_problems; i++)
		sum += k->problems[i].calls;
	return sum;
}

/* Most time first, then most calls; the key makes the order the same in every process. */
static int compare(double a_ns, double b_ns, double a_calls, double b_calls, const char *a_key,
		   const char *b_key)
{
	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	if (a_calls != b_calls)
		return a_calls > b_calls ? -1 : 1;
	return strcmp(a_key, b_key);
}

static int compare_problems(const void *left, const void *right)
{
	const struct capture_problem *a = left, *b = right;

	return compare(capture_problem_ns(a), capture_problem_ns(b), a->calls, b->calls, a->key,
		       b->key);
}

static int compare_kernels(const void *left, const void *right)
{
	const struct capture_kernel *a = left, *b = right;

	return compare(capture_kernel_ns(a), capture_kernel_ns(b), capture_kernel_calls(a),
		       capture_kernel_calls(b), a->key, b->key);
}

static int is_record(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && dot && strcmp(dot, ".jsonl") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return str_compare_natural((*a)->d_name, (*b)->d_name);
}

static enum asc_status read_files(struct capture *c, struct asc_err *e)
{
	char *records = path_join(c->folder, "records");
	struct dirent **entries = NULL;
	struct merge m = {.c = c};
	const int n = records ? scandir(records, &entries, is_record, compare_names) : 0;
	enum asc_status s = records ? ASC_OK : asc_err_nomem(e);

	if (n < 0)
		s = errno == ENOENT || errno == ENOTDIR
			    ? asc_err_set(e, ASC_NOTFOUND, "%s has no records", c->folder)
			    : asc_err_set(e, ASC_IO, "cannot read %s: %s", records,
					  strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = path_join(records, entries[i]->d_name);

		if (s == ASC_OK)
			s = path ? read_file(&m, path, e) : asc_err_nomem(e);
		c->n_files++;
		free(path);
		free(entries[i]);
	}
	merge_fini(&m);
	free(entries);
	free(records);
	return s;
}

/* Puts sets whose file is there first; of one whose file was removed the ranges are left. */
static enum asc_status find_files(const struct capture *c, struct capture_problem *p,
				  struct asc_err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sets; i++) {
		struct capture_set set = p->sets[i];
		char *path = set.file ? path_join(c->folder, set.file) : NULL;

		if (set.file && !path)
			return asc_err_nomem(e);
		if (path && !file_exists(path))
			set.file = p->sets[i].file = NULL;
		free(path);
		if (!set.file)
			continue;
		memmove(p->sets + n + 1, p->sets + n, (i - n) * sizeof set);
		p->sets[n++] = set;
	}
	/* Beside whole sets those without a file say nothing. */
	if (n > 0)
		p->n_sets = n;
	return ASC_OK;
}

enum asc_status capture_open(const char *folder, struct capture **out, struct asc_err *e)
{
	struct capture *c = calloc(1, sizeof *c);
	enum asc_status s;

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->folder = str_dup(folder);
	s = c->folder ? read_files(c, e) : asc_err_nomem(e);
	for (size_t i = 0; i < c->n_kernels && s == ASC_OK; i++)
		for (size_t k = 0; k < c->kernels[i].n_problems && s == ASC_OK; k++)
			s = find_files(c, &c->kernels[i].problems[k], e);
	if (s != ASC_OK) {
		capture_close(c);
		return s;
	}
	for (size_t i = 0; i < c->n_kernels; i++)
		if (c->kernels[i].n_problems > 0)
			qsort(c->kernels[i].problems, c->kernels[i].n_problems,
			      sizeof *c->kernels->problems, compare_problems);
	if (c->n_kernels > 0)
		qsort(c->kernels, c->n_kernels, sizeof *c->kernels, compare_kernels);
	*out = c;
	return ASC_OK;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_kernels; i++)
		free(c->kernels[i].problems);
	free(c->kernels);
	free(c->skipped);
	for (size_t i = 0; i < c->n_docs; i++)
		json_close(c->docs[i]);
	free(c->docs);
	arena_fini(&c->arena);
	free(c->folder);
	free(c);
}
