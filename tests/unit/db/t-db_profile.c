/* Profiles in the database: written and read back, which of several counts, what answers say of
 * them, and that merging knows them.
 * covers: record_profile.c query_profile.c profile.c best.c merge.c */
#include <math.h>
#include <string.h>

#include "db/merge.h"
#include "reports/results/best.h"
#include "tests/profiles.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

static void put(struct db *d, int64_t run, const char *key, const struct profile *p)
{
	tap_int(db_put_profile(d, run, &rows_implementation, key, p, &e), ASC_OK, "profile of %s",
		key);
}

/* A profile that rests on times: its label, and one figure that says whose it is. */
static void put_free(struct db *d, int64_t run, const char *key, enum label label)
{
	struct profile p = {.label = label, .basis = LABEL_BASIS_TIME};

	profile_add(&p, "launch", "time_ns", "ns", 5, 0, NULL);
	put(d, run, key, &p);
	profile_fini(&p);
}

static int64_t begin(struct db *d, const char *strategy, const char *cache)
{
	struct db_run r = rows_run;
	int64_t id = 0;

	r.strategy = strategy;
	r.cache_policy = cache;
	r.n_implementations = strcmp(strategy, "profile") == 0 ? 0 : 1;
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &id, &e), ASC_OK, "a run: %s",
		strategy);
	return id;
}

static int64_t find(struct db *d, int64_t run, const char *key, struct profile *p)
{
	int64_t implementation = 1; /* the only row */
	bool found;

	tap_int(db_find_profile(d, run, implementation, key, p, &found, &e), ASC_OK, "asked");
	return found;
}

static void back(void)
{
	struct profile written, read;
	int64_t run = 0;
	struct db *d = rows_open(rows_path("back.db"), &run);

	profile_make_softmax(&written);
	profile_add(&written, "cupti", "l2_bytes", "B", 7, 2, NULL);
	profile_add(&written, "cupti", "dram_pct", "%", NAN, 0, "not permitted\n(CUPTI 35)");
	profile_add(&written, "cupti", "l1_pct", "%", INFINITY, 0, NULL);
	written.failure = str_dup("crashed in pass 3 of 7");
	put(d, run, "B=1", &written);
	tap_ok(find(d, run, "B=1", &read), "found");
	tap_int(read.label, LABEL_MEMORY, "label");
	tap_int(read.basis, LABEL_BASIS_COUNTERS, "basis");
	tap_str(read.sentence, written.sentence, "sentence");
	tap_real(read.left, 1.0632, 1e-9, "left");
	tap_str(read.set, "default", "set");
	tap_str(read.cache, "flushed", "caches");
	tap_real(read.clock_mhz, 1980, 0, "clock");
	tap_int(read.passes, 7, "passes");
	tap_int(read.launches, 21, "launches");
	tap_int(read.spent_ns, 170000000, "time");
	tap_str(read.failure, "crashed in pass 3 of 7", "failure");
	tap_int(read.n_readings, written.n_readings, "readings");
	tap_real(profile_value(&read, "l2_bytes"), 271000000, 0, "of the launch");
	tap_ok(read.readings[read.n_readings - 1].call == 2, "of a kernel, behind those");
	tap_ok(isnan(profile_value(&read, "dram_pct")), "no value");
	tap_str(profile_find(&read, "dram_pct")->reason, "not permitted\n(CUPTI 35)",
		"and its reason");
	profile_fini(&read);
	/* Made anew in the same run: nothing of the first one stays. */
	put_free(d, run, "B=1", LABEL_LATENCY);
	tap_ok(find(d, run, "B=1", &read), "found again");
	tap_int(read.label, LABEL_LATENCY, "the new one");
	tap_int(read.n_readings, 1, "its readings alone");
	tap_ok(!read.sentence && !read.failure && !*read.set, "and no text of the old one");
	profile_fini(&read);
	tap_ok(!find(d, run, "B=2", &read), "of another configuration there is none");
	profile_fini(&written);
	db_close(d);
}

/* Of several the one with counters, then the newest; of this cache policy. */
static void counts(void)
{
	int64_t first = 0;
	struct db *d = rows_open(rows_path("counts.db"), &first);
	const int64_t second = begin(d, "random", "hot"), cold = begin(d, "random", "cold");
	struct profile p;

	put_free(d, second, "B=1", LABEL_CACHE);
	put_free(d, first, "B=1", LABEL_LATENCY);
	put_free(d, cold, "B=1", LABEL_MEMORY);
	tap_ok(find(d, first, "B=1", &p), "found");
	tap_int(p.label, LABEL_CACHE, "of the newest run, whenever it was recorded");
	profile_fini(&p);
	tap_ok(find(d, cold, "B=1", &p), "found");
	tap_int(p.label, LABEL_MEMORY, "cold caches have their own");
	profile_fini(&p);

	const int64_t counted = begin(d, "profile", "hot");
	struct profile softmax;

	profile_make_softmax(&softmax);
	put(d, counted, "B=1", &softmax);
	profile_fini(&softmax);
	const int64_t newest = begin(d, "random", "hot");

	put_free(d, newest, "B=1", LABEL_UNKNOWN);
	tap_ok(find(d, newest, "B=1", &p), "found");
	tap_str(p.set, "default", "one that counted comes before newer ones that did not");
	profile_fini(&p);
	db_close(d);
}

