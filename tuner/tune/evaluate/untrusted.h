/* Workloads of strangers (`--untrusted`): nothing that a workload names lies outside of its folder,
 * and its compiler flags are of the allowed ones (build/allowed_flags). What a compiler has read is
 * checked when it has ended (build_request.within). */
#ifndef ASCTUNE_TUNE_EVALUATE_UNTRUSTED_H
#define ASCTUNE_TUNE_EVALUATE_UNTRUSTED_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct workload;

typedef void untrusted_fault_fn(void *user, const struct asc_err *fault);

/* Fails (ASC_INPUT) where the file itself is a link, which may lead to another folder. */
enum asc_status untrusted_check_file(const char *path, struct asc_err *e);

/* Reports the first fault of each function and file (ASC_INPUT), with file and key, or that memory
 * ran out (ASC_NOMEM); returns their number. 0: the workload is marked as untrusted. */
size_t untrusted_check(struct workload *w, untrusted_fault_fn *say, void *user);

/* Fails where the file, or one that is compiled or included for it (sources_hash()), belongs to
 * another user (base/owner): with --trust what it says is done without a sandbox. */
enum asc_status trusted_check(const struct workload *w, struct asc_err *e);

/* Appends the paths of the workload's file, of those that are compiled or included for it
 * (sources_hash()), and of those with contents of its tensors, each ended by NUL: there or not. */
enum asc_status named_files_list(const struct workload *w, struct buf *out, struct asc_err *e);

/* Lets workers and compilers read these files where they do not lie in its folder. */
enum asc_status trusted_grant(const struct workload *w, struct asc_err *e);

#endif
