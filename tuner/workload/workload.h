/* A workload: an operator, its shapes, its kernels and their tunable parameters, as its file says
 * it.
 *
 * Everything is borrowed from the workload's JSON document; expressions are kept as text and
 * compiled when a problem is bound (workload/binding). All arrays are in file order.
 * workload_open() checks the whole file: structure, names, and that every expression compiles and
 * every shape evaluates for every problem. */
#ifndef ASCTUNE_WORKLOAD_WORKLOAD_H
#define ASCTUNE_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct buf;
struct json_doc;
struct json_node;
struct json_spec;
struct rewrite_ops;
struct verdict_table;

enum { CALL_MEMBER_SIZE = 40 };
#define ARGUMENT_NO_TENSOR SIZE_MAX /* the file has none of that name */
enum { WORKLOAD_MAX_RANK = 8, WORKLOAD_MAX_ARGUMENTS = 64, WORKLOAD_MAX_TENSORS = 64 };

/* Limits that bound the time to read and check a file, wherever it comes from: the whole file is
 * looked at for each problem, and some parts of it in pairs. */
enum {
	WORKLOAD_MAX_BYTES = 4 << 20,
	WORKLOAD_MAX_WORK = 128 << 20, /* problems times bytes of the file */
	WORKLOAD_MAX_BASELINES = 4,
	WORKLOAD_MAX_PROBLEMS = 1000, /* those of ladders counted one by one */
	WORKLOAD_MAX_DIMS = 256,      /* and dtype variables, of one problem */
	WORKLOAD_MAX_IMPLEMENTATIONS = 256,
	WORKLOAD_MAX_CONSTRAINTS = 1000,
	WORKLOAD_MAX_CONSTANTS = 64,
	WORKLOAD_MAX_CALLS = 16,   /* of one implementation */
	WORKLOAD_MAX_SCRATCH = 32, /* tensors between these */
	WORKLOAD_MAX_SETS = 16,    /* of inputs of one problem */
	WORKLOAD_MAX_TILES = 1000, /* of one memory space */
	WORKLOAD_MAX_TABLES = 512  /* of one implementation */
};

/* An expression or a literal number, with its JSON node for messages; text is NULL when absent. */
struct formula {
	const char *text; /* text of the expression; a number in the file becomes text */
	const struct json_node *node;
};

struct name_list {
	const char **names; /* NULL-terminated, or NULL when absent */
	size_t n;
	const struct json_node *node;
};

/* "values": sizes and other numbers of a problem, visible to expressions by name */
struct dimension {
	const char *name;
	struct value value;
	int64_t *steps; /* list of a ladder, which this value is of; NULL: none */
	size_t n_steps;
};

struct dtype_variable {
	const char *name; /* "T" */
	enum dtype dtype;
};

struct parameter_choice { /* a parameter's value in the default configuration of a problem */
	const char *name;
	struct value value;
	const struct json_node *node;
};

/* A set of inputs of a problem: a .safetensors file with a member NAME for each tensor of that name
 * whose fill is `file`. A member NAME:out is what a launch left in that tensor: in the tensor's own
 * type, or in f64 where somebody computed it so. (workload/binding/binding_files) */
struct input_set {
	const char *file; /* relative to the workload */
	bool fresh; /* the numbers of real types are made anew; what was recorded does not hold */
	const struct json_node *node;
};

struct problem {
	const char *name;
	const char *ladder; /* name in the file, where lists of dimensions made several problems of
			       it; NULL: none did */
	struct dimension *dims;
	size_t n_dims;
	struct dtype_variable *dtypes;
	size_t n_dtypes;
	struct parameter_choice *defaults; /* in place of the parameters' own defaults; of those
					      that an implementation has */
	size_t n_defaults;
	struct name_list tags;
	struct name_list devices; /* device classes it is meant for by default: cpu, cuda, npu;
				     absent: all */
	struct input_set *sets;   /* the search verifies on the first, finals the answer on all */
	size_t n_sets;
	const struct json_node *node;
};

enum tensor_role { ROLE_IN, ROLE_OUT, ROLE_INOUT };
enum tensor_place { PLACE_DEVICE, PLACE_HOST };

/* What an input may hold beyond what its fill makes. */
enum tensor_domain {
	DOMAIN_FILL,   /* nothing else */
	DOMAIN_RANGE,  /* numbers from `low` to `high` */
	DOMAIN_FINITE, /* every finite number of its type */
	DOMAIN_ANY     /* NaN and infinities, too */
};

