/* Out of memory in histories: one allocation fails in each try, and what is written after one that
 * nobody reported is the same as ever.
 * covers: track_history.c track_write.c series_csv.c */
#include <stdlib.h>

#include "reports/track/series_csv.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_transitions.h"
#include "reports/track/track_write.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tuner/base/buf.h"

/* Writes groups in every format. */
static enum asc_status write_groups(const struct track_groups *g, struct buf *out,
				    struct asc_err *e)
{
	for (size_t i = 0; i < g->n; i++)
		track_write_json(&g->list[i], out);
	track_write_lines(g, true, out);
	track_write_markdown(g, out);
	track_write_annotations(g, out);
	track_write_junit(g, out);
	return buf_check(out, e);
}

static enum asc_status job_file(struct asc_err *e)
{
	struct track_series s = {.name = "series"};
	const struct track_history h = {.list = &s, .n = 1, .n_all = 1};
	struct track_groups g = {0};
	struct buf text = {0};
	double *values = NULL;
	size_t empty;
	enum asc_status status =
		series_csv_read(TEST_DATA "/data/changepoint/gen_multiple_changes.csv", NULL,
				&values, &s.n, &empty, e);

	s.values = values;
	if (status == ASC_OK)
		status = track_series_judge(&s, &track_rule_default, e);
	if (status == ASC_OK)
		status = track_series_control(&s, 1, &track_rule_default, e);
	if (status == ASC_OK)
		status = track_groups_find(&h, &g, e);
	if (status == ASC_OK)
		status = write_groups(&g, &text, e);
	nomem_give(buf_str(&text));
	track_groups_fini(&g);
	buf_fini(&text);
	track_series_fini(&s);
	free(values);
	return status;
}

static enum asc_status write_history(struct db *d, const char *path, struct buf *out,
				     struct asc_err *e)
{
	struct track_history *h = NULL;
	struct track_groups g = {0};
	enum asc_status status = track_history_open(d, path, &track_rule_default, &h, e);

	if (status == ASC_OK)
		status = track_groups_find(h, &g, e);
	if (status == ASC_OK)
		status = write_groups(&g, out, e);
	track_groups_fini(&g);
	track_history_free(h);
	return status;
}

static enum asc_status job_history(struct asc_err *e)
{
	const char *path = rows_path("nights.db");
	struct buf text = {0};
	struct db *d = NULL;
	enum asc_status status = db_open(path, DB_READ, &d, e);

	if (status == ASC_OK)
		status = write_history(d, path, &text, e);
	nomem_give(buf_str(&text));
	buf_fini(&text);
	db_close(d);
	return status;
}

/* Transitions: those that were read before a failure are whole. */
static enum asc_status job_transitions(struct asc_err *e)
{
	struct track_transitions turns = {0};
	struct buf text = {0};
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path("nights.db"), DB_READ, &d, e);

	if (status == ASC_OK)
		status = track_transitions_read(&turns, d, e);
	track_transitions_write(&turns, &text);
	track_transitions_write_markdown(&turns, &text);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	nomem_give(buf_str(&text));
	track_transitions_fini(&turns);
	buf_fini(&text);
	db_close(d);
	return status;
}

/* Nights of which the last are slower by another configuration, far off, or broken, and beside a
 * baseline. */
static void make_nights(void)
{
	static const struct {
		const char *problem;
		struct point then;
		int nights; /* of the last; the kernel beside its baseline is slower in them */
	} stories[] = {{"won", {.ns_1 = -1}, 4},
		       {"far", {.ns_1 = 130000}, 1},
		       {"broken", {.ns_1 = -1, .ns_2 = -1}, 1}};
	enum { NIGHTS = 12 };
	const char *path = rows_path("nights.db");
	struct db *d = nights_open(path);
	static const struct point usual;
	struct rng rng;

	rng_init(&rng, 3);
	for (int i = 0; i < NIGHTS; i++) {
		for (size_t k = 0; k < sizeof stories / sizeof *stories; k++)
			night_add(d, stories[k].problem,
				  i + stories[k].nights < NIGHTS ? &usual : &stories[k].then, &rng);
		night_add_beside(d, "beside", &usual, i < 8 ? 1 : 1.3, 1, &rng);
	}
	rows_ask(path, "UPDATE run SET started_ms = id * 21600000");
	rows_ask(path, "UPDATE trial SET reason = 'no room' WHERE status = 'build_failed'");
	db_close(d);
}

int main(void)
{
	nomem_exhaust("a file of numbers", job_file);
	rows_enter();
	make_nights();
	nomem_exhaust("histories", job_history);
	nomem_exhaust("transitions", job_transitions);
	rows_leave();
	return tap_done();
}
