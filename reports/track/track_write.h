/* The verdicts on series, written for programs, pull requests and CI systems. */
#ifndef ASCTUNE_TRACK_TRACK_WRITE_H
#define ASCTUNE_TRACK_TRACK_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct track_series;

/* The words for its verdict: "regression (new)", "slower since 2026-09-17 (run 117) (+5.1 %)",
 * "drifts +3.0 % in 45 nights, no step". */
void track_write_verdict(const struct track_series *s, struct buf *out);

#define TRACK_DAY_SIZE 24
const char *track_print_day(int64_t ms, char text[TRACK_DAY_SIZE]); /* "2026-09-17"; `text` */

/* The day and the run of a point, "point 61 of 63" in a file, where points count from 1. */
void track_write_since(const struct track_series *s, size_t index, struct buf *out);

/* A level with its unit, with digits enough to tell it from another one. */
void track_write_value(const struct track_series *s, double value, double other, struct buf *out);

/* "1 broken, 2 regressions, ...": what is not zero, and always the first that can be worse. */
void track_write_counts(const struct track_series *list, size_t n, struct buf *out);

/* A line for people, and one for each change point below it. What is no text in names is shown as
 * `?`, and none begins a line as a command to a CI system would. */
void track_write_line(const struct track_series *s, struct buf *out);

/* What there is to say of many: their counts, then the lines, worst first; those of unchanged ones
 * only with `all`. */
void track_write_lines(const struct track_series *list, size_t n, bool all, struct buf *out);

/* Texts, ended by NULL, one behind the other, for people: shown as base/columns does. */
void track_write_texts(struct buf *out, const char *const *texts);

/* One JSON object, without a newline: who it is, the verdict and all change points. */
void track_write_json(const struct track_series *s, struct buf *out);

/* For $GITHUB_STEP_SUMMARY: the counts, then at most 50 series that are not unchanged, the largest
 * changes first. Always below 1,024 kB, above which the summary would be dropped whole. */
void track_write_markdown(const struct track_series *list, size_t n, struct buf *out);

/* A text as part of a cell of a table: nothing in it has a meaning; 160 characters at most. */
void track_write_markdown_text(const char *text, struct buf *out);

/* Workflow commands for GitHub, one a line: the verdict and the 9 largest new regressions (10 of a
 * kind are shown); nothing without a regression. */
void track_write_annotations(const struct track_series *list, size_t n, struct buf *out);

/* One test case a series: regressions fail, undecided ones are skipped. */
void track_write_junit(const struct track_series *list, size_t n, struct buf *out);

#endif