enum fill_kind {
	FILL_NORMAL,         /* mean, std */
	FILL_UNIFORM,        /* in [low, high) */
	FILL_CONSTANT,       /* value */
	FILL_INDEX,          /* 0, 1, 2, ... modulo `modulo` when given */
	FILL_BLOCK_TABLE,    /* a random choice of different block numbers below `blocks` */
	FILL_SLOTS,          /* different random slot numbers below `slots`, and -1 for `padding`
				of them */
	FILL_RAGGED_LENGTHS, /* random lengths in [low, high]; with `cumulative` a leading 0 and
				their running sums */
	FILL_FUNCTION,       /* C function of `source`: void entry(double *out, int64_t n, uint64_t
				seed), behind these an int64_t for each of `values` */
	FILL_FILE            /* content of `file`, or of the problem's sets */
};

enum { FILL_MAX_VALUES = 8 };

struct fill {
	enum fill_kind kind;
	struct formula mean, std, low, high, value, modulo, blocks, slots, padding;
	bool cumulative;
	const char *source, *entry;
	struct formula values[FILL_MAX_VALUES]; /* FILL_FUNCTION: integers that it is passed */
	size_t n_values;
	const char *file;   /* FILL_FILE: of its own, relative to the workload; NULL: that of the
			       problem's set */
	const char *member; /* of that file; NULL: that of the tensor's name */
	const struct json_node *node;
};

/* What every element of an input is: a content that breaks it is refused before a launch. */
struct contents {
	struct formula low, high; /* at least `low`, less than `high`; absent: any */
	bool different;           /* no two that are not negative are equal */
	const struct json_node *node;
};

enum verify_kind {
	VERIFY_ALLCLOSE,    /* |out - ref| <= atol + rtol * |ref| for every element */
	VERIFY_EXACT,       /* equal bytes; NaN equals NaN */
	VERIFY_DISTRIBUTION /* two-sample Kolmogorov-Smirnov test against the reference, refused
			       below `p` */
};

struct tolerance {
	enum dtype dtype;
	struct formula atol, rtol;
};

struct verify {
	enum verify_kind kind;
	struct tolerance *tolerances; /* per dtype, for ALLCLOSE */
	size_t n_tolerances;
	double p; /* DISTRIBUTION; default 1e-6 */
	const struct json_node *node;
};

struct tensor {
	const char *name;
	struct formula shape[WORKLOAD_MAX_RANK];
	size_t rank;
	const char *dtype; /* a dtype, or a dtype variable of the problems */
	enum tensor_role role;
	enum tensor_place place;
	struct formula strides[WORKLOAD_MAX_RANK]; /* in elements; none: one element after another
						    */
	size_t n_strides;
	struct formula offset;    /* elements from where its memory begins; absent: 0 */
	const char *shares;       /* name of the tensor whose memory it lies in; NULL: its own */
	struct formula shared;    /* "shares_if": a condition; false: its own memory all the same */
	size_t owner;             /* index of that tensor, or its own */
	struct formula present;   /* "optional": a condition; false: the tensor is absent and a null
				     pointer is passed */
	struct name_list devices; /* device classes where an input is made; absent elsewhere */
	struct fill fill;         /* in and inout */
	struct contents contents; /* in and inout */
	struct domain {           /* in and inout */
		enum tensor_domain kind;
		double low, high;             /* DOMAIN_RANGE */
		const struct json_node *node; /* NULL: DOMAIN_FILL, for the file says nothing */
	} domain;
	struct verify verify; /* out and inout */
	const struct json_node *node;
};

enum argument_kind {
	ARG_TENSOR,
	ARG_SCALAR,
	ARG_SCRATCH,
	ARG_TENSOR_MAP,
	ARG_BUILTIN,
	/* Arguments of functions of libraries alone (builders vendor and python). */
	ARG_TEXT,
	ARG_LIST, /* integers */
	ARG_NULL
};
enum builtin {
	BUILTIN_BLOCK_X,
	BUILTIN_BLOCK_Y,
	BUILTIN_BLOCK_Z,
	BUILTIN_THREAD,
	BUILTIN_THREADS,
	BUILTIN_BLOCKS, /* not of one call: a plain number when the launch is planned */
	BUILTIN_STREAM  /* builder python: address of the device's queue; 0 on a CPU */
};

