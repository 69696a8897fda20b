/* Lists of a profile for those who show it, what explains a difference, and the JSON object: its
 * order, its three digits, and its limit whatever the names. Expected figures are arithmetic on
 * those of tests/profiles.c.
 * covers: profile_view.c profile_json.c */
#include "reports/results/profile_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/profile_json.h"
#include "tests/profiles.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static const struct profile_heading softmax = {.workload = "softmax",
					       .problem = "square-8k-bf16",
					       .implementation = "rows",
					       .config = "ITEMS=2,THREADS=512,VECTOR=8",
					       .device = "NVIDIA H200",
					       .time_ns = 70000,
					       .low_ns = 69812.4,
					       .high_ns = 70188,
					       .next = "asctune code softmax.json"};

/* ---- lists ---- */

static void lists(void)
{
	struct profile_view v;
	struct profile p;

	profile_make_softmax(&p);
	profile_view_of(&p, &v);
	tap_int(v.n_levels, 3, "of shared memory nothing is known: it is no level");
	tap_str(v.levels[0].name, "DRAM", "the farthest level first");
	tap_real(v.levels[0].part, 0.9409, 1e-4, "3.82 of 4.06 TB/s");
	tap_ok(isnan(v.levels[0].hit_pct), "memory misses nothing");
	tap_real(v.bytes_needed, 1.0002, 1e-4, "bytes of memory by those needed");
	tap_int(v.units.n, 4, "units that were counted");
	tap_str(v.units.list[1].name, "tensor", "in one order, whatever the profile's");
	tap_int(v.stalls.n, 6, "a warp that is selected does not wait");
	tap_str(v.stalls.list[0].name, "long_scoreboard", "the longest first");
	tap_real(v.stalls.list[0].value, 64.5, 1e-9, "percent of all warps");
	tap_str(v.stalls.list[3].name, "lg_throttle", "equal ones by name");
	tap_str(v.loop.list[1].name, "integer", "classes of the loop, most first");
	tap_real(v.hot, 70.0 / 68, 1e-9, "hot caches");
	tap_real(v.half, 1.1, 1e-9, "half the occupancy");
	tap_int(v.kernels, 1, "one kernel");
	profile_add(&p, "cupti", "dram_bytes", "B", 1, 3, NULL);
	profile_add(&p, "energy", "dram_rate", "B/s", 1, 0, NULL);
	profile_view_of(&p, &v);
	tap_int(v.kernels, 3, "the third kernel of a launch");
	tap_real(v.levels[0].rate, 3.82e12, 1, "of two probes the first counts");
	profile_fini(&p);
}

static void reasons(void)
{
	struct profile p = {.label = LABEL_UNKNOWN};
	struct profile_view v;

	profile_add(&p, "cupti", "dram_bytes", "B", NAN, 0, "not permitted");
	profile_add(&p, "cupti", "l2_bytes", "B", NAN, 0, "not permitted");
	profile_add(&p, "energy", "energy_j", "J", NAN, 0, "no counter");
	profile_view_of(&p, &v);
	tap_int(v.n_levels, 0, "nothing was read");
	tap_int(v.n_reasons, 2, "each reason is said once");
	tap_int(v.reasons[0].n, 2, "with the number of figures");
	tap_str(v.reasons[0].first, "dram_bytes", "and the first of them");
	profile_fini(&p);
}

