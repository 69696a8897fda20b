/* A hundred random histories of runs, recorded as runs record them: the answer by plain loops over
 * what was recorded here, and whoever asks the database names the same configuration and time.
 * slow: 11 s
 * covers: best.c answers.c best_json.c page_best.c */
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/exporter_list.h"
#include "reports/page/page.h"
#include "reports/page/parts/page_number.h"
#include "reports/results/best.h"
#include "reports/tables/dispatch.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"
#include "tuner/result/tie.h"

enum { HISTORIES = 100, CONFIGS = 6, DRIVERS = 2, POLICIES = 2, MAX_RUNS = 8, MAX_TRIALS = 400 };

static struct asc_err e;
static const char *const policies[POLICIES] = {"cold", "hot"};
static const char *const drivers[DRIVERS] = {"f1", "f2"};

struct fact { /* a trial */
	size_t run, config;
	enum result_status status;
	double median_ns;
};

struct final {
	bool there, winner;
	enum standing standing;
	double median_ns;
};

struct run {
	int64_t id;
	size_t driver, policy;
	struct final finals[CONFIGS];
	int decides; /* 0: no finals; 2: sure */
	enum sure sure;
};

struct history {
	struct rng rng;
	struct db *db;
	struct run runs[MAX_RUNS];
	size_t n_runs;
	struct fact trials[MAX_TRIALS];
	size_t n_trials;
	int64_t now_ms;
};

static const char *key_of(size_t config)
{
	static const char *const keys[CONFIGS] = {"B=1", "B=2", "B=3", "B=4", "B=5", "B=6"};

	return keys[config];
}

/* ---- recording ---- */

static void add_trial(struct history *h, size_t run, size_t config, enum result_status status,
		      double median_ns)
{
	struct result r = rows_result(median_ns - 1, median_ns, median_ns + 1);
	struct db_trial t = rows_trial(key_of(config), &r);

	r.status = status;
	t.is_default = config == 0;
	t.recorded_ms = ++h->now_ms;
	if (db_add_trial(h->db, h->runs[run].id, &t, &e))
		tap_ok(false, "%s", e.text);
	h->trials[h->n_trials++] = (struct fact){run, config, status, median_ns};
}

static void add_final(struct history *h, struct run *run, size_t config)
{
	const int64_t samples[] = {1, 2, 3};
	const struct final *f = &run->finals[config];
	const struct db_final row = {.implementation = rows_implementation,
				     .config_key = key_of(config),
				     .standing = f->standing,
				     .winner = f->winner,
				     .ratio = 1,
				     .interval = {true, 0.99, 1.01},
				     .time = {.n = 3, .median = f->median_ns},
				     .samples = samples,
				     .n_samples = 3};

	if (db_add_final(h->db, run->id, &row, &e))
		tap_ok(false, "%s", e.text);
}

/* Of those that have an ok trial in this run. */
static void hold_finals(struct history *h, size_t at)
{
	struct run *run = &h->runs[at];
	static const enum sure sures[] = {SURE_CLEAR, SURE_TIE, SURE_UNDECIDED, SURE_UNUSABLE};
	const bool apart = rng_below(&h->rng, 8) == 0;
	bool chosen = false;

	for (size_t i = 0; i < h->n_trials; i++) {
		struct final *f = &run->finals[h->trials[i].config];

		if (h->trials[i].run != at || h->trials[i].status != RESULT_OK)
			continue;
		*f = (struct final){.there = true,
				    .winner = !chosen,
				    .standing = chosen ? (enum standing)rng_below(&h->rng, 3)
						       : STANDING_TIED,
				    .median_ns = 1000 + (double)rng_below(&h->rng, 100000)};
		chosen = true;
	}
	if (!chosen)
		return;
	run->sure = sures[rng_below(&h->rng, 4)];
	run->decides = !apart && (run->sure == SURE_CLEAR || run->sure == SURE_TIE) ? 2 : 1;
	for (size_t c = 0; c < CONFIGS; c++)
		if (run->finals[c].there)
			add_final(h, run, c);
	if (db_set_sure(h->db, run->id, &(struct sureness){run->sure, 1, 5}, apart, &e))
		tap_ok(false, "%s", e.text);
}

