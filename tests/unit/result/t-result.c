/* Results of trials: names, metrics, marks and JSON.
 * covers: result.c result.c */
#include "tuner/result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static void test_names(void)
{
	enum result_status s = RESULT_STATUS_COUNT;
	enum phase p = PHASE_COUNT;

	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		const char *name = result_status_name((enum result_status)i);
		tap_ok(result_status_parse(name, &s) && s == (enum result_status)i, "status %s",
		       name);
	}
	for (int i = 0; i < PHASE_COUNT; i++) {
		const char *name = phase_name((enum phase)i);
		tap_ok(phase_parse(name, &p) && p == (enum phase)i, "phase %s", name);
	}
	tap_ok(!result_status_parse("fine", &s) && !phase_parse("", &p), "others are refused");
	tap_ok(result_status_timed(RESULT_UNDECIDED) && !result_status_failed(RESULT_UNDECIDED),
	       "what was not decided has a time and did not fail");
	tap_ok(!result_status_timed(RESULT_PLANNED) && !result_status_failed(RESULT_PLANNED),
	       "what is planned has neither");
	tap_ok(result_status_failed(RESULT_IMPOSSIBLE) && !result_status_timed(RESULT_IMPOSSIBLE),
	       "what is impossible has failed, whatever its samples say");
	tap_ok(result_status_failed(RESULT_WRONG) && !result_status_timed(RESULT_WRONG),
	       "what is wrong has failed");
}

static void test_set(void)
{
	struct result r;

	result_init(&r);
	tap_str(result_reason(&r), "measured and verified", "without a reason the meaning");
	result_set(&r, RESULT_WRONG, PHASE_VERIFY, "%d of %d elements\nof %s", 12, 4096, "out");
	tap_str(result_reason(&r), "12 of 4096 elements of out", "a reason is one line");
	result_set(&r, RESULT_TIMEOUT, PHASE_MEASURE, "after %ds", 30);
	tap_ok(r.status == RESULT_TIMEOUT && r.phase == PHASE_MEASURE, "the last one counts");
	result_fini(&r);
	tap_ok(!r.reason && r.launches_per_sample == 1, "as new");
	result_fini(&r);
}

/* What a program sees where the host is slower than the device. */
static void test_host(void)
{
	struct result r = {0};
	struct asc_err e;
	struct buf words = {0};

	tap_ok(result_host_ns(&r, 10) == 0, "nothing is known of the host");
	(void)result_add_metric(&r, "probe", "host_ns", 5000, "ns", &e);
	tap_ok(result_host_ns(&r, 10) == 0, "another probe's figure is not it");
	(void)result_add_metric(&r, RESULT_KERNEL, "host_ns", 1234, "ns", &e);
	tap_ok(result_host_ns(&r, 1234) == 0 && result_host_ns(&r, 2000) == 0,
	       "a shorter time is not seen");
	tap_ok(result_host_ns(&r, 1000) == 1234, "a longer one is");
	result_print_host(1234, &words);
	tap_str(buf_str(&words),
		"the host takes 1.234 us to launch it, which a program sees unless it captures a "
		"graph",
		"in words");
	buf_fini(&words);
	result_fini(&r);
}

static void test_metric(void)
{
	struct result r;
	struct asc_err e;

	result_init(&r);
	tap_ok(result_add_metric(&r, "perf", "cycles", 1e6, "", &e) == ASC_OK, "a metric");
	tap_int(result_add_metric(&r, "a probe with a name of many letters", "x", 1, "", &e),
		ASC_LIMIT, "a long name is refused, not cut");
	tap_int(r.n_metrics, 1, "and not added");
	result_fini(&r);
}

static struct result make_full(void)
{
	static const int64_t samples[] = {300, 100, 200, 400, 500};
	struct result r;
	struct asc_err e;

