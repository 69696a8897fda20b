/* Cases of the stand-in: each runs in a process of its own, with its own STANDIN, since the control
 * is read once and a lost device stays lost. */
#ifndef ASCTUNE_TESTS_STANDIN_CASE_H
#define ASCTUNE_TESTS_STANDIN_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/device/libs/acl_abi.h"

/* Functions of libascendcl.so, found by their symbols; NULL where the folder lacks one. */
struct standin_acl {
#define X(member, symbol, result, parameters, release) result(*member) parameters;
	ACL_LIST(X)
#undef X
};

extern struct standin_acl acl;

/* The first check that failed in this process; "" when all held. */
extern char standin_trouble[256];

#define HOLDS(condition)  standin_hold((condition), __FILE__, __LINE__, #condition)
#define GIVES(call, code) standin_give((call), (code), __FILE__, __LINE__, #call)

bool standin_hold(bool ok, const char *file, int line, const char *text);
bool standin_give(int have, int want, const char *file, int line, const char *text);

/* Opens a library of a folder of the stand-in ("head", "2022"); NULL where there is none. */
void *standin_case_open(const char *folder, const char *library);

/* Runs `check` in a process with that control, with `acl` filled from libascendcl.so of `folder`,
 * and asserts that nothing failed there, within a minute. The log of its calls is then
 * standin_case_log(). */
void standin_case(const char *folder, const char *control, void (*check)(void), const char *name);
const char *standin_case_log(void);

/* Number of lines of that log with the text. */
int standin_case_count(const char *text);

/* aclInit, aclrtSetDevice and a stream; then a test twin: its function. */
void *standin_case_begin(void);
void *standin_case_load(const char *name);

/* Argument block of the test twins: `from`, `to`, `n`, for Ascend910B3. */
struct standin_block {
	void *sync, *lock, *workspace;
	void *from, *to;
	int32_t n;
	int32_t grid[3];
};
void standin_block_init(struct standin_block *b, void *from, void *to, int32_t n, int32_t blocks);
enum { STANDIN_BLOCK_BYTES = 56 };

#endif
