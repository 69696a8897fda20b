/* The answers that a question asks for: those that the database keeps, and those of subjects whose
 * results have changed since, which are worked out again (answers.h).
 *
 * A list owns copies of all texts: kept_list_fini() in any case, zeroed at first. Answers to one
 * subject have the same `of`. */
#ifndef ASCTUNE_RESULTS_KEPT_ANSWERS_H
#define ASCTUNE_RESULTS_KEPT_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/answer_rows.h"
#include "reports/results/answers.h"
#include "tuner/base/arena.h"
#include "tuner/base/err.h"

struct db;
struct snapshot;
struct subject;

enum kept_origin {
	KEPT_MEASURED,
	KEPT_SIMULATED,
	KEPT_OF_ANY_ORIGIN
}; /* simulated: on a
      stand-in */

struct subject_key {
	int64_t device_id, problem_id;
};

struct run_subject { /* subject of a run */
	struct subject_key key;
	char *cache_policy; /* heap; may be NULL */
	bool found;         /* there is such a run */
};

struct kept_question {
	const char *workload; /* NULL: of all */
	enum kept_origin origin;
	enum answers_of of;
	enum objective by; /* other than time: worked out from the rows, nothing of it is kept */
	bool failed;       /* what passed last counts, too */
	bool older;        /* and what a newer run of the machine has superseded */
	bool alone;        /* and what was compared without a search */
	const struct run_subject *as; /* only this subject and cache policy; NULL: any */
};

struct kept {
	struct answer_row row;
	const struct subject *of;
	const char *implementation;
	struct objective_answer energy;
	bool older;
};

struct kept_list {
	struct arena arena; /* of subjects and texts */
	struct kept *list;
	size_t n, room;
};

void kept_list_fini(struct kept_list *k);

/* Adds the answers that are asked for, in the order in which they are shown, and marks those that
 * are older. */
enum asc_status kept_list_read(struct kept_list *k, struct db *d, const struct kept_question *q,
			       struct asc_err *e);

/* Works out the answers of a subject from its rows, and adds those that are asked for. */
enum asc_status kept_list_work_out(struct kept_list *k, const struct snapshot *s,
				   const struct kept_question *q, struct asc_err *e);

struct subject_keys { /* the caller's to free: `list` */
	struct subject_key *list;
	size_t n, room;
};

/* Lists the subjects of a workload, or (NULL) of all, whose kept answers are stale, in their order.
 */
enum asc_status subject_keys_read_stale(struct subject_keys *s, struct db *d, const char *workload,
					struct asc_err *e);

bool subject_keys_has(const struct subject_keys *s, const struct subject_key *key);

/* Finds the subject of a run; the caller frees its cache policy in any case. */
enum asc_status run_subject_find(struct db *d, int64_t run_id, struct run_subject *out,
				 struct asc_err *e);

#endif
