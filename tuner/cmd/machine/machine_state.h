/* State of this machine in words: what makes its times noisy, and which parts of the sandbox a
 * child finds here. */
#ifndef ASCTUNE_CMD_MACHINE_MACHINE_STATE_H
#define ASCTUNE_CMD_MACHINE_MACHINE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/process/sandbox.h"

/* False when more than half of the processors' threads have been at work in the last minute;
 * `text`: "load 0.3", or what to expect. */
bool machine_is_idle(char *text, size_t size);

/* False when the machine is busy, or others compute on the device; `text` says so, "" otherwise.
 * `bus`: address of a GPU; "": it is none. To be asked before this program has work on it. */
bool machine_is_ours(const char *bus, char *text, size_t size);

/* True when the processors keep one clock as far as the system says; `text`: the governor
 * (cpufreq), and what to do about one that follows the load. */
bool machine_is_steady(char *text, size_t size);

/* Starts a child in the sandbox: what the kernel says that it has, it may still refuse. */
enum asc_status sandbox_state_try(struct asc_err *e);

/* Prints the reason why children lack a part, "" when they have it; returns `text`. */
const char *sandbox_state_reason(enum sandbox_part part, char *text, size_t size);

/* Requires the sandbox (sandbox_require()). Fails (ASC_ABSENT) where a child lacks a part that
 * --untrusted promises: files or network. */
enum asc_status sandbox_state_require(struct asc_err *e);

#endif