/* Without counters: what the problem needs, at the rate of its time. */
static void needs(void)
{
	static const struct profile_figure figures[] = {
		{"time_ns", "ns", 1000},        {"need_bytes", "B", 50000},
		{"peak_dram", "B/s", 1e11},     {"need_flops", "FLOP", 3e8},
		{"peak_flops", "FLOP/s", 1e15}, {NULL, NULL, 0}};
	struct profile p = {.label = LABEL_UNKNOWN};
	struct profile_view v;
	struct buf text = {0};

	profile_fill(&p, "launch", figures);
	profile_view_of(&p, &v);
	tap_int(v.n_levels, 1, "one level");
	tap_str(v.levels[0].name, "memory", "by what is needed");
	tap_real(v.levels[0].part, 0.5, 1e-9, "50 of 100 GB/s");
	tap_real(v.units.list[0].value, 30, 1e-9, "0.3 of 1 PFLOP/s");
	profile_add_sentence(&p, &text);
	tap_str(buf_str(&text), "nothing that was looked at explains it (memory 50 %, FLOPs 30 %)",
		"without a label: what was looked at");
	buf_fini(&text);
	profile_add(&p, "device", "peak_tensor", "FLOP/s", 3e15, 0, NULL);
	profile_view_of(&p, &v);
	tap_real(v.units.list[0].value, 10, 1e-9, "of the faster units");
	/* As rules have them: without waiting, by the peaks of the processors that work. */
	profile_add(&p, "formula", "need_rate", "B/s", 6e10, 0, NULL);
	profile_add(&p, "formula", "own_dram", "B/s", 8e10, 0, NULL);
	profile_view_of(&p, &v);
	tap_real(v.levels[0].part, 0.75, 1e-9, "60 of 80 GB/s");
	tap_int(v.n_figures, 0, "steps on the way are no figures of their own");
	profile_add(&p, "kernel", "capturable", "1", 1, 0, NULL);
	profile_view_of(&p, &v);
	tap_int(v.n_figures, 1, "what a try has shown is one");
	profile_fini(&p);
}

/* ---- what explains a difference ---- */

static void comparison(void)
{
	/* Twice the time: twice the bytes explain it; the rate, which halves with any such time,
	 * and registers, which change little, do not. */
	static const struct profile_figure other[] = {{"dram_bytes", "B", 2 * 268500000.0},
						      {"dram_rate", "B/s", 1.91e12},
						      {"code_registers", "1", 44},
						      {"warps", "1", 48},
						      {"issue_pct", "%", 44.2},
						      {"l2_bytes", "B", 271000000 * 1.3},
						      {"unheard", "1", 1},
						      {"time_ns", "ns", 140000},
						      {"cold_ns", "ns", 140000},
						      {NULL, NULL, 0}};
	struct profile_pair pairs[8];
	struct profile p, q = {.label = LABEL_MEMORY};
	size_t equal;

	profile_make_softmax(&p);
	profile_fill(&q, "cupti", other);
	profile_add(&p, "perf_event", "switches", "1", 3, 0, NULL);
	profile_add(&q, "perf_event", "switches", "1", 6, 0, NULL);
	profile_add(&q, "device", "peak_l2", "B/s", 1, 0, NULL);
	profile_add(&p, "launch", "cold_ns", "ns", 70000, 0, NULL);
	tap_int(profile_compare(&q, &p, 2, pairs, 8, &equal), 6, "figures that differ");
	tap_int(equal, 1, "warps are equal");
	tap_str(pairs[0].of->name, "dram_bytes", "what explains the time comes first");
	tap_ok(pairs[0].explains, "and is marked");
	tap_real(pairs[0].ratio, 2, 1e-9, "its ratio");
	tap_ok(!pairs[1].explains, "a share of the time explains nothing");
	tap_str(pairs[1].of->name, "issue_pct", "though it has the same ratio");
	tap_ok(!pairs[1].explains && !pairs[2].explains, "nor does a handful of switches");
	tap_str(pairs[5].of->name, "dram_rate", "what goes the other way comes last");
	tap_int(profile_compare(&q, &p, 2, pairs, 2, &equal), 2, "as many as there is room for");
	tap_int(profile_compare(&q, &p, 1, pairs, 8, &equal), 6, "equal times");
	tap_ok(!pairs[0].explains, "have nothing to explain");
	profile_fini(&p);
	profile_fini(&q);
}

/* ---- JSON ---- */

static char *write(const struct profile_heading *h, const struct profile *p)
{
	struct buf out = {0};
	struct json_writer w = {&out, false};
	struct json_doc *doc = NULL;
	struct asc_err e;

	tap_int(profile_json_write(&w, NULL, h, p, &e), ASC_OK, "written");
	tap_ok(out.len <= PROFILE_JSON_BYTES, "%zu bytes", out.len);
	tap_ok(json_open_text("profile", buf_str(&out), out.len, &doc, &e) == ASC_OK,
	       "it is JSON, and no key comes twice");
	json_close(doc);
	char *text = buf_take(&out);

	if (!text)
		abort();
	return text;
}