struct argument {
	enum argument_kind kind;
	const char *tensor_name; /* TENSOR, TENSOR_MAP, as in the file */
	size_t tensor;           /* TENSOR, TENSOR_MAP: index into the workload's tensors, then into
				    the implementation's scratch tensors */
	struct formula scalar;   /* SCALAR */
	enum dtype scalar_type;  /* SCALAR */
	struct formula bytes;    /* SCRATCH: size of the whole buffer */
	enum builtin builtin;    /* BUILTIN: how many blocks the grid has before it is folded; for
				    the CPU: which call of the grid this is, and which of how many
				    threads makes it */
	struct formula sizes[WORKLOAD_MAX_RANK]; /* TENSOR: shape of a view; TENSOR_MAP: box; LIST:
						    its numbers */
	size_t rank;                             /* number of them */
	/* TENSOR: a view of the tensor, from its first element on; false: the tensor as it is. */
	bool is_view;
	struct formula strides[WORKLOAD_MAX_RANK]; /* in elements; none: one element after another
						    */
	size_t n_strides;
	struct formula offset; /* in elements; absent: 0 */
	const char *swizzle;   /* TENSOR_MAP: none, 32B, 64B, 128B */
	const char *text;      /* TEXT */
	const char *name;      /* keyword that it is passed by; NULL: by its place */
	const struct json_node *node;
};

const char *builtin_name(enum builtin b); /* "block_x", as in the file */

/* Appends the argument's name in messages: `tensor x`, `scalar N / 2`, `builtin block_x`. */
void argument_print(const struct argument *a, struct buf *out);

struct launch {
	struct formula grid[3], block[3]; /* absent: 1 */
	struct formula shared;            /* dynamic shared memory, bytes; absent: 0 */
	struct formula threads;           /* CPU threads that share the grid's calls; absent: 1 */
	struct formula cluster[3];        /* blocks of a cluster; absent: 1 */
	struct formula cooperative;       /* not 0: all blocks run at once; absent: 0 */
	const struct json_node *node;
};

struct per_device { /* one name for all classes of device, or one for some of them */
	struct {
		const char *device, *name; /* device NULL: all */
	} list[4];
	size_t n;
};

struct baseline_names { /* implementations that others are compared with, the control first: for all
			   classes of device, or for some of them */
	struct {
		const char *device; /* NULL: all */
		struct name_list names;
	} list[4];
	size_t n;
};

enum constant_kind {
	CONSTANT_FORMULA,
	CONSTANT_TRUTH,
	CONSTANT_NULL,
	CONSTANT_DTYPE,
	CONSTANT_TABLE /* one of the others for each configuration */
};

struct constant { /* a value that a kernel has at compile time and nobody tunes */
	const char *name;
	enum constant_kind kind;
	struct formula formula;
	bool truth;
	const char *dtype; /* a dtype, or a dtype variable of the problems */
	const char *table; /* name of one of the implementation's tables */
	const struct json_node *node;
};

enum table_key { TABLE_BY_PROBLEM, TABLE_BY_DIMENSION, TABLE_BY_PARAMETER };

struct table_column {
	const char *name;
	enum table_key kind;
	size_t parameter; /* BY_PARAMETER: index into the implementation's parameters */
};

/* Values by table: a name in the implementation's formulas, with a value for each combination of
 * problem, dimensions and parameters that is listed. */
struct value_table {
	const char *name;
	size_t number;       /* among the tables of all implementations */
	struct name_list by; /* as in the file */
	const struct json_node *rows_node;
	struct table_column *columns; /* the problem, dimensions, then parameters in their order */
	size_t n_columns, n_fixed;    /* n_fixed: those of the problem and its dimensions */
	const struct value *rows;     /* n_columns cells, then the value; ascending by cells, no
					 combination twice; NULL behind a fault */
	size_t n_rows, n_ignored;     /* n_ignored: with a value that its parameter does not have */
	bool has_otherwise;
	struct value otherwise; /* of combinations that have no row */
	const struct json_node *node;
};

struct twin { /* C function that stands for a kernel of an NPU where there is none */
	const char *source, *entry;
	const struct json_node *node; /* NULL: there is none */
};

struct stood_for { /* kernel that a twin has taken the place of; source NULL: none */
	const char *source, *builder;
	struct per_device entry;
	struct name_list flags;
};

/* Verdicts of the memory planner of an NPU's compiler about variants of a kernel
 * (limits/verdict_table). */
