/* Files in the T4 format: what is read, and what is refused.
 * covers: t4.c t4_record.c */
#include "reports/exchange/formats/t4.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static struct asc_err e;

/* ---- a document of one or two records ---- */

#define CONFIG            "\"configuration\":{\"A\":64,\"B\":true}"
#define TIMES             "\"times\":{\"compilation\":1.5,\"runtimes\":[0.25,0.75,0.5]}"
#define CORRECT           "\"invalidity\":\"correct\",\"correctness\":1"
#define GOOD              "{" CONFIG "," TIMES "," CORRECT "}"
#define DOCUMENT(records) "{\"results\":[" records "]}"
#define VERSION(text)     "{\"schema_version\":" text ",\"results\":[" GOOD "]}"

static int visits;
static struct t4_record first;
static char first_name[32];

static enum asc_status note(void *user, const struct t4_record *r, struct asc_err *err)
{
	(void)user, (void)err;
	if (visits++ == 0) {
		first = *r;
		snprintf(first_name, sizeof first_name, "%s", r->names[0]);
		first.result.samples = NULL;
	}
	return ASC_OK;
}

static enum asc_status read_text(const char *text)
{
	struct t4 *t = NULL;
	enum asc_status status = t4_open("results.json", text, strlen(text), &t, &e);

	visits = 0;
	if (status == ASC_OK)
		status = t4_each(t, note, NULL, &e);
	t4_close(t);
	return status;
}

static void test_record(void)
{
	tap_int(read_text(DOCUMENT(GOOD)), ASC_OK, "a record");
	tap_int(visits, 1, "one");
	tap_str(first_name, "A", "its first parameter");
	tap_ok(first.config.n == 2 && first.config.values[0].i == 64 &&
		       first.config.values[1].kind == VALUE_BOOL,
	       "values of the first");
	tap_int(first.result.status, RESULT_OK, "correct is ok");
	tap_int(first.result.phase, PHASE_MEASURE, "was measured");
	tap_int(first.result.spent_ns[PHASE_BUILD], 1500000, "milliseconds become nanoseconds");
	tap_int(first.result.n_samples, 3, "samples of the first");
	tap_real(first.result.time.median, 500000, 0, "their median");
	tap_int(first.recorded_ms, 0, "no time of day was said");
}

/* ---- times ---- */

#define WITH(unit, more)                                                                           \
	"{\"metadata\":{\"timeunit\":\"" unit "\",\"host\":1},\"results\":[{" CONFIG "," CORRECT   \
	"," more "}]}"
#define MEASURED(value, unit)                                                                      \
	"\"times\":{},\"measurements\":[{\"name\":\"time\",\"value\":" value ",\"unit\":\"" unit   \
	"\"}]"

static void test_times(void)
{
	static const struct {
		const char *text;
		double median_ns;
	} units[] = {
		{WITH("miliseconds", MEASURED("1.5", "")), 1.5e6},
		{WITH("milliseconds", MEASURED("1.5", "us")), 1.5e3},
		{WITH("seconds", MEASURED("2", "")), 2e9},
		{WITH("nanoseconds", MEASURED("2.5", "")), 2.5},
		{WITH("seconds", "\"times\":{\"runtimes\":[1,3]}"), 2e9},
		{WITH("seconds",
		      "\"objectives\":[\"energy\"],\"times\":{\"runtimes\":[1]},"
		      "\"measurements\":[{\"name\":\"energy\",\"value\":7,\"unit\":\"J\"}]"),
		 1e9},
		{WITH("milliseconds",
		      "\"times\":{\"runtimes\":[1,2,9]},\"measurements\":[{\"name\":"
		      "\"time\",\"value\":4.0}]"),
		 4e6},
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		tap_int(read_text(units[i].text), ASC_OK, "times %zu: %s", i, e.text);
		tap_real(first.result.time.median, units[i].median_ns, 0, "median");
	}
}

/* The time that a file states need not be among its samples. */
static void test_stated(void)
{
	tap_int(read_text(WITH("nanoseconds", "\"times\":{\"runtimes\":[1,2]},\"measurements\":[{"
					      "\"name\":\"time\",\"value\":7}]")),
		ASC_OK, "a time beyond the samples");
	tap_real(first.result.time.median, 7, 0, "stands");
	tap_real(first.result.time.min, 1, 0, "the least is a sample");
	tap_real(first.result.time.max, 7, 0, "the most is the time itself");
}

