/* Figures, formulas and the judge. Golden numbers by arithmetic.
 * covers: figures.c */
#include "probes/metrics/figures.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static const char text[] =
	"{\"metrics\":["
	"{\"name\":\"bytes\",\"unit\":\"B\",\"meaning\":\"m\",\"probe\":\"gpu\",\"counters\":{\"*"
	"\":[\"b\"]}},"
	"{\"name\":\"soft\",\"unit\":\"1\",\"meaning\":\"m\",\"probe\":\"gpu\",\"software\":true,"
	"\"counters\":{\"*\":[\"s\"]}},"
	"{\"name\":\"part\",\"unit\":\"1\",\"meaning\":\"m\",\"formula\":\"rate / peak_dram\"},"
	"{\"name\":\"rate\",\"unit\":\"B/s\",\"meaning\":\"m\",\"formula\":\"bytes / hot_ns * "
	"1e9\"},"
	"{\"name\":\"rate\",\"unit\":\"B/s\",\"meaning\":\"m\",\"formula\":\"bytes / time_ns * "
	"1e9\"},"
	"{\"name\":\"share\",\"unit\":\"1\",\"meaning\":\"m\",\"formula\":\"bytes / need_bytes\"},"
	"{\"name\":\"other\",\"unit\":\"1\",\"meaning\":\"m\",\"probe\":\"npu\",\"counters\":{\"*"
	"\":[\"o\"]}},"
	"{\"name\":\"of_other\",\"unit\":\"1\",\"meaning\":\"m\",\"formula\":\"other / 2\"},"
	"{\"name\":\"softer\",\"unit\":\"1\",\"meaning\":\"m\",\"formula\":\"soft / 2\"}],"
	"\"sets\":{\"mine\":[\"bytes\",\"soft\",\"rate\",\"share\",\"softer\",\"of_other\","
	"\"other\"]},"
	"\"rules\":["
	"{\"label\":\"spills\",\"devices\":[\"gpu\"],\"if\":\"loop_spills > 0\",\"sentence\":"
	"\"{loop_spills:} of them\"},"
	"{\"label\":\"memory\",\"devices\":[\"gpu\"],\"if\":\"part >= 0.75\",\"left\":\"1 / part\","
	"\"sentence\":\"{part:%} of {peak_dram:B/s}, {time_ns:ns}, {1 / part:x}\"},"
	"{\"label\":\"cache\",\"devices\":[\"gpu\",\"cpu\"],\"if\":\"soft > "
	"1\",\"sentence\":\"soft\"},"
	"{\"label\":\"latency\",\"devices\":[\"gpu\"],\"if\":\"share > 1 and hot_ns > 1\","
	"\"sentence\":\"both\"}]}";

static struct metric_book *book;
static struct figures *f;
static struct asc_err error;

static struct metric reading(const char *name, double value, int call)
{
	struct metric m = {.probe = "gpu", .unit = "B", .value = value, .call = call};

	strcpy(m.name, name);
	return m;
}

static const struct metric *find(const struct result *r, const char *name, int call)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0 && r->metrics[i].call == call)
			return &r->metrics[i];
	return NULL;
}

static void test_formulas(void)
{
	const struct metric list[] = {reading("bytes", 300, 0), reading("bytes", 200, 1),
				      reading("bytes", 100, 2)};
	struct result r;

	result_init(&r);
	tap_int(figures_new(book, &f, &error), ASC_OK, "figures");
	for (size_t i = 0; i < 3; i++)
		(void)result_add_reading(&r, &list[i], NULL, &error);
	figures_put_readings(f, r.metrics, r.n_metrics);
	figures_put(f, "time_ns", 100);
	figures_put(f, "peak_dram", 4e9);
	figures_put(f, "need_bytes", 50);
	figures_put(f, "nobody", 1);
	tap_real(figures_get(f, "bytes"), 300, 0, "a reading of the whole launch");
	tap_ok(isnan(figures_get(f, "hot_ns")), "what was not put is not known");
	tap_ok(isnan(figures_get(f, "nobody")), "nor is what the book does not use");
	tap_int(figures_derive(f, NULL, &r, &error), ASC_OK, "formulas");
	tap_real(find(&r, "rate", 0)->value, 3e9, 1, "the formula whose names are known");
	tap_real(find(&r, "part", 0)->value, 0.75, 1e-12, "and one that needs it");
	tap_str(find(&r, "rate", 0)->unit, "B/s", "with its unit");
	tap_real(find(&r, "share", 1)->value, 4, 1e-12,
		 "of each kernel what is given suffices for");
	tap_ok(!find(&r, "rate", 1), "but no time, which is that of all kernels");
	figures_put(f, "time_ns", 0);
	tap_real(figures_get(f, "rate"), 3e9, 1, "a figure that is known stays");
	result_fini(&r);
	figures_free(f);
}

