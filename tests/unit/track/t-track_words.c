/* What is said of series and of changes, in words and numbers.
 * covers: track_words.c */
#include "reports/track/track_write.h"

#include <math.h>

#include "reports/track/track_history.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

static struct asc_err e;

/* Twice or half, and beyond: a ratio. The numbers are 100 (ratio - 1). */
static void test_changes(void)
{
	static const struct {
		struct track_change change;
		const char *text, *within, *changed;
	} cases[] = {
		{{41.3, 41.1, 41.5, true},
		 "+41.3 % (+41.1 .. +41.5)",
		 " (+41.3 %, 95 % interval +41.1 .. +41.5)",
		 "changed by +41.3 % (+41.1 .. +41.5)"},
		{{99.9, NAN, NAN, true}, "+99.9 %", " (+99.9 %)", "changed by +99.9 %"},
		{{100, 90, 110, true},
		 "2.00x slower (1.90 .. 2.10)",
		 " (2.00x slower, 95 % interval 1.90 .. 2.10)",
		 "became 2.00x slower (1.90 .. 2.10)"},
		{{5911.5, NAN, NAN, true},
		 "60.12x slower",
		 " (60.12x slower)",
		 "became 60.12x slower"},
		{{-49.9, -50.1, -49.7, true},
		 "-49.9 % (-50.1 .. -49.7)",
		 " (-49.9 %, 95 % interval -50.1 .. -49.7)",
		 "changed by -49.9 % (-50.1 .. -49.7)"},
		{{-75, -80, -60, true},
		 "4.00x faster (2.50 .. 5.00)",
		 " (4.00x faster, 95 % interval 2.50 .. 5.00)",
		 "became 4.00x faster (2.50 .. 5.00)"},
		{{-75, -100, -60, true}, /* no ratio is at its end */
		 "-75.0 % (-100.0 .. -60.0)",
		 " (-75.0 %, 95 % interval -100.0 .. -60.0)",
		 "changed by -75.0 % (-100.0 .. -60.0)"},
		{{150, NAN, NAN, false}, "2.50x larger", " (2.50x larger)", "became 2.50x larger"},
		{{-60, NAN, NAN, false},
		 "2.50x smaller",
		 " (2.50x smaller)",
		 "became 2.50x smaller"},
	};
	static void (*const write[])(const struct track_change *, struct buf *) = {
		track_write_change, track_write_change_within, track_write_changed};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const texts[] = {cases[i].text, cases[i].within, cases[i].changed};

		for (size_t k = 0; k < 3; k++) {
			buf_clear(&out);
			write[k](&cases[i].change, &out);
			tap_str(buf_str(&out), texts[k], "%g %%", cases[i].change.pct);
		}
	}
	buf_fini(&out);
}

/* What a series of times, and one without a unit, reads. */
static void test_words(void)
{
	static struct track_point points[60];
	static const struct {
		double drift, step;
		size_t from;
		const char *line;
	} cases[] = {
		{0, 0, 0,
		 "unchanged  k  60 runs\n           a step under \xC2\xB1"
		 "1.0 % would not be seen here\n"},
		{0, 1e4, 30,
		 "slower since earlier  k  60 runs\n"
		 "           a step under \xC2\xB1"
		 "1.0 % would not be seen here\n"
		 "           since 1970-02-01 (run 31): 110.1 us, was 100.1 us (+10.0 %, 95 % "
		 "interval +10.0 .. +10.0), p = "},
		{0, -1e4, 30,
		 "faster since earlier  k  60 runs\n           a step under \xC2\xB1"
		 "1.0 % would not be seen here\n           since 1970-02-01 (run 31)"},
		{3e3, 0, 0,
		 "drifting   k  60 runs\n           3.0 % slower over 60 runs, gradually\n"},
		{3e3, 1e4, 30,
		 "slower since earlier  k  60 runs\n           a step under \xC2\xB1"
		 "1.0 % would not be seen here; 2.9 % slower over 60 runs, "
		 "gradually\n"},
		{3e3, 1e4, 56,
		 "slower     k  60 runs, new\n           2.9 % slower over 60 runs, gradually\n"},
	};
	double values[60];
	struct buf out = {0};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct track_series s = {.name = "k",
					 .metric = TRACK_TIME,
					 .n = 60,
					 .values = values,
					 .points = points};

		for (size_t i = 0; i < 60; i++) {
			points[i].started_ms = (int64_t)(i + 1) * 86400000;
			points[i].run_id = (int64_t)i + 1;
			values[i] = 1e5 + (double)(i * 7 % 5) * 50 +
				    cases[k].drift * (double)i / 59 +
				    (cases[k].step != 0 && i >= cases[k].from ? cases[k].step : 0);
		}
		track_series_judge(&s, &track_rule_default, &e);
		track_series_control(&s, 1, &track_rule_default, &e);
		buf_clear(&out);
		track_write_line(&s, &out);
		tap_has(buf_str(&out), cases[k].line, "drift %g, step %g", cases[k].drift,
			cases[k].step);
		track_series_fini(&s);
	}
	buf_clear(&out);
	const struct track_series plain = {.n = 60};

	track_write_value(&plain, 101007.3, 42873.6, &out);
	buf_add_char(&out, ' ');
	track_write_value(&plain, 105.8093, 99.9937, &out);
	buf_add_char(&out, ' ');
	track_write_value(&plain, 1.1e302, 1e302, &out);
	buf_add_char(&out, ' ');
	track_write_value(&plain, 100.0012, 100, &out);
	tap_str(buf_str(&out), "101007 105.81 1.1e+302 100.00120", "plain numbers");
	buf_fini(&out);
}

int main(void)
{
	test_changes();
	test_words();
	return tap_done();
}
