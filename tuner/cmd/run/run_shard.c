#include "tuner/cmd/run/run_shard.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/share.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/run/run_deal.h"
#include "tuner/workload/workload.h"

/* ---- what engines say ---- */

/* Variables of an engine; each source is the engine's own documentation of its environment. Numbers
 * without a variable are those of a row that begins with `from`. */
static const struct engine {
	const char *index, *count;       /* count: NULL: the engine does not say it */
	const char *first, *last, *step; /* of numbers with an end instead of a count */
	uint64_t from;
	bool rows; /* an index of 0 is a job that is no row of jobs */
} engines[] = {
	/* Slurm: sbatch --array; its count stands beside first, last and step. */
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
	 "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", 0, false},
	{"SLURM_PROCID", "SLURM_NTASKS", NULL, NULL, NULL, 0, false},   /* srun */
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", NULL, NULL, NULL, 1, false}, /* GitLab: parallel */
	{"JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, 0, false}, /* Kubernetes: Indexed Job */
	{"PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL, 1, false},
	{"LSB_JOBINDEX", NULL, NULL, "LSB_JOBINDEX_END", NULL, 1, true}, /* LSF */
	{"SGE_TASK_ID", NULL, "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1,
	 true}, /* Grid Engine: "undefined" without -t */
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, NULL, 0, false}, /* mpirun */
};

enum { ENGINES = sizeof engines / sizeof *engines };

/* Decimal digits alone. */
static bool parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*text) || strlen(text) > 18)
		return false;
	*out = strtoull(text, &end, 10);
	return *end == '\0';
}

/* Reads a variable; *value stays where it is not set or no number. */
static bool read_variable(const char *name, uint64_t *value)
{
	const char *text = name ? getenv(name) : NULL;

	return text && parse_number(text, value);
}

/* Asks one engine; *found false: it runs nothing here. `count` 0: it does not say. */
static enum asc_status ask_engine(const struct engine *g, uint64_t wanted, bool *found,
				  struct shard_place *out, struct asc_err *e)
{
	uint64_t index = 0, first = g->from, last = 0, step = 1, count = 0;

	*found = read_variable(g->index, &index) && !(g->rows && index == 0);
	if (!*found)
		return ASC_OK;
	/* srun's number stands in every job of Slurm, its count within a step alone. */
	if (!read_variable(g->count, &count) && g->count && !g->last) {
		*found = false;
		return ASC_OK;
	}
	(void)read_variable(g->first, &first);
	(void)read_variable(g->step, &step);
	step += step == 0;
	if (read_variable(g->last, &last) && last >= first && count == 0)
		count = (last - first) / step + 1;
	/* Of a part of a row, as a task that is tried again, the index says which share of all. */
	if (wanted && g->last && count != wanted) {
		first = g->from;
		step = 1;
		count = wanted;
		last = first + count - 1;
	}
	const bool part = count == 1 && first > g->from && wanted != 1;
	const bool gaps = g->count && g->last && count && first + (count - 1) * step != last;

	if (part || gaps)
		return asc_err_set(e, ASC_USAGE,
				   "auto: %s is %llu of a part of a row: give auto/N, where the "
				   "whole row begins with %llu",
				   g->index, (unsigned long long)index,
				   (unsigned long long)g->from);
	const uint64_t most = count ? count : wanted;

	if (index < first || (index - first) % step || (most && (index - first) / step >= most)) {
		char all[24] = "N"; /* nothing says how many */

		if (most)
			(void)snprintf(all, sizeof all, "%llu", (unsigned long long)most);
		return asc_err_set(e, ASC_USAGE,
				   "%s is %llu, and no share of %s that begin with %llu: give K/N",
				   g->index, (unsigned long long)index, all,
				   (unsigned long long)first);
	}
	*out = (struct shard_place){(index - first) / step + 1, count};
	return ASC_OK;
}

static enum asc_status fail_unset(struct asc_err *e)
{
	struct buf names = {0};

