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

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct allowed_flag;
struct buf;
struct build_request;
struct json_writer;

enum {
	BUILD_MAX_ARGV = 256,
	BUILD_FILE_BYTES = 1 << 30 /* limit on the files that compilers write */
};

/* A compiler's command: heap strings, argv NULL-terminated. A failure on the way is remembered,
 * what is added after it is passed over, and build_command_check() reports it. */
struct build_command {
	char *argv[BUILD_MAX_ARGV];
	size_t argc;
	size_t n_server; /* not 0: so many words start a process that stays and is sent the others,
			    and further commands (build/compile_server) */
	char *input;     /* text that is written beside the output as `input_name` before the
			    command runs, or NULL */
	const char *input_name;
	const char *const *reads; /* further folders that its process reads; NULL-terminated,
				     borrowed from the builder, or NULL */
	const char *rule_name;    /* file beside the output in which the command lists what it read
				     (build/manifest), or NULL */
	struct asc_err failure;   /* status ASC_OK: none so far */
};

struct builder_ops {
	const char *name; /* of the language: cc, nvrtc, ... */
	const char *summary;
	const char *suffix;         /* of artifacts: ".so" */
	const char *const *devices; /* kinds of device it makes artifacts for; NULL-terminated */
	const char *(*type_name)(enum dtype t); /* the language's types; NULL: it has no macros */
	bool typed_values; /* parameters and constants are passed as JSON, not as macros of C */
	bool plans; /* its outcome is a memory planner's verdict (build/verdict): it makes no file
		     */
	/* Appends the identity of the toolchain, e.g. the compiler's path and version; cached in
	 * the process. ASC_ABSENT: the builder cannot be used here. */
	enum asc_status (*toolchain)(struct buf *out, struct asc_err *e);
	/* Adds the words that start a compiler that stays, the first of its command; NULL: each
	 * command is a process of its own. */
	void (*server)(const char *program, struct build_command *out);
	/* Adds all of the command that names no file, and its generated input. */
	void (*options)(const struct build_request *r, struct build_command *out);
	/* The whole command, options among it, reading nothing; `folder` is an empty scratch
	 * folder, `output` the file to make. NULL: there is nothing to build, the source's name is
	 * the artifact. */
	void (*command)(const struct build_request *r, const char *folder, const char *output,
			struct build_command *out);
	/* Flags that a workload of a stranger may give; NULL: none. */
	const struct allowed_flag *allowed;
	/* Appends the folders where the compiler itself looks for headers, each in a line `
	 * FOLDER`. NULL: its commands do not list what they read. */
	enum asc_status (*folders)(struct buf *out, struct asc_err *e);
	/* Estimates how long a build takes, in any unit: long ones start first, so that none is
	 * waited for alone in the end. NULL: in the order of requests. */
	double (*weight)(const struct build_request *r);
	/* Finds the digest of a source and all that it depends on, borrowed until the next call.
	 * NULL: as sources_hash() finds it. */
	enum asc_status (*digest)(const struct build_request *r, const char **out,
				  struct asc_err *e);
	/* Checks that a request fits its kernel, without compiling it: ASC_ABSENT where the kernel
	 * cannot be used here, ASC_INPUT naming both sides. NULL: the compiler finds out. */
	enum asc_status (*inspect)(const struct build_request *r, struct asc_err *e);
	/* Adds to `h` all that decides the artifact. NULL: as builder_hash() says. */
	void (*key)(const struct build_request *r, struct hash *h);
};

/* Entries of builder_list, each defined in a file of its own. */
extern const struct builder_ops builder_cc, builder_nvrtc, builder_triton, builder_triton_npu,
	builder_twin, builder_vendor, builder_python;
extern const struct builder_ops *const builder_list[];

/* Finds the builder of a language for a class of device, or for any (NULL): one language may have a
 * builder for each. NULL: none. */
const struct builder_ops *builder_find(const char *language, const char *device);

/* True where the builder has a toolchain, whose identity is put into `text`; else that says why
 * not.
 */
bool builder_is_usable(const struct builder_ops *b, char *text, size_t size);

/* Adds to `h` all that decides the artifact: toolchain, architecture, source text and included
 * files, and unless the request is shared, options and generated input. Where the source lies does
 * not count. */
void builder_hash(const struct builder_ops *b, const struct build_request *r, struct hash *h);

/* Adds to `h` the text of a source and of all that it includes: no toolchain, options or
 * parameters.
 */
void builder_hash_source(const struct builder_ops *b, const struct build_request *r,
			 struct hash *h);

/* Writes what the source consists of, {"PATH": "KEY", ...}; paths below `folder` are relative to
 * it.
 */
enum asc_status builder_write_sources(const struct builder_ops *b, const struct build_request *r,
				      const char *folder, struct json_writer *out,
				      struct asc_err *e);

/* Writes the options of the request, words of an array that the caller begins and ends. */
enum asc_status builder_write_options(const struct builder_ops *b, const struct build_request *r,
				      struct json_writer *out, struct asc_err *e);

void build_command_init(struct build_command *c);
void build_command_fini(struct build_command *c);
void build_command_add(struct build_command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void build_command_add_list(struct build_command *c,
			    const char *const *words); /* NULL-terminated */
enum asc_status build_command_check(const struct build_command *c, struct asc_err *e);

#endif
