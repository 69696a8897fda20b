/* A kernel language: how a source file and a configuration become an artifact that a device can
 * load.
 *
 * A builder describes a command; the pool (build/pool) runs it, in parallel, and the cache
 * (build/cache) keeps what it made under a content key: source and the files it includes,
 * build-stage parameters, compiler and its version, flags, device architecture. */
#ifndef ASCTUNE_BUILD_BUILDER_H
#define ASCTUNE_BUILD_BUILDER_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/model/binding.h"
#include "tuner/model/config.h"

struct buf;
struct hash;

enum { BUILDER_OPS_VERSION = 1, BUILD_MAX_ARGV = 256 };

struct build_job { /* all borrowed */
	const struct workload *workload;
	const struct callable *call;
	const struct implementation *
		implementation; /* NULL: the reference or a fill function: no parameters, doubles */
	const struct config
		*config; /* values in the order of `names`; NULL with implementation NULL */
	const char *const *names;
	const struct binding *binding; /* dtypes of the tensors */
	const struct plan *plan;       /* types of the arguments */
	const char *device, *arch, *entry;
	const char *program; /* path of this executable, for builders that run it */
};

/* The command: heap strings, argv NULL-terminated; @OUT@ in no argument: the output path is added
 * by builder_ops.output. */
struct build_command {
	char *argv[BUILD_MAX_ARGV];
	size_t argc;
	size_t n_resident; /* not 0: so many words start a process that stays and serves the
			      others, and further commands (build/resident) */
	char *input; /* text that is written beside the output as `input_name` before the command
			runs, or NULL */
	const char *input_name;
	const char *rule_name; /* file beside the output in which the command lists what it read
				  (build/manifest), or NULL */
};

struct builder_ops {
	int version;
	const char *name; /* cc, nvrtc, ... */
	const char *summary;
	const char *suffix;         /* of artifacts: ".so" */
	const char *const *devices; /* kinds of device it makes artifacts for; NULL-terminated */
	bool (*check)(char *reason, size_t size);
	/* What tells one tool chain from another, e.g. compiler path and version; cached in the
	 * process. */
	enum asc_status (*toolchain)(struct buf *out, struct asc_err *e);
	/* The whole command for `job`, reading nothing; `folder` is an empty scratch folder,
	 * `output` the file to make. NULL: there is nothing to build, the source's name is the
	 * artifact. */
	enum asc_status (*command)(const struct build_job *job, const char *folder,
				   const char *output, struct build_command *out,
				   struct asc_err *e);
	/* Adds to `h` all that decides the artifact: tool chain, architecture, source text and
	 * included files, and unless `plan` is NULL (for what all configurations share) options,
	 * parameters and argument types. Where the source lies does not count. */
	enum asc_status (*key)(const struct build_job *job, struct hash *h, struct asc_err *e);
};

extern const struct builder_ops *const builder_list[];
const struct builder_ops *builder_find(const char *name);

bool builder_serves(const struct builder_ops *b, const char *device);

/* Adds what tells its tool chain from another. */
enum asc_status builder_hash_toolchain(const struct builder_ops *b, struct hash *h,
				       struct asc_err *e);

void build_command_init(struct build_command *c);
void build_command_fini(struct build_command *c);
enum asc_status build_command_add(struct build_command *c, struct asc_err *e, const char *format,
				  ...) __attribute__((format(printf, 3, 4)));
void build_command_hash(const struct build_command *c, struct hash *h); /* arguments and input */

#endif