struct kernel_verdicts {
	const char *file;            /* relative to the workload; NULL: there is none */
	struct verdict_table *table; /* in use for a target (workload_use_verdicts), the
					workload's; NULL: none */
};

/* How a Python function is called, beside its arguments. */
struct python_use {
	struct name_list names;               /* "returns", as in the file */
	size_t returns[WORKLOAD_MAX_TENSORS]; /* outputs that each call makes anew and gives back,
						 in order */
	size_t n_returns;
	bool make;                    /* the function gives back what is launched */
	bool torch;                   /* it takes tensors of PyTorch */
	const char *available;        /* function that is asked first, module:function or
					 /PATH/FILE.py:function; NULL: none */
	const struct json_node *node; /* of the call; NULL: it is of another builder */
};

struct callable { /* a function in a source file and how to call it */
	const char *source, *builder;
	struct per_device entry;
	struct argument *arguments;
	size_t n_arguments;
	struct constant *constants;
	size_t n_constants;
	struct launch launch;
	struct name_list flags;      /* further compiler flags */
	struct name_list parameters; /* parameters that it is compiled with; absent: all */
	struct twin twin;
	struct stood_for stood_for;
	struct kernel_verdicts verdicts;
	struct python_use python;
	const struct json_node *node;
};

enum parameter_stage { STAGE_BUILD, STAGE_LAUNCH };

struct parameter {
	const char *name;
	struct value *values;
	size_t n_values;
	bool has_default;
	struct value default_value; /* "default"; without one the first value */
	struct name_list devices;   /* classes where it exists; absent: everywhere */
	bool has_otherwise;
	struct value otherwise; /* its one value elsewhere; required with `devices` */
	enum parameter_stage stage;
	const struct json_node *node;
};

struct tile {
	const char *name;
	struct formula bytes;
	int64_t first, last; /* lifetime: steps, both inclusive */
};

struct memory_use {        /* of one memory space */
	const char *space; /* ub, l1, l0a, l0b, l0c, shared, onchip */
	struct formula bytes;
	struct tile *tiles; /* instead of bytes */
	size_t n_tiles;
	const struct json_node *node;
};

struct rewrite_use { /* a rewrite that the kernel is made for (workload/rewrite) */
	const struct rewrite_ops *ops;
	struct name_list parameters; /* as in the file */
	size_t pair[2];              /* ops->pair: indices into the implementation's parameters */
	const struct json_node *node;
};

struct implementation {
	const char *name;
	int64_t index; /* the operator library's implementation_index; -1: none */
	struct name_list devices;
	struct formula when;                       /* problems it covers; absent: all */
	struct callable calls[WORKLOAD_MAX_CALLS]; /* run in order, as one launch */
	size_t n_calls;
	struct tensor *scratch; /* between the calls: a name, a shape of parameters too, a dtype */
	size_t n_scratch;
	struct parameter *parameters;
	size_t n_parameters;
	struct formula *constraints;
	size_t n_constraints;
	struct memory_use *memory;
	size_t n_memory;
	struct rewrite_use *rewrites;
	size_t n_rewrites;
	struct value_table *tables;
	size_t n_tables;
	const char *first;       /* table of the configurations that are tried first, or NULL */
	const char *unsupported; /* why asctune cannot call it: it has no calls; NULL: it can */
	const struct json_node *node;
};

/* Source of the numbers that outputs are compared with. */
enum reference_kind {
	REFERENCE_NONE,
	REFERENCE_FUNCTION,      /* a C function computes it in double precision */
	REFERENCE_CONFIGURATION, /* what the program's configuration computes: the default of the
				    first implementation that covers the problem */
	REFERENCE_FILES          /* recorded outputs; where there are none, as CONFIGURATION */
};

