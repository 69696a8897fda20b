/* Recorded results as spaces: T4 files and caches of Kernel Tuner.
 * covers: recorded.c t4_record.c */
#include "reports/exchange/formats/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/workload/space/space.h"

static struct asc_err e;
static const char *const path = "recorded_T4.json";

static enum asc_status read_text(const char *text, struct recorded **out)
{
	*out = NULL;
	if (file_write(path, text, strlen(text), &e))
		return e.status;
	return recorded_open(path, out, &e);
}

#define TIMES(ms) "\"times\":{\"compilation\":10,\"validation\":2,\"runtimes\":[" ms "]}"
#define ENTRY(config, ms)                                                                          \
	"{\"configuration\":{" config "}," TIMES(ms) ",\"invalidity\":\"correct\"}"
#define FAILED(config)                                                                             \
	"{\"configuration\":{" config "},\"times\":{\"compilation\":7},\"invalidity\":"            \
	"\"runtime\"}"
#define DOCUMENT(entries) "{\"results\":[" entries "]}"

static void test_document(void)
{
	struct recorded *r;
	struct config c = {.n = 2};
	uint64_t index = 0;

	if (!tap_int(read_text(DOCUMENT(ENTRY("\"A\":8,\"B\":true", "3,5") "," ENTRY(
				       "\"A\":1.5,\"B\":false",
				       "2") "," FAILED("\"A\":8,\"B\":false")),
			       &r),
		     ASC_OK, "three results: %s", e.text))
		return;
	tap_str(r->name, "recorded", "name of the file");
	tap_int(r->n, 3, "configurations");
	tap_int(space_count(r->space), 3, "no other is in the space");
	tap_real(space_param(r->space, 0)->values[0].r, 1.5, 0, "values ascend");
	tap_int(r->n_valid, 2, "those that passed");
	tap_real(r->sorted_ns[0], 2e6, 0, "the best first");
	tap_real(r->sorted_ns[1], 4e6, 0, "median of the samples");
	c.values[0] = value_int(8);
	c.values[1] = value_bool(true);
	tap_ok(space_find(r->space, &c, &index), "a configuration");
	tap_real(r->time_ns[index], 4e6, 0, "its time");
	tap_real(r->spent_ns[index], 20e6, 0, "10 + 2 + 3 + 5 ms for its evaluation");
	c.values[1] = value_bool(false);
	tap_ok(space_find(r->space, &c, &index), "another");
	tap_ok(isnan(r->time_ns[index]), "has no time");
	tap_int(r->status[index], RESULT_LAUNCH_FAILED, "its failure");
	tap_real(r->spent_ns[index], 7e6, 0, "what that took");
	recorded_close(r);
}

static void test_texts(void)
{
	struct recorded *r;

	if (!tap_int(read_text(DOCUMENT(ENTRY("\"T\":\"half\",\"B\":1",
					      "3") "," ENTRY("\"T\":\"float\",\"B\":1", "2")),
			       &r),
		     ASC_OK, "texts: %s", e.text))
		return;
	tap_str(value_text_get(space_param(r->space, 0)->values[0]), "float", "in order");
	tap_real(r->time_ns[0], 2e6, 0, "its time");
	recorded_close(r);
}

#define CACHE(entries)                                                                             \
	"{\"tune_params_keys\":[\"A\",\"B\"],\"objective\":\"time\",\"cache\":{" entries "}}"

