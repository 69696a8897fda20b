/* The verdicts on series, written for programs, pull requests and CI systems. */
#ifndef ASCTUNE_TRACK_TRACK_WRITE_H
#define ASCTUNE_TRACK_TRACK_WRITE_H

#include <stddef.h>

struct buf;
struct db_turn;
struct track_series;

/* A line for people, and one for each change point below it. What is no text in names is shown as
 * `?`, and none begins a line as a command to a CI system would. */
void track_write_line(const struct track_series *s, struct buf *out);

/* Texts, ended by NULL, one behind the other, for people: shown as base/columns does. */
void track_write_texts(struct buf *out, const char *const *texts);

/* One JSON object, without a newline: who it is, the verdict and all change points. */
void track_write_json(const struct track_series *s, struct buf *out);

/* The same for a configuration that came to pass or ceased to, and a line of it for people. */
void track_write_turn_json(const struct db_turn *t, struct buf *out);
void track_write_turn(const struct db_turn *t, struct buf *out);

/* Row number `n`, from 0, of a table of turns; behind 50 rows nothing more. The first begins the
 * table. */
void track_write_turn_markdown(const struct db_turn *t, size_t n, struct buf *out);

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
