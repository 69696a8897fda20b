/* What `run --profile` and `profile` count: options that both have. */
#ifndef ASCTUNE_CMD_PROFILE_PROFILE_OPTIONS_H
#define ASCTUNE_CMD_PROFILE_PROFILE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/tune/evaluate/trial.h"

struct probe_ops;

enum { PROFILE_MAX_PROBES = 16, PROFILE_MAX_FILES = 16 };

/* The caller's storage, zeroed; profile_options_fini(). */
struct profile_options {
	bool wanted;     /* --profile was given, or the command is `profile` */
	const char *set; /* NULL: PROFILE_DEFAULT_SET */
	const char *probes[PROFILE_MAX_PROBES + 1]; /* that replay; NULL-terminated */
	const char *files[PROFILE_MAX_FILES];       /* of --metrics */
	size_t n_files;
	/* Made by profile_options_open(). */
	struct buf contents[PROFILE_MAX_FILES];
	struct metric_text texts[PROFILE_MAX_FILES];
	struct metric_book *book;
};

#define PROFILE_DEFAULT_SET "default"
#define PROFILE_METRICS_HELP                                                                       \
	"file with further metrics, sets and rules (docs/metrics.md); may be repeated"
#define PROFILE_SET_HELP                                                                           \
	"set of metrics that is counted (`asctune list metrics`; default \"" PROFILE_DEFAULT_SET   \
	"\")"

/* Takes the value of --metrics; a usage error where there are too many. */
void profile_options_add_file(struct profile_options *o, const struct argp_state *state,
			      const char *path);

/* Takes the value of --probe, each name once: those that enclose launches go to `enclosing`, NULL
 * or with room for PROFILE_MAX_PROBES and an end; a usage error for them where that is NULL, and
 * for names that are none. */
void profile_options_add_probes(struct profile_options *o, const struct argp_state *state,
				char *names, const char **enclosing);

/* Reads the files and opens the book; finds the set and, where no probe was named, those that count
 * its metrics on that kind of device. ASC_USAGE for a set that there is none of, ASC_INPUT with
 * file and path. */
enum asc_status profile_options_open(struct profile_options *o, const char *device,
				     struct profile_wanted *out, struct asc_err *e);

/* Adds a probe to those that count, once; it counts alone where no profile is wanted. */
void profile_options_add_probe(struct profile_options *o, const char *probe,
			       struct profile_wanted *out);

void profile_options_fini(struct profile_options *o);

#endif
