/* Variants of a kernel that a workload's spaces hold: configurations of all problems, sorted by
 * what makes them different programs - widths of element types, constants and parameters - and in
 * each variant the sizes of tiles that it comes with.
 *
 * The caller owns the storage, zeroed: kernel_variants_add() for each problem,
 * kernel_variants_sort(), kernel_variants_fini(). */
#ifndef ASCTUNE_CMD_KERNEL_VARIANTS_H
#define ASCTUNE_CMD_KERNEL_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/tile_bound.h"
#include "tuner/workload/space/config.h"

struct buf;
struct planned_target;
struct space;

enum { VARIANT_MAX_COLUMNS = 48 };

enum variant_source {
	VARIANT_TYPE,      /* bytes of an element of dtype variable `at` */
	VARIANT_PARAMETER, /* of the build */
	VARIANT_CONSTANT
};

struct variant_column {
	enum variant_source source;
	size_t at;
	const char *name;
	bool is_size; /* a size of tiles: an integer with several values, no option of a compiler */
	bool differs; /* has several values */
	bool is_hidden; /* a formula cannot name it */
};

struct variant_row {
	struct value values[VARIANT_MAX_COLUMNS];
	size_t place;   /* of the problem */
	uint64_t index; /* of the first configuration in the space of that problem */
};

struct kernel_variant {
	const struct variant_row *first; /* rows of one variant lie side by side */
	size_t n_rows;
	int64_t (*sizes)[TILE_MAX_SIZES]; /* of each row */
	double fixed;                     /* product of integers that have one value */
};

struct kernel_variants {
	const struct implementation *implementation;
	size_t call;
	struct variant_place { /* a problem that the implementation covers */
		struct binding binding;
		struct space *space; /* without the limits of memory */
	} * places;
	size_t n_places, places_room;
	struct variant_column columns[VARIANT_MAX_COLUMNS];
	size_t n_columns;
	size_t size_columns[TILE_MAX_SIZES];
	const char *size_names[TILE_MAX_SIZES];
	size_t n_sizes;
	struct variant_row *rows;
	size_t n_rows, rows_room;
	struct kernel_variant *list;
	size_t n;
	int64_t (*sizes)[TILE_MAX_SIZES];
};

/* Adds the configurations of a problem, whose target is borrowed as long as the variants live;
 * nothing where the implementation does not cover it.
 * `implementation` and `call` of *v are set by the caller. */
enum asc_status kernel_variants_add(struct kernel_variants *v, const struct workload *w,
				    const struct problem *p, const struct planned_target *t,
				    struct asc_err *e);

/* Sorts what was added into variants. */
enum asc_status kernel_variants_sort(struct kernel_variants *v, struct asc_err *e);
void kernel_variants_fini(struct kernel_variants *v);

/* Finds a configuration of a variant with these sizes, which need not be of a space, and the
 * problem that it belongs to; false: there is none. */
bool kernel_variants_find(const struct kernel_variants *v, const struct kernel_variant *one,
			  const int64_t sizes[TILE_MAX_SIZES], const struct variant_place **place,
			  struct config *out);

/* Appends what makes a variant, "T=f16, WHOLE=true", of columns that differ; "all" without one. */
void kernel_variants_print(const struct kernel_variants *v, const struct kernel_variant *one,
			   struct buf *out);

/* Appends a condition of a formula: the column has this variant's value. */
void kernel_variants_print_condition(const struct kernel_variants *v, size_t column,
				     const struct kernel_variant *one, struct buf *out);

#endif