static void test_exact(void)
{
	int lost = 0;

	for (double ns = 0.5; ns < 1e15; ns = ns * 3 + 0.5)
		lost += t4_ns(t4_ms(ns), 1e6) != ns;
	tap_int(lost, 0, "nanoseconds and halves come back from milliseconds as they were");
}

static void test_moments(void)
{
	/* By `date -ud ... +%s`. */
	static const struct {
		const char *text;
		int64_t ms;
	} moments[] = {
		{"2023-12-22 09:54:05.502007+00:00", 1703238845502},
		{"2023-12-22T09:54:05Z", 1703238845000},
		{"2023-12-22T10:54:05.5+01:00", 1703238845500},
		{"2023-12-22T09:54:05", 1703238845000},
	};
	char text[512];

	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
		snprintf(text, sizeof text,
			 "{\"results\":[{\"timestamp\":\"%s\"," CONFIG "," TIMES "," CORRECT "}]}",
			 moments[i].text);
		tap_int(read_text(text), ASC_OK, "%s", moments[i].text);
		tap_int(first.recorded_ms, moments[i].ms, "is read");
	}
}

/* ---- words ---- */

static void test_words(void)
{
	for (int s = 0; s < RESULT_STATUS_COUNT; s++) {
		const char *word = t4_invalidity((enum result_status)s);

		tap_ok((word && strcmp(word, "correct") == 0) == (s == RESULT_OK),
		       "%s: only ok is correct", result_status_name((enum result_status)s));
		enum result_status back;
		enum phase phase;

		if (s == RESULT_PLANNED) {
			tap_ok(!word, "what was not run is no result");
			continue;
		}
		tap_ok(word && t4_invalidity_parse(word, &back, &phase) &&
			       strcmp(t4_invalidity(back), word) == 0,
		       "%s is %s", result_status_name((enum result_status)s), word);
	}
}

#define FAILED(word, value)                                                                        \
	"{" CONFIG ",\"times\":{},\"invalidity\":\"" word                                          \
	"\",\"correctness\":0,\"measurements\":[{"                                                 \
	"\"name\":\"time\",\"value\":" value ",\"unit\":\"\"}]}"

static void test_failed(void)
{
	static const struct {
		const char *text;
		enum result_status status;
	} failed[] = {
		{DOCUMENT(FAILED("compile", "\"CompilationFailedConfig\"")), RESULT_BUILD_FAILED},
		{DOCUMENT(FAILED("runtime", "\"RuntimeFailedConfig\"")), RESULT_LAUNCH_FAILED},
		{DOCUMENT(FAILED("timeout", "\"\"")), RESULT_TIMEOUT},
		{DOCUMENT(FAILED("correctness", "\"\"")), RESULT_WRONG},
		{DOCUMENT(FAILED("constraints", "\"\"")), RESULT_PRUNED},
	};

	for (size_t i = 0; i < sizeof failed / sizeof *failed; i++) {
		tap_int(read_text(failed[i].text), ASC_OK, "failure %zu: %s", i, e.text);
		tap_int(first.result.status, failed[i].status, "status");
		tap_int(first.result.n_samples, 0, "without a time");
	}
}

#define OWN(status)                                                                                \
	"{\"results\":[" FAILED("runtime", "\"\"") "],\"X-Asctune\":{\"workload\":\"w\","          \
						   "\"statuses\":[" status "]}}"

static void test_own(void)
{
	tap_int(read_text(OWN("{\"status\":\"crashed\",\"phase\":\"measure\",\"reason\":\"boom\","
			      "\"default\":true}")),
		ASC_OK, "what asctune adds");
	tap_int(first.result.status, RESULT_CRASHED, "says more");
	tap_int(first.result.phase, PHASE_MEASURE, "than the word");
	tap_ok(first.is_default, "can");
	tap_int(read_text(OWN("null")), ASC_OK, "or adds nothing");
	tap_int(first.result.status, RESULT_LAUNCH_FAILED, "then the word counts");
}

/* ---- bad input ---- */

