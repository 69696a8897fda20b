/* The part of the sandbox that filters system calls: sockets, and what makes them by other ways. */
#ifndef ASCTUNE_PROCESS_SANDBOX_FILTER_H
#define ASCTUNE_PROCESS_SANDBOX_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct sock_fprog;

/* The filter's program, made once in this process, whose memory a child shares when it enters it.
 * A driver may open sockets of the machine itself (AF_UNIX). NULL where none is written for this
 * processor. */
const struct sock_fprog *sandbox_filter_prepare(bool driver);

/* Enters the filter, in the child, by system calls alone. False where the kernel has no filters. */
bool sandbox_filter_enter(const struct sock_fprog *program);

/* Prints the reason why there are no filters; nothing where there are. */
void sandbox_filter_check(char *reason, size_t size);

#endif