static void check_reason(const struct result *r, const char *name, const char *reason)
{
	const struct metric *m = find(r, name, 0);

	if (tap_ok(m && m->reason, "%s is missing", name))
		tap_str(m->reason, reason, "for a reason");
}

static void test_missing(void)
{
	const struct metric m = reading("bytes", 300, 0);
	const struct metric_set *set = NULL;
	struct result r;

	result_init(&r);
	tap_int(figures_new(book, &f, &error), ASC_OK, "figures");
	tap_int(metric_book_find_set(book, "mine", &set, &error), ASC_OK, "a set with formulas");
	(void)result_add_reading(&r, &m, NULL, &error);
	(void)result_add_missing(&r, "gpu", "soft", "1", "refused", &error);
	figures_put_readings(f, r.metrics, r.n_metrics);
	figures_put(f, "need_bytes", 0);
	tap_int(figures_derive(f, set, &r, &error), ASC_OK, "formulas");
	check_reason(&r, "rate", "needs time_ns, which is not known");
	check_reason(&r, "softer", "refused");
	check_reason(&r, "share", "its formula divides by zero");
	tap_ok(!find(&r, "part", 0), "what the set does not name is not missed");
	tap_ok(!find(&r, "of_other", 0), "nor what needs a metric that no probe was asked for");
	result_fini(&r);
	figures_free(f);
}

static void judge(enum label label, enum label_basis basis, const char *sentence, const char *what)
{
	struct profile p = {0};

	tap_int(figures_judge(f, "gpu", &p, &error), ASC_OK, "%s", what);
	tap_str(label_name(p.label), label_name(label), "the label");
	tap_str(label_basis_name(p.basis), label_basis_name(basis), "what it rests on");
	tap_str(p.sentence, sentence, "the sentence");
	profile_fini(&p);
}

static void test_judge(void)
{
	struct metric m = reading("bytes", 300, 0);
	struct profile p = {0};
	struct result r;

	result_init(&r);
	(void)figures_new(book, &f, &error);
	judge(LABEL_UNKNOWN, LABEL_BASIS_TIME, label_meaning(LABEL_UNKNOWN), "nothing is known");
	figures_put_readings(f, &m, 1);
	figures_put(f, "time_ns", 100);
	figures_put(f, "peak_dram", 4e9);
	(void)figures_derive(f, NULL, &r, &error);
	judge(LABEL_MEMORY, LABEL_BASIS_COUNTERS, "75 % of 4 GB/s, 100 ns, 1.33x",
	      "at the threshold, by a formula over counters");
	tap_int(figures_judge(f, "gpu", &p, &error), ASC_OK, "the same");
	tap_real(p.left, 4.0 / 3, 1e-12, "says what is left");
	profile_fini(&p);
	figures_put(f, "peak_dram", 4.1e9);
	figures_put(f, "part", NAN);
	figures_put(f, "loop_spills", 2);
	judge(LABEL_SPILLS, LABEL_BASIS_TIME, "2 of them", "the first rule that holds");
	figures_put(f, "loop_spills", 0);
	judge(LABEL_UNKNOWN, LABEL_BASIS_TIME, label_meaning(LABEL_UNKNOWN),
	      "a rule with a name that is not known does not hold");
	m = reading("soft", 2, 0);
	figures_put_readings(f, &m, 1);
	judge(LABEL_CACHE, LABEL_BASIS_TIME, "soft", "what software counts is no counter");
	figures_put(f, "soft", 0);
	figures_put(f, "need_bytes", 50);
	figures_put(f, "hot_ns", 2);
	(void)figures_derive(f, NULL, &r, &error);
	judge(LABEL_LATENCY, LABEL_BASIS_BOTH, "both", "counters and times");
	tap_int(figures_judge(f, "npu", &p, &error), ASC_OK, "another device");
	tap_int(p.label, LABEL_UNKNOWN, "has rules of its own");
	profile_fini(&p);
	figures_put(f, "need_bytes", INFINITY);
	tap_ok(isnan(figures_get(f, "need_bytes")), "what is not finite is not known");
	result_fini(&r);
	figures_free(f);
}

int main(void)
{
	const struct metric_text t = {"test", text};

	if (!tap_ok(!metric_book_open_texts(&t, 1, &book, &error), "the book"))
		tap_note("%s", error.text);
	else {
		test_formulas();
		test_missing();
		test_judge();
	}
	metric_book_free(book);
	return tap_done();
}
