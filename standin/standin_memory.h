/* Device memory of the stand-in: addresses that fault when the host touches them, and the bytes
 * behind them, which kernels and copies reach through standin_memory_at(). */
#ifndef ASCTUNE_STANDIN_STANDIN_MEMORY_H
#define ASCTUNE_STANDIN_STANDIN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "standin/standin_core.h"

int standin_memory_alloc(size_t bytes, void **out);
int standin_memory_free(void *at);

/* Adds to the number of kernels that are at work on the allocation with an address, if one has it:
 * to free it then is an execution error. */
void standin_memory_use(const void *address, int users);

/* Bytes behind `n` bytes at a device address; NULL: they are not all of one allocation. */
void *standin_memory_at(const void *address, size_t n);
bool standin_memory_has(const void *address); /* it lies in some allocation */

const void *standin_memory_begin(const void *address); /* of the allocation; NULL: none */

/* Room from a device address to the end of its allocation; 0: it is in none. */
size_t standin_memory_room(const void *address);

/* When the allocation was written last, as a number that grows with every write. */
uint64_t standin_memory_written(const void *address);
void standin_memory_touch(const void *address); /* it is written now */

/* The same for writes by anything but operators, whose outputs are regions (standin_content.h);
 * 0: the address is in no allocation. */
uint64_t standin_memory_base(const void *address);
void standin_memory_touch_region(const void *address); /* an operator writes a region of it */

/* Fills `n` bytes that are all of one allocation. */
void standin_memory_fill(void *at, int byte, size_t n);

#endif
