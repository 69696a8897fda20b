/* Lists of configurations as a space: parameters with their values, and the condition that leaves
 * of their combinations what the lists have. */
#ifndef ASCTUNE_EXCHANGE_AUTOTUNE_SPACE_H
#define ASCTUNE_EXCHANGE_AUTOTUNE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct autotune_entry;
struct buf;

/* Options of the compiler for GPUs that each launch has, with what Triton gives them where nothing
 * is said; 0 registers are no limit. Ended by a NULL name. */
struct autotune_option {
	const char *name;
	struct value value;
};
extern const struct autotune_option autotune_options[];
bool autotune_find_default(const char *name, struct value *out); /* false: no such option */

/* Values of these options that are tried where no autotuner lists any. Ended by a NULL name. */
enum { AUTOTUNE_RANGE = 5 };
struct autotune_range {
	const char *name;
	int64_t values[AUTOTUNE_RANGE];
};
extern const struct autotune_range autotune_ranges[];

enum { AUTOTUNE_MAX_VALUES = 64 }; /* of a parameter: bits of a set */

struct autotune_dimension {
	const char *name; /* borrowed from the entries */
	struct value
		values[AUTOTUNE_MAX_VALUES]; /* the first one: that of the first configuration */
	size_t n;
	bool free; /* a rewrite says which of its values go with the others */
};

struct autotune_space {
	struct autotune_dimension *dimensions;
	size_t n;
	uint64_t *sets; /* of each configuration and dimension: a set of values */
	size_t n_sets;  /* configurations */
};

/* Begins with a list of at least one configuration. A launch option of Triton that only some have
 * is its default in the others; ASC_INPUT where another parameter is missing somewhere, ASC_LIMIT
 * where one has too many values. */
enum asc_status autotune_space_init(struct autotune_space *s, const struct autotune_entry *list,
				    size_t n, struct asc_err *e);
void autotune_space_fini(struct autotune_space *s);

const struct autotune_dimension *autotune_space_find(const struct autotune_space *s,
						     const char *name);

/* Prints the condition into an empty buffer, nothing where every combination is listed; once, since
 * the sets are joined for it. Configurations that differ in
 * one parameter are joined as long as there are any: what is left are their blocks. */
void autotune_space_print(struct autotune_space *s, struct buf *out);

#endif
