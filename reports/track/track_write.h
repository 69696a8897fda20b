/* The verdicts on series, written for programs, pull requests and CI systems. */
#ifndef ASCTUNE_TRACK_TRACK_WRITE_H
#define ASCTUNE_TRACK_TRACK_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_series.h"

struct buf;
struct escape;
struct track_counts;
struct track_entry;
struct track_groups;

/* Words for a verdict: those of track_verdict_words(), of a tracked metric "worse" and "better". */
const char *track_series_words(const struct track_series *s);

/* Writes the words for a verdict and its state: "broken", "slower (probably the machine)". */
void track_write_state(const struct track_series *s, struct buf *out);

/* Writes a verdict as text: "slower (new)", "slower since 2026-09-17 (run 117) (+5.1 %)",
 * "3.0 % slower over 45 runs, gradually". */
void track_write_verdict(const struct track_series *s, struct buf *out);

/* True for a series without news whose floor is told; writes "a step under ±11 % would not be seen
 * here". */
bool track_series_has_floor(const struct track_series *s);
void track_write_floor(const struct track_series *s, struct buf *out);

/* Writes "3.0 % slower over 45 runs, gradually". */
void track_write_drift(const struct track_series *s, struct buf *out);

/* Writes a foreign text: at most 300 characters of it, escaped; `escapes` NULL: for people, as
 * base/columns has it. */
void track_write_text(const char *text, const struct escape *escapes, struct buf *out);

/* Writes what explains a change and what is uncertain of it, for people. */
void track_write_why(const struct track_series *s, struct buf *out);

/* A change, as people read it. */
struct track_change {
	double pct, low_pct, high_pct; /* low_pct NaN: without an interval */
	bool is_time;                  /* or a metric: larger or smaller */
};

/* A change to twice or to half, or beyond, is said as a ratio. */
struct track_ratio {
	double ratio, low, high; /* 2 or more; low and high NaN: without an interval */
	const char *word;        /* "slower", "faster", "larger", "smaller" */
};

/* Finds the ratio of a change; false: it is said in percent. The only place that decides that. */
bool track_ratio_find(const struct track_change *c, struct track_ratio *out);

struct track_change track_series_change(const struct track_series *s);

/* Writes "+5.1 % (+4.8 .. +5.5)", "60.12x slower (54.66 .. 65.57)"; the same within brackets, with
 * the interval's level; behind a subject, "changed by +5.1 %", "became 60.12x slower". */
void track_write_change(const struct track_change *c, struct buf *out);
void track_write_change_within(const struct track_change *c, struct buf *out);
void track_write_changed(const struct track_change *c, struct buf *out);

/* Writes the clauses that explain a verdict, without the drift. `cause`: that of a group, which was
 * written before; NULL: none. */
void track_write_reasons(const struct track_series *s, const char *cause,
			 const struct escape *escapes, struct buf *out);

/* True for a series that the newest run says something of, whatever its verdict: it was measured
 * again, or its search found a faster configuration. */
bool track_series_has_news(const struct track_series *s);

/* Writes how the baseline changed beside a series; only where that is known. */
void track_write_control(const struct track_series *s, const struct escape *escapes,
			 struct buf *out);

/* Writes how many a group has, and their cause: "2 kernels, one finding: driver 7.0, was 6.1",
 * "11 implementations of faults/small". */
void track_write_finding(const struct track_entry *list, size_t n, const struct escape *escapes,
			 struct buf *out);

/* Writes the counts that are not zero: "1 broken, 5 slower for 4 reasons, 3 unchanged"; the second
 * alone what stands behind the number of a verdict: "for 4 reasons (1 probably the machine)",
 * "(newest 2.3x and 1.7x above their level)", "(a step under ±0.4 % to ±11 % would not be seen)".
 */
void track_write_counts(const struct track_counts *c, struct buf *out);
void track_write_count_notes(const struct track_counts *c, enum track_verdict v, struct buf *out);

#define TRACK_DAY_SIZE 24
const char *track_print_day(int64_t ms, char text[TRACK_DAY_SIZE]); /* "2026-09-17"; `text` */

/* Writes the day and the run of a point, "point 61 of 63" in a file, where points count from 1. */
void track_write_since(const struct track_series *s, size_t index, struct buf *out);

/* Writes a level with its unit, with enough digits to differ from another one. */
void track_write_value(const struct track_series *s, double value, double other, struct buf *out);

/* Column of what stands behind the words that a line for people begins with, where they are
 * shorter: two blanks end them. */
enum { TRACK_HANG = 11 };

/* Writes lines for people: verdict and name; below them an explanation, and each change point.
 * Characters of names that are not text are shown as `?`, and no name begins a line as a command to
 * a CI system would. */
void track_write_line(const struct track_series *s, struct buf *out);

/* Writes all groups: the counts, then the lines of what is listed or was measured again, a group
 * as one paragraph that names its cause once; those of the others only with `all`. */
void track_write_lines(const struct track_groups *g, bool all, struct buf *out);

/* Writes texts, ended by NULL, one after the other, for people: shown as base/columns does. */
void track_write_texts(struct buf *out, const char *const *texts);

/* Writes one JSON object, without a newline: the series, its verdict and all change points. */
void track_write_json(const struct track_entry *x, struct buf *out);

/* Writes a summary for $GITHUB_STEP_SUMMARY: the counts, then at most 50 series that are listed or
 * were measured again, groups together. Always below 1,024 kB, above which the summary would be
 * dropped whole. */
void track_write_markdown(const struct track_groups *g, struct buf *out);

/* Writes workflow commands for GitHub, one a line: the counts and the first 9 groups that fail
 * (GitHub shows 10 of a kind); nothing where none fails. */
void track_write_annotations(const struct track_groups *g, struct buf *out);

#define TRACK_WRITE_MARK "asctune track" /* near the beginning of Markdown and JUnit XML */

/* Writes one test case for each series, in the order of the groups: track_series_fails() and
 * track_series_is_skipped() decide. */
void track_write_junit(const struct track_groups *g, struct buf *out);

#endif
