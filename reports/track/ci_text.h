/* Text that CI systems read: Markdown, workflow commands of GitHub, JUnit XML. Foreign text in it
 * has no meaning but its own: no markup, no link, no command. */
#ifndef ASCTUNE_TRACK_CI_TEXT_H
#define ASCTUNE_TRACK_CI_TEXT_H

#include <stddef.h>

#include "tuner/base/escape.h"

struct buf;

/* Replacements for foreign text: in Markdown, tables too; in the message of a workflow command; in
 * XML, attributes too. */
extern const struct escape ci_markdown[], ci_command[], ci_xml[];

enum { CI_CELL = 160 }; /* characters of a text in a cell of a table */

/* Writes at most `most` characters of a text in Markdown, and "..." where it has more. */
void ci_write_markdown(const char *text, size_t most, struct buf *out);

/* Begins a workflow command of GitHub, "::error file=a.c,line=3,title=slower::". The caller adds
 * the message by `ci_command`, and a newline. `file`: from the root of the checkout; NULL: the
 * command has no place. `line`: from 1; 0: none. */
void ci_begin_error(const char *title, const char *file, size_t line, struct buf *out);

/* A test suite of JUnit, in this order: ci_begin_junit(); for each test ci_begin_case(), its parts,
 * ci_end_case(); ci_end_junit(). */
struct ci_counts {
	size_t tests, failures, skipped;
};
void ci_begin_junit(const char *suite, const struct ci_counts *counts, struct buf *out);
void ci_end_junit(struct buf *out);

/* `device` and `workload` make the name of the class; workload NULL: it has none. At most 300
 * characters of each name are written. */
void ci_begin_case(const char *device, const char *workload, const char *name, struct buf *out);
void ci_end_case(struct buf *out);

/* Parts of a test; `message` and `text` are XML: foreign text in them is escaped by `ci_xml`. A
 * test without parts passes. */
void ci_add_failure(const char *type, const char *message, const char *text, struct buf *out);
void ci_add_skipped(const char *text, struct buf *out);
void ci_add_output(const char *text, struct buf *out);

#endif
