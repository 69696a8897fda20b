/* Request to a builder, in plain values: one source, its entry, and what it is built with.
 * Nothing of a workload is needed to state it.
 *
 * The caller owns a struct build_request: build_request_init(), build_request_fini(); its texts are
 * copies. A failure on the way is remembered, what is added after it is passed over, and
 * build_request_check() reports it. */
#ifndef ASCTUNE_BUILD_BUILD_REQUEST_H
#define ASCTUNE_BUILD_BUILD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"

enum {
	BUILD_MAX_FLAGS = 128,
	BUILD_MAX_DEFINES = 160,
	BUILD_MAX_ARGUMENTS = 64,
	BUILD_MAX_RANK = 8,
	BUILD_ALIGNMENT = 16 /* bytes: what Triton's launches look for in an address */
};

struct build_define {
	char *name, *value; /* the name is an identifier of C; the value is C's or JSON's, as the
			       builder wants it */
};

enum build_argument_kind {
	BUILD_TENSOR, /* a pointer to elements of `type` */
	BUILD_SCALAR, /* a number of `type` */
	BUILD_SCRATCH,
	BUILD_TENSOR_MAP,
	BUILD_BUILTIN /* number of the call within a CPU's grid: an i64 */
};

struct build_argument {
	enum build_argument_kind kind;
	enum dtype type;
	char *words;    /* name in messages, "tensor x"; NULL: the number alone */
	bool absent;    /* TENSOR: of this problem; a null pointer is passed */
	bool unaligned; /* TENSOR: its address is no multiple of BUILD_ALIGNMENT */
	int64_t number; /* SCALAR of an integer type: what this launch passes */
	size_t rank;    /* TENSOR_MAP: of the box */
	int64_t box[BUILD_MAX_RANK];
};

struct build_request {
	char *source; /* path */
	char *entry;
	char *arch;    /* architecture of the device */
	char *program; /* path of this executable, for builders that run it; NULL: none does */
	char *within;  /* folder that no file read may lie outside of, but for the compiler's own
			  headers; a path without links; NULL: any may be read */
	bool shared;   /* key of what all configurations have in common: without defines
			  and arguments */
	char *flags[BUILD_MAX_FLAGS + 1]; /* further flags of the compiler; NULL-terminated */
	char *keyed[BUILD_MAX_FLAGS + 1]; /* the same as keys have them; NULL: as they are */
	size_t n_flags;
	struct build_define defines[BUILD_MAX_DEFINES];
	size_t n_defines;
	struct build_argument arguments[BUILD_MAX_ARGUMENTS];
	size_t n_arguments;
	int64_t shared_limit_bytes; /* shared memory that a block can have on the device; 0: unknown
				     */
	struct asc_err failure;     /* status ASC_OK: none so far */
};

/* `program` may be NULL. */
void build_request_init(struct build_request *r, const char *source, const char *entry,
			const char *arch, const char *program);
void build_request_fini(struct build_request *r);

/* Sets `within`. */
void build_request_confine(struct build_request *r, const char *folder);
void build_request_add_flag(struct build_request *r, const char *flag);
/* Sets what keys have in the place of the flag that was added last. */
void build_request_key_flag(struct build_request *r, const char *keyed);
/* Fails (ASC_INPUT) for a name that is no identifier of C. */
void build_request_define(struct build_request *r, const char *name, const char *value);
/* Adds an argument with a copy of its words. */
void build_request_add(struct build_request *r, const struct build_argument *a);

/* Reports the first failure on the way. */
enum asc_status build_request_check(const struct build_request *r, struct asc_err *e);

#endif