static void add_run(struct history *h)
{
	static const enum result_status results[] = {
		RESULT_OK,      RESULT_OK,   RESULT_OK,        RESULT_OK,      RESULT_WRONG,
		RESULT_CRASHED, RESULT_SLOW, RESULT_UNDECIDED, RESULT_TIMEOUT, RESULT_BUILD_FAILED};
	struct run *run = &h->runs[h->n_runs];
	struct db_device device = rows_device;
	struct db_run row = rows_run;

	*run = (struct run){.driver = rng_below(&h->rng, DRIVERS),
			    .policy = rng_below(&h->rng, POLICIES)};
	device.fingerprint = drivers[run->driver];
	device.machine = "m1";
	row.cache_policy = policies[run->policy];
	if (db_begin_run(h->db, &device, &rows_problem, &row, &run->id, &e))
		tap_ok(false, "%s", e.text);
	for (size_t c = 0; c < CONFIGS; c++)
		if (rng_below(&h->rng, 3) > 0)
			add_trial(h, h->n_runs, c,
				  results[rng_below(&h->rng, sizeof results / sizeof *results)],
				  1000 + (double)rng_below(&h->rng, 100000));
	if (rng_below(&h->rng, 3) > 0)
		hold_finals(h, h->n_runs);
	if (rng_below(&h->rng, 4) == 0) /* one failed there */
		add_trial(h, h->n_runs, rng_below(&h->rng, CONFIGS), RESULT_CRASHED, 500);
	h->n_runs++;
}

/* ---- the answer, by loops ---- */

struct answer {
	bool found, failed; /* failed: nothing stands any more, it passed last */
	size_t config;
	double median_ns;
	size_t run;        /* whose finals or trial it is from */
	size_t newest_run; /* of the driver and policy, whatever came of it */
};

/* Has it passed, and not failed since? */
static bool stands(const struct history *h, size_t driver, size_t config)
{
	bool stands = false;

	for (size_t i = 0; i < h->n_trials; i++) {
		const struct fact *t = &h->trials[i];

		if (h->runs[t->run].driver != driver || t->config != config)
			continue;
		if (t->status == RESULT_OK)
			stands = true;
		if (t->status == RESULT_WRONG || t->status == RESULT_CRASHED ||
		    t->status == RESULT_TIMEOUT)
			stands = false;
	}
	return stands;
}

/* The winner, else the fastest that is not slower, else the fastest. CONFIGS: none stands. */
static size_t choose(const struct history *h, const struct run *run)
{
	size_t best = CONFIGS;

	for (size_t c = 0; c < CONFIGS; c++) {
		const struct final *f = &run->finals[c], *b = &run->finals[best % CONFIGS];
		bool slower = f->standing == STANDING_SLOWER,
		     best_slower = b->standing == STANDING_SLOWER;

		if (!f->there || !stands(h, run->driver, c))
			continue;
		if (f->winner)
			return c;
		if (best == CONFIGS || (best_slower && !slower) ||
		    (best_slower == slower && f->median_ns < b->median_ns))
			best = c;
	}
	return best;
}

static struct answer ask_finals(const struct history *h, size_t driver, size_t policy)
{
	for (int any = 0; any < 2; any++)
		for (int decides = 2; decides > 0; decides--)
			for (size_t i = h->n_runs; i-- > 0;) {
				const struct run *r = &h->runs[i];
				size_t c = choose(h, r);

				if (r->driver == driver && r->policy == policy &&
				    r->decides == decides && c < CONFIGS &&
				    (any || r->finals[c].winner))
					return (struct answer){
						true, false, c, r->finals[c].median_ns, i, 0};
			}
	return (struct answer){0};
}

static struct answer ask_trials(const struct history *h, size_t driver, size_t policy)
{
	struct answer a = {0};

	for (size_t i = 0; i < h->n_trials; i++) {
		const struct fact *t = &h->trials[i];
		const struct run *r = &h->runs[t->run];

		if (r->driver == driver && r->policy == policy && t->status == RESULT_OK &&
		    stands(h, driver, t->config) && (!a.found || t->median_ns <= a.median_ns))
			a = (struct answer){true, false, t->config, t->median_ns, t->run, 0};
	}
	return a;
}

/* Did it pass in this run, and not fail later in the same? */
static bool passes_to_end(const struct history *h, size_t run, size_t config, double *median_ns)
{
	bool passes = false;

	for (size_t i = 0; i < h->n_trials; i++) {
		const struct fact *t = &h->trials[i];

		if (t->run != run || t->config != config)
			continue;
		passes = t->status == RESULT_OK;
		*median_ns = t->median_ns;
	}
	return passes;
}

/* The winner of the newest run in which one passed, else the fastest there. */
static struct answer ask_last(const struct history *h, size_t driver, size_t policy)
{
	struct answer a = {0};