	for (size_t i = 0; i < ENGINES; i++)
		buf_print(&names, "%s%s",
			  i + 1 == ENGINES ? " or "
			  : i              ? ", "
					   : "",
			  engines[i].index);
	asc_err_set(e, ASC_USAGE, "auto: no engine says which share this is, by a number in %s",
		    buf_str(&names));
	buf_fini(&names);
	return e->status;
}

/* Takes what the engines say, which has to be the same; `wanted` 0: they say the count, too. */
static enum asc_status ask_engines(uint64_t wanted, struct shard_place *out, struct asc_err *e)
{
	const struct engine *by = NULL;
	struct shard_place place;
	bool found;

	*out = (struct shard_place){0};
	for (size_t i = 0; i < ENGINES; i++) {
		const struct engine *g = &engines[i];

		if (ask_engine(g, wanted, &found, &place, e))
			return e->status;
		/* One task of one is no row: a job of an array has srun's variables, too. */
		if (!found || (place.count == 1 && (wanted > 1 || by)))
			continue;
		if (wanted && place.count && place.count != wanted)
			return asc_err_set(e, ASC_USAGE,
					   "%s says that there are %llu shares, auto/%llu does not",
					   g->count ? g->count : g->last,
					   (unsigned long long)place.count,
					   (unsigned long long)wanted);
		if (!by || out->count == 1) {
			*out = place;
			by = g;
		} else if (place.number != out->number ||
			   (place.count && out->count && place.count != out->count)) {
			return asc_err_set(e, ASC_USAGE,
					   "auto: %s says share %llu/%llu, %s says %llu/%llu: give "
					   "K/N",
					   by->index, (unsigned long long)out->number,
					   (unsigned long long)(wanted ? wanted : out->count),
					   g->index, (unsigned long long)place.number,
					   (unsigned long long)(wanted ? wanted : place.count));
		} else if (place.count) {
			out->count = place.count;
		}
	}
	if (!by)
		return fail_unset(e);
	if (wanted)
		out->count = wanted;
	if (out->count == 0)
		return asc_err_set(e, ASC_USAGE,
				   "auto: %s says which share this is, and nothing says of how "
				   "many: give auto/N",
				   by->index);
	return ASC_OK;
}

enum asc_status shard_place_parse(const char *text, struct shard_place *out, struct asc_err *e)
{
	const char *slash = strchr(text, '/');
	char *before = slash ? str_print("%.*s", (int)(slash - text), text) : str_dup(text);
	uint64_t number = 0, count = 0;
	enum asc_status status = ASC_OK;

	if (!before)
		return asc_err_nomem(e);
	const bool by_engine = strcmp(before, "auto") == 0;

	if ((slash && !parse_number(slash + 1, &count)) || (!slash && !by_engine) ||
	    (!by_engine && !parse_number(before, &number)))
		status = asc_err_set(e, ASC_USAGE,
				     "\"%s\" is neither K/N (2/8), auto nor auto/N (auto/8)", text);
	else if (slash && (count == 0 || count > SHARD_MOST))
		status = asc_err_set(e, ASC_USAGE, "\"%s\": there are 1 to %d shares", text,
				     SHARD_MOST);
	else if (by_engine)
		status = ask_engines(count, out, e);
	else
		*out = (struct shard_place){number, count};
	if (status == ASC_OK && (out->number == 0 || out->number > out->count))
		status = asc_err_set(e, ASC_USAGE, "\"%s\": there are shares 1 to %llu", text,
				     (unsigned long long)out->count);
	free(before);
	return status;
}

/* ---- dealing out ---- */

struct shard_problem {
	size_t file;
	char *workload, *problem;
	char hash[HASH_TEXT_SIZE]; /* of the file */
	uint64_t key;
	double expected_ms;
	uint64_t share;
};