struct workload {
	struct json_doc *doc;
	char *path;     /* absolute */
	char *folder;   /* where sources are looked up */
	char hash[33];  /* of the file's bytes */
	bool untrusted; /* nothing outside of `folder` is read for it (tune/evaluate/untrusted); the
			 * caller's
			 */
	const char *name, *operator_name, *description;
	struct problem *problems;
	size_t n_problems;
	struct tensor *tensors;
	size_t n_tensors;
	struct formula *requirements; /* "requires": conditions that every problem meets */
	size_t n_requirements;
	struct name_list varies; /* sizes that kernels are to serve at other values, too */
	struct formula flops, bytes;
	struct {
		struct formula bytes, flops;
	} least; /* "least": work that no launch does with less; without text: not stated */
	enum reference_kind reference_kind;
	struct callable reference; /* FUNCTION: all tensors as double; CPU, builder cc */
	struct device_reference {
		const char *device; /* class; borrowed static */
		struct callable call;
	} references_on[2]; /* the same computed by a device, faster; held to the one above */
	size_t n_references_on;
	struct baseline_names baselines;
	const char *cache; /* "cold" or "hot": what launches find in the caches, unless the command
			      says; NULL: cold */
	struct implementation *implementations;
	size_t n_implementations;
	const struct implementation *unsupported; /* of the library's, those that cannot be
						     called: a name, an index, devices and the
						     reason; nothing else looks at them */
	size_t n_unsupported;
	const struct json_node *exports; /* "export": per library an object of names, or NULL */
	bool deterministic;   /* a configuration whose launches leave other bits is wrong */
	double threshold_pct; /* "track": the least step that its nights have to detect; 0: not
				 stated */
};

/* Keys of what the database keeps beside the names of libraries: {"threshold": 5}, and where the
 * kernel's text was cut out, {"kernel", "package", "version", "digest"}; and implementations that
 * cannot be called, [{"name", "index", "devices", "reason"}, ...]; and the names of those that are
 * Python functions, as the library's own users call it. No library has such a name.
 */
#define WORKLOAD_TRACK_KEY       "$track"
#define WORKLOAD_ORIGIN_KEY      "$source"
#define WORKLOAD_UNSUPPORTED_KEY "$unsupported"
#define WORKLOAD_PYTHON_KEY      "$python"

/* Member of a workload file with that origin. */
#define WORKLOAD_ORIGIN "X-source"

/* Names that an operator library has for things: a member of "export". Texts and nodes are
 * borrowed. */
struct library_names {
	const char *op;
	const struct json_node *sizes; /* {"NAME": "DIMENSION", ...}; NULL: all dimensions, under
					  their own names */
	const struct json_node *types; /* {"NAME": "VARIABLE" or a text, ...}: a type variable
					  of the problems, or what is the same in all of them;
					  NULL: all variables, under their own names */
	const struct json_node *parameters; /* {"NAME": "PARAMETER", ...}; NULL: all parameters,
					       under their own names */
	const struct json_node *kernels; /* {"IMPLEMENTATION": "DIGEST", ...} of the library's own
					    kernels, or NULL */
	int64_t default_index; /* index that it takes by itself; -1: that of the baseline */
};
extern const struct json_spec library_names_spec;
enum asc_status library_names_read(const struct json_node *n, struct library_names *out,
				   struct asc_err *e);

/* Finds the workload's name of what a library calls `name`, by one of the objects of names; `name`
 * itself where the object is NULL or has it not, NULL where the object has no text for it. */
const char *library_names_own(const struct json_node *names, const char *name);

/* Reads `text` as what the file at `path` holds; sources are looked up beside that file. Formulas
 * are not looked at: workload_open() checks them too. Fails with the first fault of the file; *out
 * is not changed on failure. */
enum asc_status workload_parse(const char *path, const char *text, size_t len,
			       struct workload **out, struct asc_err *e);
void workload_close(struct workload *w);

/* Reads like workload_parse(), but goes on behind faults, which the document of *out gathers (to be
 * ended by json_end_gathering): ASC_OK is no proof of a sound file. *out is a workload in each case
 * but where there is no document; after a failure nothing more can be checked in it. */
enum asc_status workload_gather(const char *path, const char *text, size_t len,
				struct workload **out, struct asc_err *e);

/* Puts each twin in the place of its kernel, for the stand-in of an NPU: its builder is `twin`, and
 * `stood_for` keeps the kernel. A kernel without a twin stays what it is. */
void workload_use_twins(struct workload *w);

/* Prints the name of an implementation, "NAME (index N)" where it has an index; negative: it has
 * none. */
void implementation_print_name(const char *name, int64_t index, struct buf *out);

const struct problem *workload_find_problem(const struct workload *w, const char *name);
size_t workload_place_tensor(const struct workload *w, const char *name); /* n_tensors: none */
/* Adds the problem that `name` means, which the file has not: an entry with other sizes and types,
 * ENTRY.M4.Tf16. Pointers to problems stay valid. Formulas are not checked: workload_open_problem()
 * does. */
