/* A library's names of a kernel's sizes and parameters, as a workload's "export" has them, and
 * configurations by the names of either side. Inner part of a reader's set. */
#ifndef ASCTUNE_TABLES_READER_NAMING_H
#define ASCTUNE_TABLES_READER_NAMING_H

#include "reports/tables/dispatch.h"
#include "reports/tables/readers/reader.h"

struct json_doc;
struct json_node;

/* The caller's storage: reader_naming_open(), then reader_naming_close(). */
struct reader_naming {
	struct json_doc *doc;
	const struct json_node *sizes, *parameters; /* NULL: the workload's own names */
};

enum asc_status reader_naming_open(const struct dispatch_row *row, const char *library,
				   struct reader_naming *out, struct asc_err *e);
void reader_naming_close(struct reader_naming *n);

/* Reads a configuration as JSON has it, by the library's names. A reader that lists its parameters
 * has all of these in each row, in that order, and takes no other. */
enum asc_status reader_naming_read(struct dispatch *t, const struct reader_ops *ops,
				   const struct reader_naming *names, const char *text,
				   struct reader_config *out, struct asc_err *e);

/* True where a configuration's key, "BLOCK_M=16,num_warps=4", is the library's configuration `c`.
 */
bool reader_naming_is(const struct reader_naming *names, const char *key,
		      const struct reader_config *c);

/* Appends the library's configuration by the kernel's names, as --config takes it. */
void reader_naming_print(const struct reader_naming *names, const struct reader_config *c,
			 struct buf *out);

#endif
