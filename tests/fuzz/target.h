/* What every fuzz target has: the entry point that libFuzzer and tests/fuzz/replay.c call with one
 * input. A target returns 0, starts no process, writes no file outside of a folder of its own, and
 * aborts where something that has to hold does not. */
#ifndef ASCTUNE_TESTS_FUZZ_TARGET_H
#define ASCTUNE_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
