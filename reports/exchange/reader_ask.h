/* Questions to libraries about their tables, in the user's Python: names that are digests of the
 * library's own code (reports/tables/readers). */
#ifndef ASCTUNE_EXCHANGE_READER_ASK_H
#define ASCTUNE_EXCHANGE_READER_ASK_H

#include "reports/tables/readers/reader.h"

/* A reader_ask_fn: imports kernels' modules by $ASCTUNE_PYTHON, else python3, in the sandbox, a
 * process for each device; no device is opened. */
enum asc_status reader_ask(const struct reader_asking *a, struct reader_answers *out,
			   struct asc_err *e);

#endif
