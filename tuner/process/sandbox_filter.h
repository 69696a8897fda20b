/* The part of the sandbox that filters system calls: sockets, and what makes them by other ways. */
#ifndef ASCTUNE_PROCESS_SANDBOX_FILTER_H
#define ASCTUNE_PROCESS_SANDBOX_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Enters the filter, in the child, by system calls alone. A driver may open sockets of the machine
 * itself (AF_UNIX). False where the kernel has no filters. */
bool sandbox_filter_enter(bool driver);

/* Prints the reason why there are no filters; nothing where there are. */
void sandbox_filter_check(char *reason, size_t size);

#endif
