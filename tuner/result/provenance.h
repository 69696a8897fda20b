/* Provenance of a result: source files, toolchain, options, device, workload that it was made from;
 * and the differences between two provenances, a recorded one and that of today. Pure. */
#ifndef ASCTUNE_RESULT_PROVENANCE_H
#define ASCTUNE_RESULT_PROVENANCE_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;
struct json_node;

/* Borrowed; NULL: not recorded. Texts are compared as they are. member, words in a difference; the
 * last ones hold keys, which are not shown */
#define PROVENANCE_TEXTS(X)                                                                        \
	X(device_model, "device")                                                                  \
	X(device_driver, "driver")                                                                 \
	X(device_arch, "architecture")                                                             \
	X(toolchain, "compiler")                                                                   \
	X(version, "asctune")

#define PROVENANCE_KEYS(X)                                                                         \
	X(device_fingerprint)                                                                      \
	X(device_machine)                                                                          \
	X(workload_hash)                                                                           \
	X(problem_key)                                                                             \
	X(implementation_key)                                                                      \
	X(artifact)                                                                                \
	X(digest)

struct provenance {
#define X(member, words) const char *member;
	PROVENANCE_TEXTS(X)
#undef X
#define X(member) const char *member;
	PROVENANCE_KEYS(X)
#undef X
	const char *workload_file;
	const struct json_node *options; /* words of the compiler's command, an array */
	const struct json_node *sources; /* {"PATH": "KEY", ...}, the source first */
	const struct json_node *policy;
};

/* Reads the members of an object; others, and null, are passed over. */
enum asc_status provenance_read(const struct json_node *object, struct provenance *out,
				struct asc_err *e);

/* Appends a line for each difference, "compiler: cc 13, was cc 12"; artifacts are not compared.
 * *unknown: the parts that are not recorded, "options, sources"; "": none. */
enum asc_status provenance_compare(const struct provenance *recorded, const struct provenance *now,
				   struct buf *lines, struct buf *unknown, struct asc_err *e);

/* Appends how the libraries of two toolchains differ, "CPython 3.11.7, torch 2.12.0 #3f2a91bc,
 * TORCH_X=1": a part for each one that does, "torch: 2.12.0, was 2.11.0", with `between` between
 * them. False where they are no such lists. */
bool provenance_write_libraries(const char *now, const char *recorded, const char *between,
				struct buf *out);

#endif
