/* Books of metrics: what is read, what is refused and where; the embedded one is whole.
 * covers: metric_book.c */
#include "probes/metrics/metric_book.h"

#include <string.h>

#include "probes/metrics/figures.h"
#include "tests/tap.h"

static struct metric_book *book;
static struct asc_err error;

static enum asc_status open_one(const char *text)
{
	const struct metric_text t = {"book.json", text};

	return metric_book_open_texts(&t, 1, &book, &error);
}

static void refuse(const char *text, const char *part, const char *what)
{
	tap_int(open_one(text), ASC_INPUT, "refused: %s", what);
	tap_has(error.text, "book.json", "with the file");
	tap_has(error.text, part, "and the reason");
}

static bool has(void *user, const char *counter)
{
	return strcmp(counter, user) == 0;
}

#define READ(name) "{\"name\":\"" name "\",\"unit\":\"B\",\"meaning\":\"m\",\"probe\":\"cupti\","
#define FORM(name, text)                                                                           \
	"{\"name\":\"" name "\",\"unit\":\"1\",\"meaning\":\"m\",\"formula\":\"" text "\"}"

static void test_counters(void)
{
	const struct metric_def *m;
	char first[] = "a", second[] = "b", other[] = "c", none[] = "x";

	tap_int(open_one("{\"metrics\":[" READ(
			"bytes") "\"kernels\":\"most\",\"counters\":"
				 "{\"GB20*\":[\"c\"],\"*\":[\"a\",\"b\"]}}]}"),
		ASC_OK, "a metric");
	m = metric_book_find(book, NULL, "bytes");
	if (!tap_ok(m, "is found"))
		return;
	tap_int(m->kernels, METRIC_KERNELS_MOST, "with how kernels are joined");
	tap_str(metric_counter(m, "GH100", has, first), "a", "the first counter of the family");
	tap_str(metric_counter(m, "GH100", has, second), "b", "the next where a chip lacks it");
	tap_ok(!metric_counter(m, "GH100", has, other), "never that of another family");
	tap_str(metric_counter(m, "GB202", has, other), "c",
		"the first family that matches counts");
	tap_ok(!metric_counter(m, "GB202", has, none), "and no other behind it");
	tap_ok(!metric_book_find(book, NULL, "byte"), "a name that is none");
	tap_ok(!metric_book_find(book, "perf_event", "bytes"), "a probe that does not have it");
	metric_book_free(book);
}

static void test_later(void)
{
	static const struct metric_text texts[] = {
		{"one",
		 "{\"metrics\":[" READ("bytes") "\"counters\":{\"*\":[\"a\"]}}],"
						"\"sets\":{\"s\":[\"bytes\"]},"
						"\"rules\":[{\"label\":\"memory\",\"devices\":"
						"[\"cpu\"],\"if\":\"True\",\"sentence\":\"one\"}"
						"]}"},
		{"two", "{\"metrics\":[{\"name\":\"bytes\",\"probe\":\"cupti\",\"counters\":"
			"{\"GH*\":[\"b\"]}},{\"name\":\"bytes\",\"probe\":\"perf_event\","
			"\"counters\":{\"*\":[\"p\"]}}," FORM(
				"twice", "2 * bytes") "],"
						      "\"sets\":{\"s\":[\"twice\"],\"t\":[\"s\"]},"
						      "\"rules\":[{\"label\":\"cache\",\"devices\":"
						      "[\"cpu\"],\"if\":\"True\","
						      "\"sentence\":\"two\"}]}"}};
	const struct metric_set *set;
	const struct metric_def *m;
	struct profile p = {0};
	struct figures *f;

	tap_int(metric_book_open_texts(texts, 2, &book, &error), ASC_OK, "two texts");
	m = metric_book_find(book, "cupti", "bytes");
	if (!tap_ok(m, "a metric of both"))
		return;
	tap_str(metric_counter(m, "GH100", NULL, NULL), "b", "has the later families in front");
	tap_str(metric_counter(m, "AD102", NULL, NULL), "a", "and its own behind");
	tap_int(metric_book_find_set(book, "t", &set, &error), ASC_OK, "a set of sets");
	tap_str(set->metrics[0]->name, "bytes", "has each metric");
	tap_str(set->metrics[0]->probe, "cupti", "of one probe");
	tap_str(set->metrics[1]->probe, "perf_event", "and of another");
	tap_str(set->metrics[1]->meaning, "m", "which need not say again what it is");
	tap_str(set->metrics[2]->name, "twice", "and what a later text adds");
	tap_ok(!set->metrics[3], "once");
	if (tap_ok(!figures_new(book, &f, &error), "figures") &&
	    tap_ok(!figures_judge(f, "cpu", &p, &error), "and the rules"))
		tap_str(p.sentence, "two", "of which later ones come first");
	figures_free(f);
	profile_fini(&p);
	tap_int(metric_book_find_set(book, "u", &set, &error), ASC_USAGE, "a set that is none");
	metric_book_free(book);
}

