/* Parts of reports/exchange/capture_workload: a form on its way to a workload.
 *
 * The struct capture_draft is the state of one try, owned by capture_write_workload(). What a
 * workload cannot state ends the try by draft_give_up(), whose status is ASC_ABSENT. */
#ifndef ASCTUNE_EXCHANGE_CAPTURE_DRAFT_H
#define ASCTUNE_EXCHANGE_CAPTURE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/exchange/capture.h"
#include "tuner/base/arena.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

enum { CAPTURE_MAX_NAME = 64 }; /* of an identifier in a workload */

struct dimension_column {
	const char *name;
	struct value *values; /* of each problem */
};

struct type_column {
	const char *name;
	const char **types; /* of each problem */
};

struct tuned {
	const char *name;
	struct value *values; /* on the heap */
	size_t n, capacity;
};

struct capture_draft {
	const struct capture *c;
	struct capture_form *form;
	const struct capture_kernel *kernel;
	const struct capture_problem **p; /* those that are kept */
	size_t n;
	struct arena arena;
	struct dimension_column *dims;
	size_t n_dims, dims_capacity;
	struct type_column *types;
	size_t n_types, types_capacity;
	struct tuned *parameters;
	size_t n_parameters, parameters_capacity;
	struct buf tables; /* text of the member, as far as it is written */
	struct json_writer tables_writer;
	const char **table_names;
	size_t n_tables, tables_capacity;
	const char *elements;                  /* name of that dimension */
	unsigned uses[WORKLOAD_MAX_ARGUMENTS]; /* of arguments: enum ttir_use of any problem */
	bool loops;                            /* the code of any problem has one */
	struct json_writer w;
};

/* Ends the form with its reason: no failure of the command's. */
enum asc_status draft_give_up(struct capture_draft *d, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- what differs between problems (capture_draft.c) ---- */

/* Numbers of all problems, to be filled; NULL: out of memory. */
struct value *draft_new_values(struct capture_draft *d);

bool draft_has_dimension(const struct capture_draft *d, const char *name);

/* Makes a name that nothing has: `wanted`, with underscores where that is taken. NULL: out of
 * memory. */
const char *draft_make_name(struct capture_draft *d, const char *wanted);

/* The dimension that has these values; NULL: none. */
const char *draft_find_dimension(const struct capture_draft *d, const struct value *values);
enum asc_status draft_add_dimension(struct capture_draft *d, const char *name,
				    const struct value *values, struct asc_err *e);

/* Writes a formula for a number that each problem has: the number, or the dimension that has it in
 * all problems, made where there is none. */
enum asc_status draft_write_number(struct capture_draft *d, const char *key, const char *wanted,
				   const struct value *values, struct asc_err *e);

/* The type of an argument's elements, or the variable that has it in all problems; NULL: out of
 * memory. */
const char *draft_name_type(struct capture_draft *d, size_t argument);

/* Checks all problems, and finds what the code that ran does with each tensor. */
enum asc_status draft_check(struct capture_draft *d, struct asc_err *e);

/* The role of a tensor; borrowed static. */
const char *draft_find_role(const struct capture_draft *d, size_t argument);

/* ---- parameters and what depends on them (capture_space.c) ---- */

/* Finds the parameters with their values: those of the autotuner's list, of the launches, and what
 * was worked out beyond the list. */
enum asc_status draft_find_parameters(struct capture_draft *d, struct asc_err *e);
enum asc_status draft_write_parameters(struct capture_draft *d, struct asc_err *e);

/* Writes the configuration that the program launched a problem with. */
enum asc_status draft_write_default(struct capture_draft *d, const struct capture_problem *p,
				    struct asc_err *e);

/* Writes what keeps the space to the autotuner's list. */
enum asc_status draft_write_list(struct capture_draft *d, struct asc_err *e);

/* The recorder's tables of all problems, MEMBER or MEMBER.NAME; *out is NULL where one lacks it. */
enum asc_status draft_find_tables(struct capture_draft *d, const char *member, const char *name,
				  const struct json_node *const **out, struct asc_err *e);

/* Writes a formula of an integer in these: a number, a dimension, or a table of the name `wanted`.
 * `axis` is the element of values that are lists. */
enum asc_status draft_write_formula(struct capture_draft *d, const char *key, const char *wanted,
				    const struct json_node *const *tables, int axis,
				    struct asc_err *e);
enum asc_status draft_write_constants(struct capture_draft *d, struct asc_err *e);

/* ---- tensors (capture_tensors.c) ---- */

/* True for a tensor whose content every problem has in a file: problems of one form have the same.
 */
bool draft_is_saved(const struct capture_draft *d, size_t argument);
enum asc_status draft_write_tensor(struct capture_draft *d, size_t argument, struct asc_err *e);

#endif