static void json_order(void)
{
	static const char *const order[] = {
		"{\"type\":\"profile\",\"workload\":\"softmax\"",
		"\"config\":\"ITEMS=2,THREADS=512,VECTOR=8\"",
		"\"time_ns\":70000",
		"\"interval_ns\":[69800",
		"\"label\":\"memory\",\"how\":\"counters\",\"sentence\":\"94 % of",
		"\"left\":1.06",
		"\"experiments\":{\"hot\":1.03",
		"\"levels\":[{\"name\":\"DRAM\",\"bytes\":268000000",
		"\"of_peak\":0.941",
		"\"units\":{\"issue\":22.1",
		"\"warps\":{\"have\":48",
		"\"stalls\":{\"long_scoreboard\":64.5",
		"\"code\":{\"registers\":40",
		"\"loop\":{\"f32\":48",
		"\"energy\":{\"j\":0.118",
		"\"mhz\":1980",
		"\"passes\":7",
		"\"next\":\"asctune code",
	};
	struct profile p;

	profile_make_softmax(&p);
	char *text = write(&softmax, &p);
	const char *at = text;

	for (size_t i = 0; at && i < sizeof order / sizeof *order; i++)
		tap_ok((at = strstr(at, order[i])) != NULL, "%s", order[i]);
	tap_ok(!strstr(text, "missing") && !strstr(text, "null"), "no empty member: %s", text);
	free(text);
	text = write(NULL, &p);
	tap_ok(strncmp(text, "{\"label\"", 8) == 0, "without a heading: %.20s", text);
	free(text);
	profile_fini(&p);
}

/* A text that takes more bytes as JSON than it has, and is as long as no screen. */
static char *make_hostile(const char *unit)
{
	struct buf b = {0};

	for (int i = 0; i < 700; i++)
		buf_add_str(&b, unit);
	return buf_take(&b);
}

static void json_limit(void)
{
	static const char *const texts[] = {
		"\"", "\x01", "\xff", "漢", "e\xCC\x81\xCC\x82", "\xF0\x9F\x94\xA5", "name "};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text = make_hostile(texts[i]), name[40];
		struct profile_heading h = softmax;
		struct profile p;

		profile_make_softmax(&p);
		free(p.sentence);
		p.sentence = str_dup(text);
		p.failure = str_dup(text);
		h.workload = h.problem = h.implementation = h.config = h.device = h.next = text;
		for (int k = 0; k < 40; k++) {
			(void)snprintf(name, sizeof name, "stall_%02d%.26s_pct", k, text);
			profile_add(&p, "cupti", name, "1", 1e-300 * k, 0, NULL);
			(void)snprintf(name, sizeof name, "loop_%02d%.30s", k, text);
			profile_add(&p, "code", name, "1", 1e300 * k, 0, NULL);
			(void)snprintf(name, sizeof name, "%02d%.30s", k, text);
			char *reason = str_print("%d%s", k, text);
			profile_add(&p, "cupti", name, "1", NAN, 0, reason);
			free(reason);
		}
		char *json = write(&h, &p);

		tap_has(json, "\"label\":\"memory\"", "the label stays");
		tap_has(json, "\"levels\":[{\"name\":\"DRAM\"", "the levels stay");
		free(json);
		free(text);
		profile_fini(&p);
	}
}

static void json_little(void)
{
	struct profile p = {.label = LABEL_UNKNOWN, .basis = LABEL_BASIS_TIME};
	char *text = write(NULL, &p);

	tap_str(text,
		"{\"label\":\"unknown\",\"how\":\"time\","
		"\"sentence\":\"nothing that was looked at explains it\"}",
		"of nothing a label alone");
	free(text);
	profile_add(&p, "cupti", "dram_bytes", "B", NAN, 0, "not permitted (CUPTI 35)");
	profile_add(&p, "cupti", "l2_bytes", "B", NAN, 0, "not permitted (CUPTI 35)");
	profile_add(&p, "cupti", "l1_bytes", "B", INFINITY, 0, NULL);
	text = write(NULL, &p);
	tap_has(text,
		"\"missing\":[{\"what\":\"dram_bytes and 1 more\","
		"\"reason\":\"not permitted (CUPTI 35)\"}]",
		"what could not be read, its reason once");
	free(text);
	profile_fini(&p);
}

int main(void)
{
	lists();
	reasons();
	needs();
	comparison();
	json_order();
	json_limit();
	json_little();
	return tap_done();
}