	for (size_t i = h->n_runs; i-- > 0 && !a.found;) {
		const struct run *r = &h->runs[i];
		double ns;

		for (size_t c = 0; c < CONFIGS && r->driver == driver && r->policy == policy; c++) {
			if (!passes_to_end(h, i, c, &ns))
				continue;
			if (r->finals[c].winner)
				return (struct answer){true, true, c, r->finals[c].median_ns, i, 0};
			if (!a.found || ns < a.median_ns)
				a = (struct answer){true, true, c, ns, i, 0};
		}
	}
	return a;
}

static struct answer ask(const struct history *h, size_t driver, size_t policy)
{
	struct answer a = ask_finals(h, driver, policy);

	if (!a.found)
		a = ask_trials(h, driver, policy);
	if (!a.found)
		a = ask_last(h, driver, policy);
	for (size_t i = 0; i < h->n_runs; i++)
		if (h->runs[i].driver == driver && h->runs[i].policy == policy)
			a.newest_run = i;
	return a;
}

/* ---- asking the database ---- */

struct heard {
	struct answer answers[DRIVERS][POLICIES];
	size_t n;
};

static enum asc_status hear(void *user, const struct best_row *row, struct asc_err *err)
{
	struct heard *h = user;
	size_t driver = strcmp(row->device_fingerprint, "f2") == 0,
	       policy = strcmp(row->cache_policy, "hot") == 0, config = 0;

	(void)err;
	while (config < CONFIGS && strcmp(key_of(config), row->config_key) != 0)
		config++;
	h->answers[driver][policy] =
		(struct answer){true, row->failed, config, row->median_ns, 0, 0};
	h->n++;
	return ASC_OK;
}

static bool is_same(const struct answer *a, const struct answer *b)
{
	return a->found == b->found && a->failed == b->failed &&
	       (!a->found || (a->config == b->config && a->median_ns == b->median_ns));
}

/* In the text of best.json, too, and there only of the newest driver. */
static bool is_exported(struct db *d, const struct answer *a, const char *driver,
			const char *policy, bool newest)
{
	char wanted[256];
	struct buf text = {0};
	struct sink to = {.text = &text};
	bool found = false;
	struct dispatch table = {0};
	const struct export_request r = {.table = &table};

	if ((dispatch_read(&table, d, DISPATCH_BEST, &e) ||
	     best_json_exporter.write(&best_json_exporter, &r, &to, &e)) &&
	    e.status != ASC_NOTFOUND)
		tap_ok(false, "%s", e.text);
	snprintf(wanted, sizeof wanted, "\"config_key\":\"%s\",\"rewrites\":[],\"median_ns\":%.0f",
		 a->found ? key_of(a->config) : "", a->median_ns);
	/* Nothing was exported: strtok(NULL) would go on in the text before, which is freed. */
	for (const char *line = text.data ? strtok(text.data, "\n") : NULL; line;
	     line = strtok(NULL, "\n"))
		if (strstr(line, driver) && strstr(line, policy))
			found |= strstr(line, wanted) != NULL;
	dispatch_fini(&table);
	buf_fini(&text);
	return found == (a->found && newest);
}

static size_t views_seen; /* of runs that answers are from */

static struct buf write_page(struct db *d)
{
	const struct page_request r = {.db = d,
				       .path = "a.db",
				       .file = "a.html",
				       .version = "0",
				       .plotter = "/no/such/program"};
	struct buf page = {0};

	if (page_write(&r, &page, &e))
		tap_ok(false, "%s", e.text);
	return page;
}

/* The card that a row of the table refers to says to use this configuration, or that none passes.
 */
static bool is_on_card(const struct buf *page, const char *row, const struct answer *a)
{
	static const char next[] = "<div class=\"card";
	char id[32], card[64], use[64];

	if (sscanf(row, "%*[^#]#%31[a-z_0-9]", id) != 1)
		return false;
	snprintf(card, sizeof card, "id=\"%s\"><h3>", id);
	snprintf(use, sizeof use,
		 a->failed ? "No configuration passes " : "Use it: <code class=\"copy\">%s<",
		 key_of(a->config));
	const char *found = strstr(buf_str(page), card), *end = found ? strstr(found, use) : NULL;

	return end && !memmem(found, (size_t)(end - found), next, strlen(next));
}

/* Looks in the page's table for one row of that cache policy, which is named where it is not cold,
 * with the time and the configuration; or for none. */
