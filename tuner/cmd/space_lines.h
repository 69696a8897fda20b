/* Writes configurations of a space to standard output, a line each: `v1,v2,...` in the order of the
 * parameters, or a JSON object. Made for millions of them: the texts of the values are made once,
 * and of a line only what has changed is put together anew.
 *
 * The caller owns the storage: space_lines_init(), space_lines_fini(). The space is borrowed. */
#ifndef ASCTUNE_CMD_SPACE_LINES_H
#define ASCTUNE_CMD_SPACE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/workload/space/space.h"

struct space_lines {
	const struct space *space;
	struct buf texts;
	struct space_text { /* text of a value, with its separators in a line */
		size_t at, len;
	} * values;
	size_t firsts[CONFIG_MAX_PARAMETERS]; /* index of each parameter's first value in `values`
					       */
	char *line;
	size_t starts[CONFIG_MAX_PARAMETERS + 1]; /* offset of each parameter in the line */
	char *block;                              /* lines not yet written */
	size_t used;
};

enum asc_status space_lines_init(struct space_lines *l, const struct space *s, bool json,
				 struct asc_err *e);

/* picks[i] is the position of parameter i's value; those before `changed` are as in the last line.
 */
void space_lines_put(struct space_lines *l, const uint16_t *picks, size_t changed);

/* Writes the remaining lines. */
void space_lines_fini(struct space_lines *l);

#endif