enum asc_status workload_add_problem(struct workload *w, const char *name, struct asc_err *e);
/* Replaces the default configuration of a problem by "NAME=VALUE,...". The problem keeps its own
 * where a parameter has not that value in an implementation that has the parameter. */
enum asc_status workload_set_default(struct workload *w, const char *problem, const char *config,
				     struct asc_err *e);
bool problem_is_called(const struct problem *p,
		       const char *name); /* its own name, or that of its ladder */
/* End of the part of a problem's name that begins here, `M4` or `PADDING0.5`: the dot before the
 * next part, which begins with a letter, or the end of the name. */
const char *problem_name_part_end(const char *part);
/* True for a dimension that has a real value in some problem of the workload: then it takes one in
 * every problem. */
bool workload_dimension_is_real(const struct workload *w, const char *dimension);
bool problem_name_is_of(const char *name, const char *wanted); /* the same by names alone, where
								  the workload is not at hand */
const struct implementation *workload_find_implementation(const struct workload *w,
							  const char *name);
/* Finds one that cannot be called; NULL: there is none of that name. */
const struct implementation *workload_find_unsupported(const struct workload *w, const char *name);
/* Appends the implementations that cannot be called on a class of device, NULL: on any, with their
 * reasons: "atb (index 1): C++ ABI; ..."; nothing where there is none. */
void workload_print_unsupported(const struct workload *w, const char *device, struct buf *out);
const struct value_table *workload_find_table(const struct implementation *i, const char *name);
/* Finds what a value of a table is as a constant: FORMULA, TRUTH, NULL or DTYPE; *dtype, of the
 * last, is a dtype or a dtype variable. */
enum constant_kind table_value_kind(struct value v, const char **dtype);
/* Finds the function that computes the reference for a class of device: its own kernel, else the C
 * function. */
const struct callable *workload_reference(const struct workload *w, const char *device);
/* Finds the tensor of an argument; `i` NULL: of a reference. */
const struct tensor *workload_find_tensor(const struct workload *w, const struct implementation *i,
					  size_t index);

/* True where the source of a call of that builder is in a file, false for a function of a vendor
 * library or an installed module. */
bool source_is_file(const char *builder, const char *source);
/* Absolute path of that file; heap string, NULL when out of memory. */
char *source_path(const struct workload *w, const char *builder, const char *source);

/* A Python function by the absolute path of its file, /PATH/FILE.py:function, or as it is where an
 * installed module has it; heap string, NULL when out of memory. */
char *python_function_absolute(const struct workload *w, const char *source);

/* True for a source whose language, implied by its suffix, has parameters as macros of C. */
bool workload_source_has_macros(const char *source);

const char *per_device_find(const struct per_device *p,
			    const char *device); /* NULL: none for that device */
const struct name_list *workload_find_baselines(const struct workload *w,
						const char *device); /* NULL: none */
const char *callable_entry(const struct callable *c,
			   const char *device);                     /* NULL: none for that device */
bool callable_is_of(const struct callable *c, const char *builder); /* false while none is known */
/* True for a function of a library, for which nothing is compiled: builders vendor and python. */
bool callable_is_library(const struct callable *c);
/* Prints the place of a member of a call for messages, "calls[1].launch"; "launch" alone where the
 * implementation is the call itself. */
void call_member_print(const struct implementation *i, size_t call, const char *member,
		       char out[CALL_MEMBER_SIZE]);
/* Adds the place of a call and its kernel, "calls[1], join", to a failure's text; nothing where the
 * implementation is the call itself. Returns the failure's status. */
enum asc_status call_wrap(const struct implementation *i, size_t call, struct asc_err *e);
/* Checks a name that users type: letters, digits, `_ . + -`. */
enum asc_status name_check(const char *name, struct asc_err *e);
/* Checks a name that formulas have: a C identifier that is no reserved word of theirs, nor of C
 * where it is a macro, too. */
enum asc_status identifier_check(const char *name, bool is_macro, struct asc_err *e);
/* Finds a parameter of an implementation; NULL: it has none of that name. */
const struct parameter *implementation_find_parameter(const struct implementation *i,
						      const char *name);
bool parameter_has_value(const struct parameter *p, struct value v);
/* The parameter's value in the default configuration of a problem. */
struct value problem_default(const struct problem *p, const struct parameter *parameter);
bool name_list_has(const struct name_list *l, const char *name); /* an absent list has everything */

extern const struct json_spec
	workload_spec; /* the whole format, for the test that holds schema.json to it */

#endif
