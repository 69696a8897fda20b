/* The verdicts on series, written for programs, pull requests and CI systems. */
#ifndef ASCTUNE_TRACK_TRACK_WRITE_H
#define ASCTUNE_TRACK_TRACK_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct track_series;

/* Writes a verdict as text: "slower (new)", "slower since 2026-09-17 (run 117) (+5.1 %)",
 * "drifts +3.0 % in 45 nights, no step". */
void track_write_verdict(const struct track_series *s, struct buf *out);

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

/* Writes many series: their counts, then their lines, worst first; those of unchanged ones and
 * of those with too few points only with `all`. */
void track_write_lines(const struct track_series *list, size_t n, bool all, struct buf *out);

/* Writes texts, ended by NULL, one after the other, for people: shown as base/columns does. */
void track_write_texts(struct buf *out, const char *const *texts);

/* Writes one JSON object, without a newline: the series, its verdict and all change points. */
void track_write_json(const struct track_series *s, struct buf *out);

/* Writes a summary for $GITHUB_STEP_SUMMARY: the counts, then at most 50 series that are not
 * unchanged, the largest changes first. Always below 1,024 kB, above which the summary would be
 * dropped whole. */
void track_write_markdown(const struct track_series *list, size_t n, struct buf *out);

/* Writes a text as part of a cell of a table, escaped; 160 characters at most. */
void track_write_markdown_text(const char *text, struct buf *out);

/* Writes workflow commands for GitHub, one a line: the verdict and the 9 largest new regressions
 * (GitHub shows 10 of a kind); nothing without a regression. */
void track_write_annotations(const struct track_series *list, size_t n, struct buf *out);

#define TRACK_WRITE_MARK "asctune track" /* near the beginning of Markdown and JUnit XML */

/* Writes one test case for each series, worst first: regressions fail, undecided ones are skipped.
 */
void track_write_junit(const struct track_series *list, size_t n, struct buf *out);

#endif