static void test_cache(void)
{
	struct recorded *r;

	if (!tap_int(
		    read_text(CACHE("\"1,2\":{\"A\":1,\"B\":2,\"time\":3.5,\"times\":[3,4],"
				    "\"compile_time\":10,\"benchmark_time\":8,\"GFLOP/s\":7},"
				    "\"1,3\":{\"A\":1,\"B\":3,\"time\":\"CompilationFailedConfig\","
				    "\"compile_time\":5},"
				    "\"1,4\":{\"A\":1,\"B\":4,\"time\":1e20,\"strategy_time\":1},"
				    "\"1,5\":{\"A\":1,\"B\":5,\"__error__\":\"InvalidConfig\"}"),
			      &r),
		    ASC_OK, "a cache file: %s", e.text))
		return;
	tap_int(r->n, 4, "its configurations");
	tap_int(r->n_valid, 1, "one passed");
	tap_real(r->time_ns[0], 3.5e6, 0, "time that the file states");
	tap_real(r->spent_ns[0], 18e6, 0, "benchmarking contains the samples");
	tap_int(r->status[1], RESULT_BUILD_FAILED, "compilation failed");
	tap_real(r->spent_ns[1], 5e6, 0, "and took its time");
	tap_int(r->status[2], RESULT_LAUNCH_FAILED, "1e20 is a failure");
	tap_int(r->status[3], RESULT_PRUNED, "an error without a time");
	recorded_close(r);
}

static const struct {
	const char *what, *text, *message;
} bad[] = {
	{"nothing passed", DOCUMENT(FAILED("\"A\":1")), "no configuration passed"},
	{"no time of evaluation",
	 DOCUMENT("{\"configuration\":{\"A\":1},\"times\":{},\"invalidity\":\"correct\","
		  "\"measurements\":[{\"name\":\"time\",\"value\":1}]}"),
	 "no result states what its evaluation took"},
	{"another objective",
	 DOCUMENT("{\"configuration\":{\"A\":1}," TIMES(
		 "1") ",\"invalidity\":\"correct\",\"objectives\":[\"energy\"]}"),
	 "expected results with the objective time, found energy"},
	{"an unknown unit",
	 "{\"metadata\":{\"timeunit\":\"hours\"},\"results\":[" ENTRY("\"A\":1", "1") "]}",
	 "metadata.timeunit: expected seconds"},
	{"parameters that differ", DOCUMENT(ENTRY("\"A\":1", "1") "," ENTRY("\"B\":1", "1")),
	 "results[1].configuration: missing parameter \"A\""},
	{"no parameters", DOCUMENT(ENTRY("", "1")), "the results have no parameters"},
	{"another type", DOCUMENT(ENTRY("\"A\":1", "1") "," ENTRY("\"A\":true", "1")),
	 "A is a number in the first result and a truth value in result 2"},
	{"a text among numbers", DOCUMENT(ENTRY("\"A\":1", "1") "," ENTRY("\"A\":\"x\"", "1")),
	 "A is a number in the first result and a text in result 2"},
	{"one configuration twice", DOCUMENT(ENTRY("\"A\":1", "1") "," ENTRY("\"A\":1.0", "2")),
	 "expected one result of each configuration, A=1.0 has several"},
	{"a cache file without results", CACHE(""), "cache: expected at least one result"},
	{"another objective of a cache file",
	 "{\"tune_params_keys\":[\"A\"],\"objective\":\"GFLOP/s\",\"cache\":{\"1\":{\"A\":1,"
	 "\"time\":1}}}",
	 "expected results with the objective time, found GFLOP/s"},
	{"an entry without a time", CACHE("\"1,2\":{\"A\":1,\"B\":2}"),
	 "cache[\"1,2\"]: missing key \"time\""},
	{"an unknown failure", CACHE("\"1,2\":{\"A\":1,\"B\":2,\"time\":\"Lost\"}"),
	 "cache[\"1,2\"].time: expected a time, InvalidConfig"},
	{"an entry without a parameter", CACHE("\"1,2\":{\"A\":1,\"time\":1}"),
	 "cache[\"1,2\"]: missing parameter \"B\""},
};

static void test_bad(void)
{
	struct recorded *r;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		tap_int(read_text(bad[i].text, &r), ASC_INPUT, "refused: %s", bad[i].what);
		tap_has(e.text, bad[i].message, "because");
		tap_has(e.text, path, "with the file");
	}
}

int main(void)
{
	char *folder = NULL;

	if (dir_make_scratch("t-recorded", &folder, &e) || chdir(folder)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	test_document();
	test_texts();
	test_cache();
	test_bad();
	dir_remove(folder);
	free(folder);
	return tap_done();
}
