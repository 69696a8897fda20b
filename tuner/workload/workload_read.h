/* Readers of the sections of a workload file: shared functions, and each section's table and
 * checks. Private to its folder.
 *
 * Readers have the form of json_read_fn. All that they make lives as long as the document
 * (json_alloc). The `_check` functions run after the whole file is read and see across sections.
 *
 * The document gathers faults, and readers and checks go on behind them: json_ends() is false for
 * these, and their list says that the file has failed. So what a check looks at may be missing: a
 * text is NULL, a formula has no text, a list is empty. What needs a part with a fault is left out
 * (json_is_faulty, json_is_sound, workload_is_whole). */
#ifndef ASCTUNE_WORKLOAD_WORKLOAD_READ_H
#define ASCTUNE_WORKLOAD_WORKLOAD_READ_H

#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

/* ---- pieces ---- */

extern const char *const workload_devices[]; /* cpu, cuda, npu, NULL */

/* Members or elements that are read into an array of records. */
struct item_rule {
	enum json_type type; /* JSON_ARRAY or JSON_OBJECT */
	size_t size;         /* bytes of a record */
	json_read_fn *each;
	const char *what; /* name of many in messages */
	size_t most;      /* more are refused and not read */
};

/* Reads each of `n`; one with a fault has a record too, as far as it was read. NULL on failure,
 * with the error set; not NULL for none. */
void *workload_read_items(const struct json_node *n, const struct item_rule *rule, size_t *count,
			  struct asc_err *e);

/* Reads at most `max` formulas; `what` names them in messages ("axes"). */
enum asc_status workload_read_formulas(const struct json_node *n, const char *what, size_t max,
				       struct formula *out, size_t *count, struct asc_err *e);

/* Reads a list of strings, all different and from the NULL-terminated candidates, or any when these
 * are NULL. */
enum asc_status workload_read_names(const struct json_node *n, const char *what,
				    const char *const *candidates, struct name_list *out,
				    struct asc_err *e);

/* Reads an object of something per class of device. */
typedef enum asc_status workload_device_fn(void *out, const char *device, const struct json_node *n,
					   struct asc_err *e);
enum asc_status workload_read_each_device(const struct json_node *n, const char *what,
					  workload_device_fn *add, void *out, struct asc_err *e);

/* Reads a string, or an object of one per class of device; `what` names them in messages ("a
 * function's name"). */
enum asc_status workload_read_per_device(const struct json_node *n, const char *what,
					 struct per_device *out, struct asc_err *e);
enum asc_status workload_read_choice(const struct json_node *n, const char *what,
				     const char *const *candidates, int *out, struct asc_err *e);

json_read_fn workload_read_formula; /* struct formula */
json_read_fn workload_read_devices; /* struct name_list */
json_read_fn workload_read_dtype;   /* enum dtype */

/* Keys that go with one kind of an object; lists end with NULL. */
struct key_rule {
	const char *required[4], *optional[5];
};

/* Checks keys; `kind` names the kind in messages, and the key `tag` is always allowed. */
enum asc_status workload_check_keys(const struct json_node *object, const char *tag,
				    const char *kind, const struct key_rule *rule,
				    struct asc_err *e);

/* Read names that users type (letters, digits, `_ . + -`), and names that become macros. */
enum asc_status workload_check_name(const struct json_node *n, const char *name, struct asc_err *e);
enum asc_status workload_check_identifier(const struct json_node *n, const char *name,
					  struct asc_err *e);

/* Checks that an array or object has no more members; `what` names them in messages. */
enum asc_status workload_check_count(const struct json_node *n, const char *what, size_t most,
				     struct asc_err *e);

/* False where a fault may hide names of the member `key` of an object: one that is not among them
 * may be right. */
bool workload_is_whole(const struct json_node *object, const char *key);

/* Gives an object without a name its place in the file, "problems[1]". */
enum asc_status workload_default_name(const struct json_node *n, const char **name,
				      struct asc_err *e);

/* Checks that the string members `key` of an array of objects are all different. */
enum asc_status workload_check_distinct(const struct json_node *array, const char *key,
					struct asc_err *e);

enum asc_status workload_check_source(const struct workload *w, const struct json_node *n,
				      const char *source, struct asc_err *e);
/* Checks the path of a file with tensors: .safetensors, or with `npy` also .npy, which has one
 * tensor. Its content is looked at where problems are bound. */
enum asc_status workload_check_data(const struct workload *w, const struct json_node *n,
				    const char *file, bool npy, struct asc_err *e);
bool workload_source_is_module(const char *source); /* `package.module:kernel` */

/* Finds the static name of a pattern in shared memory, `128B`; NULL: there is none. */
const char *workload_find_swizzle(const char *name);

/* Find a dimension or a dtype variable of the problem; NULL: it has none of that name. */
const struct dimension *problem_find_dimension(const struct problem *p, const char *name);
const struct dtype_variable *problem_find_variable(const struct problem *p, const char *name);

/* Finds what a name means in the formulas of some problem, "a dimension" or "a dtype variable";
 * NULL: neither. */
const char *workload_find_meaning(const struct workload *w, const char *name);

/* Finds a dtype by its name or by a variable of the problem. */
bool problem_find_dtype(const struct problem *p, const char *name, enum dtype *out);

/* True where a fault of the problem hides what the name means. */
bool problem_hides_dtype(const struct problem *p, const char *name);

/* Checks that every problem has a dtype, or a variable, of that name. */
enum asc_status workload_check_dtype(const struct workload *w, const struct json_node *n,
				     const char *name, struct asc_err *e);

