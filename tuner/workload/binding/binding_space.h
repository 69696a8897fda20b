/* Construction of the space of an implementation: its conditions are the workload's constraints and
 * the limits of the device. Private to tuner/workload/binding. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_SPACE_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_SPACE_H

#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"

struct verdict_views;

/* Conditions on the parameters of an implementation, each with its origin. The caller owns the
 * storage of a list, the list owns all texts. */
struct condition_list {
	struct space_condition *items; /* each with two of `texts` */
	char **texts;                  /* two for each item */
	size_t n, capacity;
	bool failed;                          /* out of memory: later conditions are dropped */
	const struct verdict_views *verdicts; /* that texts may name, borrowed; NULL: none */
};

void condition_list_fini(struct condition_list *l);

/* Adds a condition; takes both heap strings. NULL means out of memory. */
void condition_list_add(struct condition_list *l, char *text, char *origin);

/* Keeps the first `n` conditions. */
void condition_list_cut(struct condition_list *l, size_t n);

/* ASC_NOMEM where a condition was dropped. */
enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e);

/* Adds the workload's own conditions. */
enum asc_status binding_own_conditions(const struct binding *b, const struct implementation *i,
				       struct condition_list *out, struct asc_err *e);

/* Makes the space of the implementation's parameters, as the device has them, under conditions. */
enum asc_status binding_space_under(const struct binding *b, const struct implementation *i,
				    const struct condition_list *conditions, struct space **out,
				    struct asc_err *e);

/* Adds the conditions of running on the device, each with its reason as origin: those of launches,
 * and those of memory, by the verdicts of the list, and by the workload's expressions where these
 * say nothing. */
enum asc_status limit_conditions_add(const struct binding *b, const struct implementation *i,
				     struct condition_list *out, struct asc_err *e);

/* Adds those of launches alone. */
enum asc_status launch_conditions_add(const struct binding *b, const struct implementation *i,
				      struct condition_list *out, struct asc_err *e);

/* Adds the conditions of running as asked for: with multibuffer where the configuration says so. */
enum asc_status limit_wishes_add(const struct binding *b, const struct implementation *i,
				 struct condition_list *out, struct asc_err *e);

/* Makes the product of the axes that are stated, empty for none; NULL: out of memory. */
char *launch_product_text(const struct formula axes[3]);

/* True when the compiler drops multibuffer from this implementation where it does not fit. */
bool limit_drops_multibuffer(const struct binding *b, const struct implementation *i);
#define LIMIT_MULTIBUFFER "multibuffer" /* the parameter that asks for it */

/* Tells whether tiles that depend on no parameter do not fit their memory space. */
enum asc_status memory_plan_refused(const struct binding *b, const struct implementation *i,
				    bool *refused, char *reason, size_t size, struct asc_err *e);

#endif
