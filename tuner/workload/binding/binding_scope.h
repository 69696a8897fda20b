/* Names and formulas of a bound problem. Private to its folder. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_SCOPE_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_SCOPE_H

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/expr/expr.h"

struct verdict_views;

/* Caller's storage, not to be moved between init and fini. */
struct binding_scope {
	const struct binding *binding;
	const struct implementation *implementation; /* its parameters are slots; or NULL */
	const struct implementation *tables_of;      /* its tables are names; or NULL */
	size_t n_tensors; /* tensors of the binding that are bound so far */
	bool of_problem;  /* facts count as unknown: for values that are equal on every device */
	bool only_names;  /* binding_check(): formulas are not evaluated */
	const struct verdict_views *verdicts; /* names of conditions by verdicts; NULL: none */
	const char **names;
	struct expr_scope expr;
};

struct binding_range {
	int64_t low, high; /* both inclusive */
};

enum { BINDING_MAX_BYTES_LOG2 = 40 };

/* Range of each integer type; of u64 as far as expressions reach. */
extern const struct binding_range binding_type_ranges[DTYPE_COUNT];

/* A dtype variable in formulas: the text of its type, once a scope of its problem was made. */
struct expr_binding binding_of_type(enum dtype t);

enum asc_status binding_scope_init(struct binding_scope *s, const struct binding *b,
				   const struct implementation *i, struct asc_err *e);
void binding_scope_fini(struct binding_scope *s);

/* Sets a failure about a formula, with the file, its path and the problem. */
enum asc_status binding_fail(const struct binding_scope *s, const struct formula *f,
			     struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* ASC_OK behind a fault that the workload's document has gathered, else the status. */
enum asc_status binding_go_on(const struct binding_scope *s, enum asc_status status);

/* Compile and evaluate a formula, which must not be absent. `slots` holds the parameters' values.
 * ASC_ABSENT for one that needs a fact which the device does not tell. While faults of the file are
 * gathered: ASC_INPUT, which is no fault, for a formula over what another fault hides. */
enum asc_status binding_compile(const struct binding_scope *s, const struct formula *f,
				struct expr **out, struct asc_err *e);
enum asc_status binding_eval(const struct binding_scope *s, const struct formula *f,
			     const struct value *slots, struct value *out, struct asc_err *e);
enum asc_status binding_eval_int(const struct binding_scope *s, const struct formula *f,
				 const struct value *slots, struct binding_range range,
				 int64_t *out, struct asc_err *e);
enum asc_status binding_eval_real(const struct binding_scope *s, const struct formula *f,
				  const struct value *slots, double *out, struct asc_err *e);
/* Evaluates a condition; a text and NaN are neither true nor false. */
enum asc_status binding_eval_truth(const struct binding_scope *s, const struct formula *f,
				   bool *out, struct asc_err *e);

/* Sets type, shape and place of a tensor of the problem; for a reference, whose arrays have doubles
 * one after another, those of such an array. */
void binding_take_tensor(const struct binding *b, size_t tensor, bool for_reference,
			 struct bound_argument *out);

/* Makes of *out, a tensor as it is bound, the view of it that the argument states; of a reference,
 * the view of its array of doubles. ASC_INPUT names a view that leaves its tensor, one that has
 * other elements in another shape, and one of an output with two elements in one place. */
enum asc_status binding_take_view(const struct binding_scope *s, const struct argument *a,
				  const struct value *slots, struct bound_argument *out,
				  struct asc_err *e);

/* Sets *holds when the implementation's `when` holds. A condition over something unknown on this
 * device does not exclude. */
enum asc_status binding_when(const struct binding *b, const struct implementation *i, bool *holds,
			     struct asc_err *e);

/* Compiles a formula, if there is one, and evaluates it when it needs no parameter. */
enum asc_status binding_check_formula(const struct binding_scope *s, const struct formula *f,
				      struct asc_err *e);

/* Sets b->key; the scope is one of `b`. */
enum asc_status binding_seal(struct binding *b, const struct binding_scope *scope,
			     struct asc_err *e);

/* Binds one problem without knowing a device and compiles every formula of the workload for it. */
enum asc_status binding_check_problem(const struct workload *w, const struct problem *p,
				      struct asc_err *e);

/* Binds every problem without knowing a device and compiles every formula of the workload. Goes on
 * behind faults that the workload's document gathers. */
enum asc_status binding_check(const struct workload *w, struct asc_err *e);

#endif
