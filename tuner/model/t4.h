/* Results in the FAIR autotuning "T4" format, as Kernel Tuner and asctune write them.
 *
 * A document owns everything that it gives; records are borrowed during their visit. Every record
 * must have the parameters of the first. Keys that are not known are left alone: the format is
 * open. A file that states another schema_version than 1.x is refused. Format: the schema T4/1.0.0
 * of kernel_tuner 1.5.0 and of its published records. */
#ifndef ASCTUNE_MODEL_T4_H
#define ASCTUNE_MODEL_T4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/config.h"
#include "tuner/model/result.h"

struct json_node;
struct t4;

#define T4_OWN_KEY "X-Asctune" /* what asctune adds to a document: the subject, true statuses */

/* What was measured and where, as asctune's own files say it under T4_OWN_KEY; NULL and 0 for what
 * a file does not say. Members as of the database's records. */
struct t4_subject {
	const char *workload, *operator_name, *problem, *problem_key;
	const char *device_kind, *device_model, *device_arch, *device_driver, *device_fingerprint;
	const char *clock, *cache_policy, *implementation, *implementation_key;
	const struct json_node *problem_values;
	int64_t implementation_index;
	double flops, bytes;
};

struct t4_record {
	const char *const *names; /* of the parameters, config.n */
	struct config config;
	struct result result; /* the visitor's to look at */
	int64_t recorded_ms;  /* since 1970; 0: the file does not say */
	bool is_default;
};

/* The text of a file at `path`, for messages. ASC_INPUT for what is no T4 document, with the path
 * inside. */
enum asc_status t4_open(const char *path, const char *text, size_t len, struct t4 **out,
			struct asc_err *e);
void t4_close(struct t4 *t);

const struct t4_subject *t4_get_subject(const struct t4 *t);

typedef enum asc_status t4_visit_fn(void *user, const struct t4_record *record, struct asc_err *e);
enum asc_status t4_each(const struct t4 *t, t4_visit_fn *visit, void *user, struct asc_err *e);

/* The format's word for a status ("correct", "compile", ...), NULL: it has no records of such; and
 * what a word stands for where nothing else says more. */
const char *t4_invalidity(enum result_status s);
bool t4_invalidity_parse(const char *word, enum result_status *status, enum phase *phase);

/* A time as the format's milliseconds, and back. Every ns that is a multiple of a half comes back
 * as it was. */
double t4_ms(double ns);
double t4_ns(double time, double unit_ns);

#endif
