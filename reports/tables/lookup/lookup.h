/* A look-up table in memory: rules, and the one that serves a question.
 *
 * The caller owns a table: lookup_new(), lookup_add() for each rule, lookup_end_rules(); from then
 * on it is not changed, any number of threads may ask it, and questions allocate nothing;
 * lookup_free().
 *
 * Of the rules that fit a question, the first in this order serves: exact sizes before ranges, more
 * named sizes before fewer, narrow ranges (by the product of their lengths) before wide, a named
 * device before any, named types before any; then by precedence, the shorter time, and the order of
 * adding. If no rule fits, a table of measured results answers with the exact rule nearest to the
 * question: of the rules that name most sizes, then of a named device and named types, the rule
 * with the smallest sum of |log2(size asked / size of the rule)|. A rule whose index is not active
 * never serves. */
#ifndef ASCTUNE_TABLES_LOOKUP_LOOKUP_H
#define ASCTUNE_TABLES_LOOKUP_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/lookup/asctune.h"
#include "reports/tables/lookup/rule.h"
#include "tuner/base/err.h"

struct lookup_answer { /* texts as long as the table */
	enum asctune_found found;
	int64_t index, default_index;        /* -1: none, unknown */
	const char *implementation, *config; /* NULL: none */
	double time_ns, default_ns;          /* 0: unknown */
};

struct buf;
struct lookup;

/* NULL: out of memory. `nearest`: an exact rule may serve sizes that no rule names. */
struct lookup *lookup_new(bool nearest);
void lookup_free(struct lookup *t);

/* ASC_INPUT for an empty operator or device, a size named twice, a range of no value, or values
 * beyond 2^53, ASC_LIMIT for a configuration that an answer has no room for; the message does not
 * say which rule. */
enum asc_status lookup_add(struct lookup *t, const struct rule *r, struct asc_err *e);

/* Notes that a row of the file makes no rule. */
void lookup_leave_out(struct lookup *t, const struct asc_err *why);

/* Why the last of these rows makes none; NULL: all do. */
const struct asc_err *lookup_left_out(const struct lookup *t);

enum asc_status lookup_end_rules(struct lookup *t, struct asc_err *e);

size_t lookup_count(const struct lookup *t);
uint64_t lookup_number(const struct lookup *t); /* its own in this process, from 1 on */

/* Reads the file at `path`: a file of rules, the exporter's best.json, or a database; *out is the
 * caller's to lookup_free(), unchanged on failure. Tables of measured results, best.json and
 * databases, answer with the nearest sizes where none fit, and prefer results with cold caches;
 * files of rules say all that they mean. Errors name file and place: ASC_INPUT for another format
 * or an unknown key, ASC_NEWER for a newer version. `simulated`: of a database the results on
 * stand-ins, instead of measured ones. */
enum asc_status lookup_read(const char *path, bool simulated, struct lookup **out,
			    struct asc_err *e);

/* `found` is ASCTUNE_NOT_SET, index -1, where no rule serves: an operator, device or type that no
 * rule has, a size that is missing or negative, no active index. */
struct lookup_answer lookup_ask(const struct lookup *t, const struct asctune_question *q);

/* Appends why a question has no answer, by the rules that are nearest to it: "it was measured on
 * NVIDIA A100, not on NVIDIA H200"; nothing where it has one. */
void lookup_explain(const struct lookup *t, const struct asctune_question *q, struct buf *out);

/* Answers as lookup_ask() does, from the thread's last answers where it can: a program asks the
 * same questions again. A question is recognised by a hash of 64 bits of all that it says. */
struct lookup_answer lookup_ask_again(const struct lookup *t, const struct asctune_question *q);

#endif
