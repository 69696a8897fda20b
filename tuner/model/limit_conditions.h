/* A device's limits as conditions over an implementation's parameters. Private to tuner/model. */
#ifndef ASCTUNE_MODEL_LIMIT_CONDITIONS_H
#define ASCTUNE_MODEL_LIMIT_CONDITIONS_H

#include "tuner/model/condition_list.h"

struct binding;
struct implementation;
struct memory_use;

/* Adds what a configuration has to meet to run on the device, each with its reason as origin. */
enum asc_status limit_conditions_add(const struct binding *b, const struct implementation *i,
				     struct condition_list *out, struct asc_err *e);

/* Adds what it has to meet to run as asked for: with multibuffer where it says so. */
enum asc_status limit_wishes_add(const struct binding *b, const struct implementation *i,
				 struct condition_list *out, struct asc_err *e);

/* Does the compiler drop multibuffer from this implementation where it does not fit? */
bool limit_drops_multibuffer(const struct binding *b, const struct implementation *i);
#define LIMIT_MULTIBUFFER "multibuffer" /* the parameter that asks for it */

#endif
