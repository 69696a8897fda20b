/* Names and formulas of a bound problem. Private to tuner/model. */
#ifndef ASCTUNE_MODEL_BINDING_SCOPE_H
#define ASCTUNE_MODEL_BINDING_SCOPE_H

#include "tuner/base/expr.h"
#include "tuner/model/binding.h"

/* Caller's storage, not to be moved between init and fini. */
struct binding_scope {
	const struct binding *binding;
	const struct implementation *implementation; /* its parameters are slots; NULL: none */
	size_t n_tensors;                            /* of the binding, worked out so far */
	bool of_problem; /* for what is the same on every device: facts count as unknown */
	const char **names;
	struct expr_scope expr;
};

struct binding_range {
	int64_t low, high; /* both inclusive */
};

enum { BINDING_MAX_BYTES_LOG2 = 40 };

enum asc_status binding_scope_init(struct binding_scope *s, const struct binding *b,
				   const struct implementation *i, struct asc_err *e);
void binding_scope_fini(struct binding_scope *s);

/* A failure about a formula, with the file, its path and the problem. */
enum asc_status binding_fail(const struct binding_scope *s, const struct formula *f,
			     struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The formula must be there. `slots` holds the parameters' values. */
enum asc_status binding_compile(const struct binding_scope *s, const struct formula *f,
				struct expr **out, struct asc_err *e);
enum asc_status binding_eval(const struct binding_scope *s, const struct formula *f,
			     const struct value *slots, struct value *out, struct asc_err *e);
enum asc_status binding_eval_int(const struct binding_scope *s, const struct formula *f,
				 const struct value *slots, struct binding_range range,
				 int64_t *out, struct asc_err *e);
enum asc_status binding_eval_real(const struct binding_scope *s, const struct formula *f,
				  const struct value *slots, double *out, struct asc_err *e);

/* Does the implementation's `when` hold? A condition over something unknown on this device does not
 * exclude. */
enum asc_status binding_when(const struct binding *b, const struct implementation *i, bool *holds,
			     struct asc_err *e);

/* The figures of a tensor's fill make sense for its size. */
enum asc_status binding_check_fill(const struct binding_scope *s, size_t tensor, struct asc_err *e);

/* Sets b->key; the scope is one of `b`. */
enum asc_status binding_seal(struct binding *b, const struct binding_scope *scope,
			     struct asc_err *e);

/* Binds every problem without knowing a device and compiles every formula of the workload. */
enum asc_status binding_check(const struct workload *w, struct asc_err *e);

#endif
