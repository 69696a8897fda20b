/* The part of the sandbox that rules which files a child reads and writes: Landlock. */
#ifndef ASCTUNE_PROCESS_SANDBOX_FILES_H
#define ASCTUNE_PROCESS_SANDBOX_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct sandbox;

enum { SANDBOX_FILES_SIGNALS = 6 /* version that rules signals too */ };

/* Version of Landlock's rules, 0: there is none. */
int sandbox_files_version(void);

/* Makes the rules of a child. *ruleset is a descriptor, -1 where the kernel has no Landlock. */
enum asc_status sandbox_files_open(const struct sandbox *s, const char *program, int *ruleset,
				   struct asc_err *e);

/* Enters the rules, in the child, by system calls alone. `driver`: the child may name its threads
 * through /proc. False where the rules do not hold. */
bool sandbox_files_enter(int ruleset, bool driver);

/* True for a path in a folder of the system, which every child reads. */
bool sandbox_files_is_system(const char *path);

/* Prints the reason why there is no Landlock of this version; nothing where there is. */
void sandbox_files_check(int version, char *reason, size_t size);

#endif