/* Counts the problems in which the tensor's elements are reals. */
size_t tensor_floating(const struct workload *w, const struct tensor *t);

/* ---- sections ---- */

extern const struct json_spec constant_spec, device_reference_spec;
extern const struct json_spec problem_spec, set_spec, tensor_spec, fill_spec, contents_spec,
	verify_spec, reference_spec, implementation_spec, call_spec, scratch_spec, twin_spec,
	argument_spec, launch_spec, parameter_spec, rewrite_spec, table_spec, track_spec,
	least_spec;

json_read_fn problem_read; /* struct problem */
enum asc_status problem_check(const struct workload *w, const struct problem *p, struct asc_err *e);
json_read_fn exports_read; /* const struct json_node * */
json_read_fn track_read;   /* double: percent */
enum asc_status exports_check(const struct workload *w, struct asc_err *e);

/* Fails with "did you mean" for a name that no implementation has. */
enum asc_status workload_fail_implementation(const struct workload *w, const struct json_node *n,
					     const char *name, struct asc_err *e);

/* Reads the list of a dimension; sets its value to the first. */
enum asc_status ladder_read(const struct json_node *n, struct dimension *d, struct asc_err *e);

/* Counts the problems that one of the file stands for: 1 without lists. ASC_INPUT for more than
 * WORKLOAD_MAX_PROBLEMS. */
enum asc_status ladder_count(const struct problem *p, size_t *n, struct asc_err *e);

/* Makes the one at `place` of them; sizes of the last list go fastest. */
enum asc_status ladder_get(const struct problem *p, size_t place, struct problem *out,
			   struct asc_err *e);

/* Makes the problem that a name like ENTRY.M4.Tf16 means: an entry of the file with other sizes and
 * types. ASC_NOTFOUND where no entry's name begins it, ASC_INPUT where a part means nothing or may
 * mean two things. */
enum asc_status ladder_derive(const struct workload *w, const char *name, struct problem *out,
			      struct asc_err *e);

/* Checks that no two problems have one name, nor one of them that of another's ladder. */
enum asc_status ladder_check_names(const struct problem *list, size_t n, struct asc_err *e);

json_read_fn tensor_read;         /* struct tensor */
json_read_fn tensor_read_shape;   /* struct tensor */
json_read_fn fill_read;           /* struct fill */
json_read_fn verify_read;         /* struct verify */
json_read_fn parameter_read;      /* struct parameter */
json_read_fn implementation_read; /* struct implementation */
json_read_fn reference_read;      /* struct callable */
json_read_fn rewrite_read;        /* struct rewrite_use */
json_read_fn references_on_read;  /* struct workload */

/* Members of a struct implementation */
json_read_fn implementation_read_calls, implementation_read_scratch, implementation_read_tables;
/* Takes the keys of an implementation that is a call itself as its only call. */
enum asc_status implementation_take_calls(struct implementation *i, struct asc_err *e);

/* Members of a struct callable */
json_read_fn callable_read_entry, callable_read_arguments, callable_read_launch,
	callable_read_flags, callable_read_builder, callable_read_constants, callable_read_returns,
	callable_read_tensors;

enum asc_status fill_check(const struct workload *w, struct tensor *t, struct asc_err *e);
enum asc_status verify_check(const struct workload *w, struct tensor *t, struct asc_err *e);
enum asc_status tensor_check(const struct workload *w, struct tensor *t, struct asc_err *e);
/* `i` NULL: of a reference. */
enum asc_status argument_check(const struct workload *w, const struct implementation *i,
			       const struct callable *c, struct argument *a, struct asc_err *e);
/* `i` NULL: of a reference, which has no constants. */
enum asc_status constant_check(const struct workload *w, const struct implementation *i,
			       const struct constant *c, struct asc_err *e);
enum asc_status callable_read_twin(const struct json_node *n, void *member, struct asc_err *e);
enum asc_status twin_check(const struct workload *w, const struct implementation *i,
			   const struct callable *c, struct asc_err *e);
/* Checks the source of a Python function, and takes its name as the entry. */
enum asc_status python_check_source(const struct workload *w, struct callable *c,
				    struct asc_err *e);
/* Checks the keys of Python functions, of which other calls have none; finds what they return.
 * Behind the arguments' own checks. */
enum asc_status python_check(const struct workload *w, const struct implementation *i,
			     struct callable *c, struct asc_err *e);
enum asc_status callable_check(const struct workload *w, const struct implementation *i,
			       struct callable *c, struct asc_err *e);
/* Checks that every output is passed to one of the calls: one that is not would be compared as it
 * was allocated. */
enum asc_status calls_check_outputs(const struct workload *w, const struct callable *calls,
				    size_t n, const struct json_node *node, struct asc_err *e);
enum asc_status implementation_check_calls(const struct workload *w, struct implementation *i,
					   struct asc_err *e);
enum asc_status implementation_check(const struct workload *w, struct implementation *i,
				     struct asc_err *e);
/* Finds the columns of the implementation's tables, and reads, sorts and checks their rows. */
enum asc_status tables_check(const struct workload *w, struct implementation *i, struct asc_err *e);
/* Fails with "did you mean" for a name that no table of the implementation has. */
enum asc_status table_check_name(const struct implementation *i, const struct json_node *n,
				 const char *name, struct asc_err *e);
enum asc_status rewrites_check(struct implementation *i, struct asc_err *e);

#endif
