#include "tuner/cmd/answers/watch_board.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/watch.h"
#include "reports/results/today.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/terminal/canvas.h"

static const int64_t NS_PER_MS = INT64_C(1000000);

static void run_fini(struct watch_run *r)
{
	free(r->workload);
	free(r->problem);
	free(r->device);
	free(r->budget);
	free(r->outcome);
	free(r->implementation);
	free(r->config);
	free(r->said);
}

void watch_board_fini(struct watch_board *b)
{
	for (size_t i = 0; i < b->n; i++)
		run_fini(&b->runs[i]);
	free(b->runs);
	*b = (struct watch_board){0};
}

/* ---- reading ---- */

/* Finds or adds a run, looking at the newest first: most news are theirs. NULL: no memory. */
static struct watch_run *find_run(struct watch_board *b, int64_t run_id)
{
	for (size_t i = b->n; i > 0; i--)
		if (b->runs[i - 1].run_id == run_id)
			return &b->runs[i - 1];
	struct watch_run *runs = realloc(b->runs, (b->n + 1) * sizeof *runs);

	if (!runs)
		return NULL;
	b->runs = runs;
	runs[b->n] = (struct watch_run){.run_id = run_id};
	return &runs[b->n++];
}

/* Copies a text; without memory it stays unknown until the next reading. */
static bool put_text(char **to, const char *text)
{
	if (*to && text && strcmp(*to, text) == 0)
		return true;
	free(*to);
	*to = text ? str_dup(text) : NULL;
	return *to || !text;
}

static bool put_best(struct watch_run *r, double ns, const char *implementation, const char *config)
{
	r->best_ns = ns;
	return put_text(&r->implementation, implementation) && put_text(&r->config, config);
}

static enum asc_status take_news(void *user, const struct db_news *n, struct asc_err *e)
{
	struct watch_board *b = user;
	struct watch_run *r = find_run(b, n->run_id);
	enum result_status status;

	if (!r)
		return asc_err_nomem(e);
	b->after = n->id;
	r->trials++;
	if (n->recorded_ms > r->last_ms)
		r->last_ms = n->recorded_ms;
	if (!n->status || !result_status_parse(n->status, &status))
		return ASC_OK; /* status of a newer version: a trial all the same */
	r->by_status[status]++;
	return ASC_OK;
}

static bool put_device(struct watch_run *r, const struct db_going *g)
{
	char *text = str_print("%s: %s", g->device_kind ? g->device_kind : "",
			       g->device_model ? g->device_model : "");
	bool kept = put_text(&r->device, text);

	free(text);
	return kept;
}

static enum asc_status take_going(void *user, const struct db_going *g, struct asc_err *e)
{
	struct watch_board *b = user;
	struct watch_run *r = find_run(b, g->run_id);

	if (!r)
		return asc_err_nomem(e);
	b->foreign |= r->started_ms && r->started_ms != g->started_ms; /* a start never changes */
	r->started_ms = g->started_ms;
	r->ended_ms = g->ended_ms;
	bool kept = put_text(&r->workload, g->workload) && put_text(&r->problem, g->problem) &&
		    put_text(&r->budget, g->budget) && put_text(&r->outcome, g->outcome) &&
		    put_device(r, g);

	if (kept)
		kept = put_best(r, g->implementation ? g->median_ns : 0, g->implementation,
				g->config_key);
	if (b->n_list < WATCH_MAX_RUNS)
		b->list[b->n_list++] = (size_t)(r - b->runs);
	return kept ? ASC_OK : asc_err_nomem(e);
}

/* Reads trials first: their runs exist when the runs are read. */
static enum asc_status read_once(struct watch_board *b, struct db *db, const char *workload,
				 struct asc_err *e)
{
	int64_t newest = 0;

	b->n_list = 0;
	if (db_find_newest(db, &newest, e) || db_each_news(db, b->after, take_news, b, e))
		return e->status;
	b->foreign = newest < b->after; /* numbers run on: a lower one is of another file */
	return today_each_going(db, workload, WATCH_MAX_RUNS, take_going, b, e);
}

enum asc_status watch_board_read(struct watch_board *b, const char *path, const char *workload,
				 struct asc_err *e)
{
	struct db *db = NULL;
	enum asc_status status = db_open(path, DB_GLANCE, &db, e);

	if (status == ASC_OK)
		status = read_once(b, db, workload, e);
	if (status == ASC_OK && b->foreign) {
		watch_board_fini(b);
		status = read_once(b, db, workload, e);
	}
	db_close(db);
	return status;
}

/* ---- showing ---- */

static struct live_facts facts_of(const struct watch_run *r)
{
	struct live_facts f = {.budget = r->budget,
			       .trials = r->trials,
			       .fresh = r->trials,
			       .age_ns = -1,
			       .over = r->ended_ms != 0,
			       .best_ns = r->best_ns,
			       .implementation = r->implementation,
			       .config = r->config};

