/* Results in the FAIR autotuning "T4" format, as Kernel Tuner and asctune write them, and in Kernel
 * Tuner's cache files, its own format, which is older.
 *
 * A document owns everything that it gives; records are borrowed during their visit. Every record
 * must have the parameters of the first. Keys that are not known are left alone: the format is
 * open. A file that states another schema_version than 1.x is refused. Format: the schema T4/1.0.0
 * of kernel_tuner 1.5.0 and of its published records; its cache files have no description, what is
 * read of them is what its version 1.5.0 writes and what has been published. */
#ifndef ASCTUNE_EXCHANGE_FORMATS_T4_H
#define ASCTUNE_EXCHANGE_FORMATS_T4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/workload/space/config.h"

struct json_doc;
struct json_node;
struct t4;

#define T4_OWN_KEY                                                                                 \
	"X-Asctune" /* members that asctune adds to a document: the subject, exact statuses */

/* The subject (device, workload, problem, implementation) of results in a file. asctune's own T4
 * files state it under T4_OWN_KEY; files of other programs have parts of it. NULL and 0 for missing
 * members, which are those of the database's records. */
struct t4_subject {
	const char *workload, *operator_name, *problem, *problem_key;
	const char *device_kind, *device_model, *device_arch, *device_driver, *device_fingerprint;
	const char *clock, *cache_policy, *implementation, *implementation_key;
	const struct json_node *problem_values;
	const char *problem_json; /* text of the same, of files that do not have them as JSON */
	int64_t implementation_index;
	double flops, bytes;
	double configurations; /* valid ones of the space; 0: the file does not say */
	double combinations;   /* of the values that a cache file lists; 0: it lists none */
};

struct t4_record {
	const char *const *names; /* names of the parameters, config.n */
	struct config config;
	struct result result;  /* borrowed during the visit */
	int64_t recorded_ms;   /* ms since 1970; 0: not in the file */
	double spent_ns;       /* time of the evaluation, with all parts that the file states */
	const char *objective; /* first objective; NULL: the file does not state any */
	bool is_default;
};

/* Reads `text`, the content of the file at `path`, which messages name. ASC_INPUT for anything but
 * a T4 document or a cache file, with the path inside. */
enum asc_status t4_open(const char *path, const char *text, size_t len, struct t4 **out,
			struct asc_err *e);
enum asc_status t4_open_doc(struct json_doc *doc, struct t4 **out,
			    struct asc_err *e); /* takes the document, whatever comes of it */
void t4_close(struct t4 *t);

bool t4_recognise_cache(const struct json_doc *doc); /* a cache file of Kernel Tuner */

const struct t4_subject *t4_get_subject(const struct t4 *t);

typedef enum asc_status t4_visit_fn(void *user, const struct t4_record *record, struct asc_err *e);
enum asc_status t4_each(const struct t4 *t, t4_visit_fn *visit, void *user, struct asc_err *e);

/* Frees what visits of a long file need: none may follow. */
void t4_end_records(struct t4 *t);

/* Name of a file of results, without folder and endings: "results/gemm_A100_T4.json.gz" ->
 * "gemm_A100". A heap string, NULL when out of memory. */
char *t4_name_of_file(const char *path);

/* Word of the format for a status ("correct", "compile", ...), NULL: the format has no such
 * records; and status of a word that nothing else refines. */
const char *t4_invalidity(enum result_status s);
bool t4_invalidity_parse(const char *word, enum result_status *status, enum phase *phase);

/* Convert a time to the format's milliseconds, and back. Every ns that is a multiple of a half
 * survives. */
double t4_ms(double ns);
double t4_ns(double time, double unit_ns);

#endif