static void test_refused(void)
{
	refuse("{", "book.json:1:2", "no JSON");
	refuse("{\"metric\":[]}", "did you mean", "an unknown key");
	refuse("{\"metrics\":[" READ("b") "\"formula\":\"1\",\"counters\":{\"*\":[\"a\"]}}]}",
	       "metrics[0]", "counters and a formula");
	refuse("{\"metrics\":[" READ("b") "\"counters\":{}}]}", "is empty", "no counters");
	refuse("{\"metrics\":[" READ("b") "\"kernels\":\"all\",\"counters\":{\"*\":[\"a\"]}}]}",
	       "sum, time, most, least", "a way of joining that is none");
	refuse("{\"metrics\":[" READ("time_ns") "\"counters\":{\"*\":[\"a\"]}}]}",
	       "without a counter", "the name of a figure");
	refuse("{\"metrics\":[{\"name\":\"b\",\"unit\":\"B\",\"meaning\":\"m\",\"counters\":"
	       "{\"*\":[\"a\"]}}]}",
	       "probe", "counters of nobody");
	refuse("{\"metrics\":[" FORM("b", "1 +") "]}", "column 4", "a formula that does not parse");
	refuse("{\"metrics\":[" FORM("b", "bits") "]}", "metrics[0].formula", "an unknown name");
	refuse("{\"metrics\":[" FORM("b", "c") "," FORM("c", "b") "]}", "needs itself", "a cycle");
	refuse("{\"sets\":{\"s\":[\"t\"],\"t\":[\"s\"]}}", "contains itself", "a cycle of sets");
	refuse("{\"sets\":{\"s\":[\"bytes\"]}}", "metric", "a set of nothing");
	refuse("{\"rules\":[{\"label\":\"slow\",\"devices\":[\"cpu\"],\"if\":\"1\",\"sentence\":"
	       "\"s\"}]}",
	       "no label \"slow\"", "an unknown label");
	refuse("{\"rules\":[{\"label\":\"memory\",\"devices\":[\"cpu\"],\"if\":\"1\",\"sentence\":"
	       "\"{time_ns\"}]}",
	       "without \"}\"", "a sentence that does not end");
	refuse("{\"rules\":[{\"label\":\"memory\",\"devices\":[\"cpu\"],\"if\":\"1\",\"sentence\":"
	       "\"{time_ns}\"}]}",
	       "unit", "a figure without a unit");
	refuse("{\"rules\":[{\"label\":\"memory\",\"devices\":[\"cpu\"],\"if\":\"tim_ns\","
	       "\"sentence\":\"s\"}]}",
	       "did you mean", "a condition over an unknown name");
}

static void test_embedded(void)
{
	static const char *const sets[] = {"levels", "default", "all"};
	static const struct metric_text mine = {"mine.json",
						"{\"sets\":{\"mine\":[\"kernel_ns\"]}}"};
	const struct metric_set *set;

	tap_int(metric_book_open(&mine, 1, &book, &error), ASC_OK, "the program's own: %s",
		error.text);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		tap_ok(!metric_book_find_set(book, sets[i], &set, &error) && set->metrics[0],
		       "has the set %s", sets[i]);
	tap_int(metric_book_find_set(book, "mine", &set, &error), ASC_OK, "and what a user adds");
	metric_book_free(book);
}

int main(void)
{
	test_counters();
	test_later();
	test_refused();
	test_embedded();
	return tap_done();
}