	result_init(&r);
	result_set(&r, RESULT_OK, PHASE_MEASURE, "a \"reason\"");
	r.log = str_dup("warning: \xc3\xa4\nline two\n");
	memcpy(r.artifact, "00112233445566778899aabbccddeeff", sizeof r.artifact);
	r.cached = true;
	r.spent_ns[PHASE_BUILD] = 123456789;
	r.spent_ns[PHASE_MEASURE] = 42;
	r.flush_ns = 40;
	r.samples = malloc(sizeof samples);
	if (r.samples)
		memcpy(r.samples, samples, sizeof samples);
	r.n_samples = 5;
	r.launches_per_sample = 16;
	r.errors = (struct error_norms){true, 0.1, 0.05, INFINITY, 1, 2};
	result_add_metric(&r, "nvml", "power", 1.0 / 3, "W", &e);
	result_add_metric(&r, "perf", "ratio", NAN, "", &e);
	return r;
}

static void check_full(const struct result *r)
{
	tap_ok(r->status == RESULT_OK && r->phase == PHASE_MEASURE, "status and phase");
	tap_str(r->reason, "a \"reason\"", "reason");
	tap_str(r->log, "warning: \xc3\xa4\nline two\n", "log");
	tap_str(r->artifact, "00112233445566778899aabbccddeeff", "artifact");
	tap_ok(r->cached && r->launches_per_sample == 16, "cached, launches");
	tap_ok(r->spent_ns[PHASE_BUILD] == 123456789 && r->spent_ns[PHASE_LOAD] == 0 &&
		       r->spent_ns[PHASE_MEASURE] == 42 && r->flush_ns == 40,
	       "times of the phases");
	tap_ok(r->n_samples == 5 && r->samples[0] == 300 && r->samples[4] == 500,
	       "samples in the order taken");
	tap_real(r->time.median, 300, 0, "the summary is computed again");
	tap_real(r->time.q1, 200, 0, "with its quartiles");
	tap_ok(r->errors.known && r->errors.max_abs == 0.1 && r->errors.bad == 2 &&
		       r->errors.not_finite == 1,
	       "error norms");
	tap_ok(isnan(r->errors.max_rel), "what is not finite comes back as NaN");
	tap_int(r->n_metrics, 2, "metrics");
	tap_ok(r->n_metrics == 2 && r->metrics[0].value == 1.0 / 3 && isnan(r->metrics[1].value),
	       "their values");
	tap_str(r->n_metrics == 2 ? r->metrics[0].unit : "", "W", "their units");
}

/* Writes `r` as a worker does: inside a message with members of its own. */
static void round_trip(const struct result *r, struct result *back)
{
	struct buf b = {0};
	struct json_writer w = {&b, false};
	struct json_doc *doc = NULL;
	struct asc_err e;

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "event", "result");
	json_write_int(&w, "id", 7);
	result_write_json(r, &w);
	json_write_end(&w, '}');
	tap_ok(json_open_text("line", b.data, b.len, &doc, &e) == ASC_OK, "is JSON");
	const enum asc_status st = result_read_json(json_root(doc), back, &e);
	tap_ok(st == ASC_OK, "is read back: %s", st ? e.text : "");
	json_close(doc);
	buf_fini(&b);
}

static void test_json(void)
{
	struct result full = make_full(), bare, back;

	round_trip(&full, &back);
	check_full(&back);
	result_fini(&full);
	result_fini(&back);
	result_init(&bare);
	round_trip(&bare, &back);
	tap_ok(!back.reason && !back.log && !back.errors.known && back.n_samples == 0 &&
		       back.n_metrics == 0 && back.time.median == 0,
	       "what is absent stays absent");
	result_fini(&back);
}