static const struct {
	const char *text, *message;
} bad[] = {
	{"", "the text is empty"},
	{"{\"results\":[" GOOD, "results.json:1:"},
	{"[]", "expected an object, found an array"},
	{"{}", "missing key \"results\""},
	{"{\"results\":{}}", "results: expected an array, found an object"},
	{"{\"results\":[]}", "results: expected at least one result"},
	{"{\"ConfigurationSpace\":{}}", "a search space (T1), expected results (T4)"},
	{"{\"results\":[1]}", "results[0]: expected an object"},
	{"{\"results\":[{}]}", "results[0]: missing key \"configuration\""},
	{DOCUMENT(GOOD ",{\"configuration\":{\"A\":64}," TIMES "," CORRECT "}"),
	 "results[1].configuration: missing parameter \"B\""},
	{DOCUMENT(GOOD ",{\"configuration\":{\"A\":1,\"B\":1,\"C\":1}," TIMES "," CORRECT "}"),
	 "results[1].configuration.C: a parameter that results[0] does not have"},
	{DOCUMENT("{\"configuration\":{\"A\":1,\"A\":2}," TIMES "," CORRECT "}"), "\"A\""},
	{DOCUMENT("{\"configuration\":{\"A\":\"x=1\"}," TIMES "," CORRECT "}"),
	 "results[0].configuration.A: a text is 1 to 60 printable ASCII characters"},
	{DOCUMENT("{\"configuration\":{\"A\":[1]}," TIMES "," CORRECT "}"),
	 "results[0].configuration.A: expected a number, a truth value or a text"},
	{DOCUMENT("{" CONFIG ",\"times\":{\"runtimes\":[1,\"2\"]}," CORRECT "}"),
	 "results[0].times.runtimes[1]"},
	{DOCUMENT("{" CONFIG ",\"times\":{\"runtimes\":[-1]}," CORRECT "}"),
	 "results[0].times.runtimes[0]: expected a time of 0 or more"},
	{DOCUMENT("{" CONFIG ",\"times\":{\"compilation\":1e300}," CORRECT "}"),
	 "results[0].times.compilation: expected a time"},
	{DOCUMENT("{" CONFIG ",\"times\":[]," CORRECT "}"), "results[0].times: expected an object"},
	{DOCUMENT("{" CONFIG ",\"times\":{}," CORRECT "}"),
	 "results[0]: a correct result without a time"},
	{DOCUMENT("{" CONFIG "," TIMES ",\"invalidity\":\"good\"}"),
	 "results[0].invalidity: expected correct, compile"},
	{DOCUMENT("{" CONFIG "," TIMES "}"), "results[0]: missing key \"invalidity\""},
	{DOCUMENT("{\"timestamp\":\"yesterday\"," CONFIG "," TIMES "," CORRECT "}"),
	 "results[0].timestamp: expected a date and time, found \"yesterday\""},
	{WITH("hours", TIMES), "metadata.timeunit: expected seconds"},
	{WITH("seconds", MEASURED("1", "GB/s")), "measurements[0].unit: expected a unit of time"},
	{WITH("seconds", TIMES ",\"measurements\":1"), "measurements: expected an array"},
	{WITH("seconds", "\"times\":{\"runtimes\":[true]}"), "found a truth value"},
	{DOCUMENT("{\"configuration\":{\"A=1,B\":1}," TIMES "," CORRECT "}"),
	 "expected a name without '=' and ','"},
	{OWN("null,null"), "X-Asctune.statuses: 2 statuses of 1 results"},
	{OWN("{\"status\":\"ok\",\"phase\":\"measure\"}"),
	 "the status \"ok\" of a result that says \"runtime\""},
	{OWN("{\"status\":\"fine\",\"phase\":\"measure\"}"), "unknown status \"fine\""},
	{VERSION("\"2.0.0\""), "schema_version: expected 1.0.0 or another version 1 of T4, found "
			       "\"2.0.0\""},
	{VERSION("\"10.0\""), "schema_version: expected 1.0.0"},
	{VERSION("1.0"), "schema_version: expected a string"},
	{"{\"results\":[" GOOD "],\"X-Asctune\":{\"workloat\":\"w\"}}",
	 "did you mean \"workload\""},
};

static void test_bad(void)
{
	tap_int(read_text(VERSION("\"1.0.0\"")), ASC_OK, "the version that is written");
	tap_int(read_text(VERSION("\"1.2.0\"")), ASC_OK, "a later one of version 1");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		tap_ok(read_text(bad[i].text) == ASC_INPUT, "refused: %.60s", bad[i].text);
		tap_has(e.text, bad[i].message, "because");
		tap_has(e.text, "results.json", "with the file");
	}
}

int main(void)
{
	test_record();
	test_times();
	test_stated();
	test_exact();
	test_moments();
	test_words();
	test_failed();
	test_own();
	test_bad();
	return tap_done();
}
