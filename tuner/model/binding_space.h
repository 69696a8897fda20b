/* How the space of an implementation is put together. Private to tuner/model. */
#ifndef ASCTUNE_MODEL_BINDING_SPACE_H
#define ASCTUNE_MODEL_BINDING_SPACE_H

#include "tuner/model/binding.h"
#include "tuner/model/condition_list.h"

/* Adds what the workload itself asks of a configuration. */
enum asc_status binding_own_conditions(const struct binding *b, const struct implementation *i,
				       struct condition_list *out, struct asc_err *e);

/* The implementation's parameters, as the device has them, under `n` conditions. */
enum asc_status binding_space_under(const struct binding *b, const struct implementation *i,
				    const struct space_condition *conditions, size_t n,
				    struct space **out, struct asc_err *e);

#endif