static bool is_on_page(const struct buf *page, const struct answer *a, const char *policy)
{
	const char *table = strstr(buf_str(page), "id=\"best-all\""),
		   *end = table ? strstr(table, "</table>") : NULL;
	const bool cold = strcmp(policy, "cold") == 0;
	char time[64];
	size_t rows = 0, right = 0;

	snprintf(time, sizeof time, "data-v=\"%.9g\"", a->median_ns);
	for (const char *row = table;
	     row && (row = strstr(row, "<tr><th scope=\"row\"")) && row < end; row++) {
		char text[4096];

		snprintf(text, sizeof text, "%.*s", (int)(strstr(row, "</tr>") - row), row);
		if (cold != !strstr(text, "<bdi>hot</bdi> cache"))
			continue;
		rows++;
		right += strstr(text, time) && is_on_card(page, text, a);
	}
	return rows == a->found && right == a->found;
}

/* The views of the run that it is from, where the page has them, call it that run's best. */
static bool is_in_views(const struct buf *page, const struct history *h, const struct answer *a)
{
	char run[64], best[256], time[NUMBER_TEXT_SIZE];

	snprintf(run, sizeof run, "<dt>run</dt><dd>%d, ", (int)h->runs[a->run].id);
	const char *views = a->found ? strstr(buf_str(page), run) : NULL;

	if (!views)
		return true;
	views_seen++;
	snprintf(best, sizeof best,
		 "<dt>best of this run</dt><dd>%s, <bdi>%s</bdi> <bdi>%s</bdi> (as in ",
		 number_print_time(a->median_ns, time), rows_implementation.name,
		 key_of(a->config));
	const char *found = strstr(views, best), *next = strstr(views + 1, "<dt>run</dt>");

	return found && (!next || found < next);
}

static size_t count_wrong(struct history *h)
{
	size_t wrong = 0;
	struct buf page = write_page(h->db);

	for (size_t p = 0; p < POLICIES; p++) {
		struct answer all[DRIVERS] = {ask(h, 0, p), ask(h, 1, p)};
		size_t newest =
			!all[0].found || (all[1].found && all[1].newest_run > all[0].newest_run);
		const struct answer none = {0}, good = all[newest].failed ? none : all[newest];
		struct heard ever = {0}, now = {0}, last = {0};

		best_each_ever(h->db, NULL, hear, &ever, &e);
		best_each(h->db, NULL, hear, &now, &e);
		best_each_or_last(h->db, NULL, hear, &last, &e);
		for (size_t d = 0; d < DRIVERS; d++) {
			char driver[32], policy[32];

			snprintf(driver, sizeof driver, "_fingerprint\":\"%s\"", drivers[d]);
			snprintf(policy, sizeof policy, "\"%s\"", policies[p]);
			wrong += !is_same(&ever.answers[d][p], &all[d]);
			wrong += !is_same(&now.answers[d][p], d == newest ? &good : &none);
			wrong += !is_same(&last.answers[d][p], d == newest ? &all[d] : &none);
			wrong += !is_exported(h->db, d == newest ? &good : &none, driver, policy,
					      d == newest);
		}
		wrong += !is_on_page(&page, &all[newest], policies[p]);
		wrong += !is_in_views(&page, h, &good);
	}
	for (size_t i = 0; i < h->n_runs; i++) { /* as each run would end now */
		const struct run *r = &h->runs[i];
		const struct answer newest = ask(h, r->driver, r->policy), none = {0};
		const struct answer a = newest.failed ? none : newest;
		struct heard of_run = {0};

		best_find(h->db, r->id, hear, &of_run, &e);
		wrong += !is_same(&of_run.answers[r->driver][r->policy], &a);
	}
	buf_fini(&page);
	return wrong;
}

int main(void)
{
	static struct history h;
	size_t answers = 0, wrong = 0;

	rows_enter();
	for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
		char name[32];

		h = (struct history){.now_ms = 1000};
		rng_init(&h.rng, seed);
		snprintf(name, sizeof name, "%d.db", (int)seed);
		if (db_open(rows_path(name), DB_WRITE, &h.db, &e))
			tap_ok(false, "%s", e.text);
		for (size_t n = 1 + rng_below(&h.rng, MAX_RUNS); n > 0; n--)
			add_run(&h);
		size_t now = count_wrong(&h);

		if (now > 0)
			tap_note("history %d: %zu answers differ", (int)seed, now);
		wrong += now;
		answers += h.n_runs;
		db_close(h.db);
	}
	tap_ok(answers > 3 * HISTORIES, "%zu runs", answers);
	tap_ok(views_seen > HISTORIES / 4, "%zu answers are of runs with views", views_seen);
	tap_int(wrong, 0, "whoever asks, the answer is the same");
	rows_leave();
	return tap_done();
}