	memcpy(f.by_status, r->by_status, sizeof f.by_status);
	if (r->last_ms > r->started_ms)
		f.elapsed_ns = (r->last_ms - r->started_ms) * NS_PER_MS;
	return f;
}

/* Age of a time; one in the future, by another machine's clock, is now. */
static int64_t age_of(int64_t then_ms, int64_t now_ms)
{
	return now_ms > then_ms ? (now_ms - then_ms) * NS_PER_MS : 0;
}

/* Time without a result after which a run may have been killed, which is not recorded. */
static const int64_t silence_ns = INT64_C(3600000000000); /* an hour: no result takes longer */

static const char *state_of(const struct watch_run *r, int64_t now_ms)
{
	int64_t sign_ms = r->last_ms > r->started_ms ? r->last_ms : r->started_ms;

	if (r->ended_ms)
		return r->outcome ? r->outcome : "ended";
	return age_of(sign_ms, now_ms) > silence_ns ? "running or killed" : "running";
}

static void draw_run(const struct watch_run *r, int64_t now_ms, struct canvas *c)
{
	struct live_facts f = facts_of(r);
	char time[UNITS_TEXT_SIZE];
	char *title = str_print("%s/%s on %s", r->workload ? r->workload : "",
				r->problem ? r->problem : "", r->device ? r->device : "");
	char *phase = r->ended_ms ? str_print("%s %s ago", state_of(r, now_ms),
					      live_print_age(age_of(r->ended_ms, now_ms), time))
				  : str_dup(state_of(r, now_ms));

	f.title = title ? title : "";
	f.phase = phase;
	if (!r->ended_ms && r->last_ms)
		f.age_ns = age_of(r->last_ms, now_ms);
	live_lines_add(&f, c);
	free(title);
	free(phase);
}

void watch_board_draw(const struct watch_board *b, int64_t now_ms, struct canvas *c)
{
	for (size_t i = 0; i < b->n_list; i++)
		draw_run(&b->runs[b->list[i]], now_ms, c);
}

static void add_text(struct buf *out, const char *text)
{
	if (text)
		columns_add(out, text, SIZE_MAX, true);
}

static void print_best(const struct watch_run *r, struct buf *out)
{
	char time[UNITS_TEXT_SIZE];

	buf_print(out, ", best %s (", units_print_duration(r->best_ns, time));
	add_text(out, r->implementation);
	if (r->config && *r->config)
		buf_add_char(out, ' ');
	add_text(out, r->config);
	buf_add_char(out, ')');
}

void watch_run_print(const struct watch_run *r, int64_t now_ms, struct buf *out)
{
	const struct live_facts f = facts_of(r);

	add_text(out, r->workload);
	buf_add_char(out, '/');
	add_text(out, r->problem);
	buf_add_str(out, " on ");
	add_text(out, r->device);
	buf_add_str(out, ": ");
	add_text(out, state_of(r, now_ms));
	if (r->trials == 0 && r->ended_ms != 0)
		buf_add_str(out, ", every result was recorded before");
	else
		buf_print(out, ", %llu trial%s", (unsigned long long)r->trials,
			  r->trials == 1 ? "" : "s");
	if (r->best_ns > 0)
		print_best(r, out);
	if (live_failed(&f) == 0)
		return;
	buf_print(out, ", %llu failed: ", (unsigned long long)live_failed(&f));
	live_print_failures(&f, out);
}

static void write_time(struct json_writer *w, const char *key, int64_t ms)
{
	if (ms)
		json_write_int(w, key, ms);
}

static void write_best(struct json_writer *w, const struct watch_run *r)
{
	json_write_begin(w, "best", '{');
	json_write_string(w, "implementation", r->implementation);
	json_write_string(w, "config_key", r->config);
	json_write_real(w, "median_ns", r->best_ns);
	json_write_end(w, '}');
}

void watch_run_write_json(const struct watch_run *r, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "run");
	json_write_int(&w, "run", r->run_id);
	json_write_string(&w, "workload", r->workload);
	json_write_string(&w, "problem", r->problem);
	json_write_string(&w, "device", r->device);
	json_write_string(&w, "budget", r->budget);
	json_write_string(&w, "state", r->ended_ms ? r->outcome : "running");
	write_time(&w, "started_ms", r->started_ms);
	write_time(&w, "last_result_ms", r->last_ms);
	write_time(&w, "ended_ms", r->ended_ms);
	json_write_count(&w, "trials", r->trials);
	json_write_begin(&w, "statuses", '{');
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (r->by_status[i])
			json_write_count(&w, result_status_name((enum result_status)i),
					 r->by_status[i]);
	json_write_end(&w, '}');
	if (r->best_ns > 0)
		write_best(&w, r);
	json_write_end(&w, '}');
}