enum asc_status run_shard_add(struct run_shard *s, size_t file, const struct workload *w,
			      const struct problem *p, struct asc_err *e)
{
	if (!array_room(&s->list, s->n, &s->room, sizeof *s->list))
		return asc_err_nomem(e);
	struct shard_problem *new = &s->list[s->n];
	struct buf key = {0};

	*new = (struct shard_problem){
		.file = file, .workload = str_dup(w->name), .problem = str_dup(p->name)};
	s->n++;
	buf_print(&key, "%s/%s", w->name, p->name);
	memcpy(new->hash, w->hash, sizeof new->hash);
	new->key = hash_bytes(buf_str(&key), key.len);
	const enum asc_status status =
		new->workload &&new->problem ? buf_check(&key, e) : asc_err_nomem(e);

	buf_fini(&key);
	return status;
}

/* The longest first; equal ones by their keys, so that neighbours of a ladder are spread. */
static int by_time(const void *a, const void *b)
{
	const struct shard_problem *x = a, *y = b;

	if (x->expected_ms > y->expected_ms || x->expected_ms < y->expected_ms)
		return x->expected_ms > y->expected_ms ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	const int order = strcmp(x->workload, y->workload);

	return order ? order : strcmp(x->problem, y->problem);
}

/* Sets what is expected of each problem; 0: nothing is known of any. */
static enum asc_status expect(struct run_shard *s, struct db *history, const char *device_kind,
			      struct asc_err *e)
{
	struct run_deal d = {calloc(s->n + 1, sizeof *d.items), s->n};
	enum asc_status status = d.items ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; status == ASC_OK && history && i < s->n; i++) {
		const struct shard_problem *p = &s->list[i];
		struct db_run_time time = {0};

		status = db_find_run_time(history, device_kind, NULL, p->workload, p->problem,
					  &time, e);
		d.items[i].took = (double)time.took_ms;
	}
	if (status == ASC_OK)
		run_deal_begin(&d);
	for (size_t i = 0; status == ASC_OK && i < s->n; i++)
		s->list[i].expected_ms = d.items[i].expected;
	free(d.items);
	return status;
}

enum asc_status run_shard_deal(struct run_shard *s, struct db *history, const char *device_kind,
			       struct asc_err *e)
{
	const uint64_t shares = s->place.count;
	double *loads = calloc(shares, sizeof *loads);
	struct hash h;

	if (!loads)
		return asc_err_nomem(e);
	/* By their keys at first, which no history changes. */
	if (s->n > 0)
		qsort(s->list, s->n, sizeof *s->list, by_time);
	hash_init(&h);
	for (size_t i = 0; i < s->n; i++) {
		hash_add_str(&h, s->list[i].workload);
		hash_add_str(&h, s->list[i].problem);
		hash_add_str(&h, s->list[i].hash);
	}
	if (hash_end(&h, s->dealt, e) || expect(s, history, device_kind, e) ||
	    (history && db_digest_runs(history, s->history, e))) {
		free(loads);
		return e->status;
	}
	if (s->n > 0)
		qsort(s->list, s->n, sizeof *s->list, by_time);
	for (size_t i = 0; i < s->n; i++) {
		struct shard_problem *p = &s->list[i];
		uint64_t least = 0;

		/* Of equal shares the first: as long as there are fewer problems than shares, the
		 * first shares have one each. */
		for (uint64_t k = 1; k < shares; k++)
			least = loads[k] < loads[least] ? k : least;
		loads[least] += p->expected_ms > 0 ? p->expected_ms : 1;
		p->share = s->by_configurations ? s->place.number : least + 1;
	}
	s->own = run_shard_count(s, s->place.number);
	free(loads);
	return ASC_OK;
}

bool run_shard_has(const struct run_shard *s, size_t file, const char *problem)
{
	size_t i = 0;

	while (i < s->n && (s->list[i].share != s->place.number || s->list[i].file != file ||
			    strcmp(s->list[i].problem, problem) != 0))
		i++;
	return i < s->n;
}

size_t run_shard_count(const struct run_shard *s, uint64_t number)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->list[i].share == number;
	return n;
}

void run_shard_fini(struct run_shard *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].workload);
		free(s->list[i].problem);
	}
	free(s->list);
	*s = (struct run_shard){0};
}
