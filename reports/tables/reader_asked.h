/* A problem of a workload as a library asks for it: by the names of the workload's "export", before
 * there is any result. */
#ifndef ASCTUNE_TABLES_READER_ASKED_H
#define ASCTUNE_TABLES_READER_ASKED_H

#include "reports/tables/readers/reader.h"
#include "tuner/workload/workload.h"

/* The caller's storage; texts are those of workload and problem. */
struct reader_asked {
	const struct reader_ops *reader; /* NULL: the library has no tables of the operator */
	struct library_names names;
	struct rule_size sizes[RULE_MAX_SIZES];
	bool truths[RULE_MAX_SIZES];
	struct asctune_type types[RULE_MAX_TYPES];
	struct reader_problem problem;
};

/* Reads a member of the "export". */
enum asc_status reader_asked_open(struct reader_asked *a, const struct json_node *member,
				  struct asc_err *e);

/* Asks for a problem on a device of that model. */
void reader_asked_set(struct reader_asked *a, const struct problem *p, const char *device);

/* Appends the name of its file, whose folder may be another, and the key of its row. ASC_INPUT with
 * the reason where it has none; of a library that has to be asked as reader_ops.guess does. */
enum asc_status reader_asked_name(const struct reader_asked *a, struct buf *file, struct buf *key,
				  struct asc_err *e);

/* Takes the names of two problems that are one row of a file. */
typedef void reader_shared_fn(const void *user, const char *a, const char *b, const char *key,
			      const char *file);

/* Checks problems for a library's table, a member of the "export": ASC_INPUT with the names of two
 * whose layers the file of both does not tell apart. Those that are one row are visited. */
enum asc_status reader_asked_check(const struct json_node *member,
				   const struct problem *const *list, size_t n, const char *device,
				   reader_shared_fn *visit, const void *user, struct asc_err *e);

#endif
