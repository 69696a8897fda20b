/* The environment of a child: what it inherits, and what its starter sets. */
#ifndef ASCTUNE_PROCESS_PROC_ENVIRONMENT_H
#define ASCTUNE_PROCESS_PROC_ENVIRONMENT_H

#include <stdbool.h>

struct proc_options;

/* Names of further variables that sandboxed children inherit, NAME,PREFIX*,... */
#define PROC_PASS_VARIABLE "ASCTUNE_PASS_ENV"

/* True for a variable, NAME=VALUE, that a sandboxed child inherits: what compilers, interpreters,
 * drivers and libraries of threads go by, by name; never what a name says to be a secret, unless
 * $ASCTUNE_PASS_ENV has exactly that name. */
bool proc_environment_passes(const char *variable);

/* Makes the child's environment: what it inherits, then the variables of `o`, then `own`
 * (NULL-terminated). A heap array of borrowed strings, NULL-terminated; NULL when out of memory. */
const char **proc_environment_new(const struct proc_options *o, const char *const *own);

#endif
