/* Workloads as a page in Markdown: of each file its problems, its implementations with their
 * indices, and how many configurations these have before and after pruning. A page of the same
 * files is the same on every machine: of a device counts what its model says alone. */
#ifndef ASCTUNE_CMD_WORKLOAD_MARKDOWN_H
#define ASCTUNE_CMD_WORKLOAD_MARKDOWN_H

#include "tuner/base/err.h"

struct buf;
struct workload_files;

/* Appends the page. ASC_INPUT for a file that is no sound workload. */
enum asc_status workload_markdown_print(const struct workload_files *files, struct buf *out,
					struct asc_err *e);

#endif