/* ---- answers ---- */

struct seen {
	struct buf json;
	enum label label;
	int64_t run_id;
	size_t n;
};

static enum asc_status see(void *user, const struct best_row *row, struct asc_err *err)
{
	struct seen *s = user;

	(void)err;
	s->n++;
	s->run_id = row->run_id;
	s->label = row->profile ? row->profile->label : LABEL_COUNT;
	buf_clear(&s->json);
	buf_add_str(&s->json, row->profile_json ? row->profile_json : "none");
	return ASC_OK;
}

static void answers(void)
{
	int64_t run = 0;
	struct db *d = rows_open(rows_path("answers.db"), &run);
	struct seen s = {.n = 0};

	rows_add_trial(d, run, "B=1", RESULT_OK, 100);
	rows_add_trial(d, run, "B=2", RESULT_OK, 90);
	put_free(d, run, "B=1", LABEL_SPILLS);
	tap_int(best_each(d, NULL, see, &s, &e), ASC_OK, "asked");
	tap_str(buf_str(&s.json), "none", "the profile of another configuration is not the best's");
	tap_int(best_refresh(d, &e), ASC_OK, "answers are kept");

	/* A later profile of the best: shown with it, and no run of it is an answer. */
	const int64_t profiled = begin(d, "profile", "hot");

	tap_int(rows_ask(rows_path("answers.db"), "SELECT count(*) FROM stale"), 0,
		"no answer changes with a run of a profile");
	put_free(d, profiled, "B=2", LABEL_MEMORY);
	s.n = 0;
	tap_int(best_each(d, NULL, see, &s, &e), ASC_OK, "asked");
	tap_int(s.n, 1, "one answer");
	tap_int(s.label, LABEL_MEMORY, "its profile");
	tap_int(s.run_id, run, "of the run that measured it");
	tap_str(buf_str(&s.json),
		"{\"label\":\"memory\",\"how\":\"time\","
		"\"sentence\":\"the device's memory gives no more\"}",
		"as JSON");
	buf_fini(&s.json);
	db_close(d);
}

/* ---- merging ---- */

static void make(const char *name)
{
	int64_t run = 0;
	struct db *d = rows_open(rows_path(name), &run);
	struct profile p;

	rows_add_trial(d, run, "B=1", RESULT_OK, 100);
	profile_make_softmax(&p);
	profile_add(&p, "cupti", "l2_pct", "%", NAN, 0, "not permitted");
	put(d, run, "B=1", &p);
	profile_fini(&p);
	db_close(d);
}

static void merge(const char *from, const char *to)
{
	struct db_merged came;
	struct db *d = NULL;

	tap_int(db_open(rows_path(to), DB_WRITE, &d, &e), ASC_OK, "opened");
	tap_int(db_merge(d, rows_path(from), &came, &e), ASC_OK, "merged");
	db_close(d);
}

#define SUM                                                                                        \
	"SELECT count(*) * 1000000 + sum(n) FROM (SELECT count(value) + 1000 * count(reason) AS n" \
	" FROM profile p JOIN reading x ON x.profile_id = p.id GROUP BY p.id)"

static void merged(void)
{
	make("a.db");
	make("b.db");
	const int64_t each = rows_ask(rows_path("a.db"), SUM);

	tap_ok(each > 1001000, "readings and a reason: %lld", (long long)each);
	merge("a.db", "ab.db");
	merge("b.db", "ab.db");
	merge("b.db", "ba.db");
	merge("a.db", "ba.db");
	tap_int(rows_ask(rows_path("ab.db"), SUM), 2 * each, "both profiles with all readings");
	tap_int(rows_ask(rows_path("ba.db"), SUM), 2 * each, "in the other order, too");
	merge("a.db", "ab.db");
	merge("ba.db", "ab.db");
	tap_int(rows_ask(rows_path("ab.db"), SUM), 2 * each, "once more adds nothing");
}

int main(void)
{
	rows_enter();
	back();
	counts();
	answers();
	merged();
	rows_leave();
	return tap_done();
}