static void test_json_errors(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"phase\":\"load\"}", "status"},
		{"{\"status\":\"fine\",\"phase\":\"load\"}", "unknown status \"fine\""},
		{"{\"status\":\"ok\",\"phase\":\"lunch\"}", "unknown phase \"lunch\""},
		{"{\"status\":\"ok\",\"phase\":\"load\",\"samples_ns\":7}", "samples_ns"},
		{"{\"status\":\"ok\",\"phase\":\"load\",\"samples_ns\":[1,\"2\"]}",
		 "samples_ns[1]"},
		{"{\"status\":\"ok\",\"phase\":\"load\",\"metrics\":[{}]}", "metrics[0]"},
		{"{\"status\":\"ok\",\"phase\":\"load\",\"errors\":{\"bad\":1}}", "errors"},
		{"{\"status\":\"ok\",\"phase\":\"load\",\"artifact\":"
		 "\"00112233445566778899aabbccddeeff0\"}",
		 "at most 32 bytes"},
		{"[]", "object"},
	};
	struct json_doc *doc;
	struct result r;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (!tap_ok(json_open_text("line", cases[i].text, strlen(cases[i].text), &doc,
					   &e) == ASC_OK,
			    "case %zu", i))
			continue;
		tap_ok(result_read_json(json_root(doc), &r, &e) != ASC_OK, "%s is refused",
		       cases[i].text);
		tap_has(e.text, cases[i].message, "and says why");
		json_close(doc);
	}
}

/* Three at a clock, one of them capped, and one that says nothing. */
static void test_clock(void)
{
	const int64_t notes[] = {1980 << RESULT_MHZ_SHIFT | RESULT_MARK_LOAD, 0,
				 1755 << RESULT_MHZ_SHIFT,
				 1740 << RESULT_MHZ_SHIFT | RESULT_POWER_CAPPED};
	int64_t marks = -1;

	tap_int(result_note_mhz(notes[3]), 1740, "the clock of one sample");
	tap_real(result_clock_mhz(notes, 4, &marks), 1755, 0, "the median of those that have one");
	tap_int(marks, RESULT_MARK_LOAD | RESULT_POWER_CAPPED, "and all that is noted beside it");
	tap_real(result_clock_mhz(notes + 1, 1, NULL), 0, 0, "none is known");
	tap_real(result_clock_mhz(NULL, 4, &marks), 0, 0, "nothing is");
	tap_int(marks, 0, "at all");
}

/* Marked samples are left out of the median, but were taken. */
static void test_marked(void)
{
	int64_t samples[] = {100, 900, 110}, notes[] = {0, RESULT_MARK_LOAD, 0};
	struct result r = {.samples = samples, .notes = notes, .n_samples = 3};
	struct asc_err e;

	tap_int(result_summarize(&r, &e), ASC_OK, "a summary");
	tap_real(r.time.median, 105, 0, "of two");
	tap_int((int64_t)r.time.n, 3, "three samples");
}

/* Samples of a second process stand behind those of the first, marks with them. */
static void test_add_samples(void)
{
	int64_t first[] = {100, 120}, second[] = {900, 110}, notes[] = {RESULT_MARK_LOAD, 0};
	const struct result of_first = {.samples = first, .n_samples = 2, .retaken = 1},
			    of_second = {.samples = second,
					 .notes = notes,
					 .n_samples = 2,
					 .retaken = 2},
			    empty = {0};
	struct result r = {0};
	struct asc_err e;

	tap_int(result_copy(&of_first, &r, &e), ASC_OK, "one process");
	tap_int(result_add_samples(&r, &empty, &e), ASC_OK, "another one without samples");
	tap_int((int64_t)r.n_samples, 2, "adds none");
	tap_int(result_add_samples(&r, &of_second, &e), ASC_OK, "a third one");
	tap_ok(r.n_samples == 4 && r.samples[1] == 120 && r.samples[2] == 900, "stands behind");
	tap_ok(r.notes && !r.notes[0] && r.notes[2] == RESULT_MARK_LOAD && !r.notes[3],
	       "with its marks");
	tap_int(r.retaken, 3, "what was taken again");
	tap_real(r.time.median, 110, 0, "the median is of those without marks");
	result_fini(&r);
}

int main(void)
{
	test_marked();
	test_add_samples();
	test_clock();
	test_names();
	test_set();
	test_metric();
	test_host();
	test_json();
	test_json_errors();
	return tap_done();
}
