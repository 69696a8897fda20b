/* Records of processes, merged.
 *
 * A file has the lines of one process, whose numbers of kernels and problems are its own. A kernel
 * or problem that an earlier file had is that one: its calls and times are added. Of lines about
 * the same thing the last one counts, so these are added when the file has been read. Which paths a
 * line may name is checked here, once for all who open them. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/exchange/capture.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

enum {
	MAX_RECORD_BYTES = 1 << 30, /* of a process: some 300,000 problems */
	MAX_KERNELS = 10000,        /* of a program: each is compared with all */
	MAX_PROBLEMS = 100000       /* of a kernel, likewise */
};

struct own_problem {
	int64_t number;
	size_t kernel; /* in the record's */
	struct capture_problem is;
};

struct own_kernel {
	int64_t number;
	struct capture_kernel is;
};

struct record { /* of one process */
	struct capture *c;
	const struct json_node *process;
	struct own_kernel *kernels;
	size_t n_kernels, kernels_capacity;
	struct own_problem *problems;
	size_t n_problems, problems_capacity;
	struct capture_skipped *skipped;
	size_t n_skipped, skipped_capacity;
};

/* ---- members of lines ---- */

static enum asc_status read_text_or_null(const struct json_node *n, void *out, struct asc_err *e)
{
	return json_type(n) == JSON_NULL ? ASC_OK : json_get_string(n, out, e);
}

static enum asc_status read_node_or_null(const struct json_node *n, void *out, struct asc_err *e)
{
	(void)e;
	*(const struct json_node **)out = json_type(n) == JSON_NULL ? NULL : n;
	return ASC_OK;
}

/* A file of the folder's: FOLDER/NAME with one of the recorder's folders, and no way out of it. */
static enum asc_status read_path(const struct json_node *n, void *out, struct asc_err *e)
{
	static const char *const folders[] = {"kernels/", "code/", "data/"};
	const char *path = NULL;

	if (json_type(n) == JSON_NULL)
		return ASC_OK;
	if (json_get_string(n, &path, e))
		return e->status;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		const size_t len = strlen(folders[i]);

		if (strncmp(path, folders[i], len) == 0 && path[len] && path[len] != '.' &&
		    !strchr(path + len, '/')) {
			*(const char **)out = path;
			return ASC_OK;
		}
	}
	return json_fail(n, e, "\"%s\" is no file of the recorder's", path);
}

#define AT(type, member) offsetof(struct type, member)
#define OTHERS                                                                                     \
	{                                                                                          \
		JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL                                    \
	}

/* ---- kernels ---- */

static enum asc_status read_parameter(const struct json_node *n, void *out, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, AT(capture_parameter, name), NULL, NULL},
		{"constexpr", JSON_AS_BOOL, true, AT(capture_parameter, is_constexpr), NULL, NULL},
		{"annotation", JSON_AS_CUSTOM, false, AT(capture_parameter, annotation),
		 read_text_or_null, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"parameter", fields};

	return json_read_object(n, &spec, out, e);
}

static enum asc_status read_parameters(const struct json_node *n, void *out, struct asc_err *e)
{
	struct capture_parameter **list = out;
	size_t count;

	/* Beside the list's own place: the count is found again by the zeroed record at its end. */
	*list = json_read_list(n, sizeof **list, read_parameter, &count, e);
	return *list ? ASC_OK : e->status;
}

/* A text of those members that make two things of two processes the same. */
static const char *make_key(struct capture *c, const struct json_node *n,
			    const char *const *members, struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {.out = &text};
	const char *key = NULL;

	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; members[i]; i++)
		if (json_find(n, members[i]))
			json_write_node(&w, members[i], json_find(n, members[i]));
	json_write_end(&w, '}');
	if (buf_check(&text, e) == ASC_OK && !(key = arena_copy(&c->arena, buf_str(&text))))
		asc_err_nomem(e);
	buf_fini(&text);
	return key;
}

static enum asc_status read_kernel(struct record *r, const struct json_node *line,
				   struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"kernel", JSON_IGNORED, true, 0, NULL, NULL},
		{"name", JSON_AS_STRING, true, AT(capture_kernel, name), NULL, NULL},
		{"module", JSON_AS_STRING, true, AT(capture_kernel, module), NULL, NULL},
		{"entry", JSON_AS_STRING, true, AT(capture_kernel, entry), NULL, NULL},
		{"digest", JSON_AS_CUSTOM, false, AT(capture_kernel, digest), read_text_or_null,
		 NULL},
		{"package", JSON_AS_CUSTOM, false, AT(capture_kernel, package), read_text_or_null,
		 NULL},
		{"version", JSON_AS_CUSTOM, false, AT(capture_kernel, version), read_text_or_null,
		 NULL},
		{"source", JSON_AS_CUSTOM, false, AT(capture_kernel, source), read_path, NULL},
		{"reason", JSON_AS_CUSTOM, false, AT(capture_kernel, reason), read_text_or_null,
		 NULL},
		{"parameters", JSON_AS_CUSTOM, true, AT(capture_kernel, parameters),
		 read_parameters, NULL},
		{"tuner", JSON_AS_CUSTOM, false, AT(capture_kernel, tuner), read_node_or_null,
		 NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"kernel", fields};
	static const char *const same[] = {"name",   "module",     "entry", "digest",
					   "source", "parameters", "tuner", NULL};
	struct own_kernel own = {0};

	if (json_read_object(line, &spec, &own.is, e) ||
	    json_get_int(json_find(line, "kernel"), &own.number, e))
		return e->status;
	if (r->n_kernels > 0 && own.number <= r->kernels[r->n_kernels - 1].number)
		return json_fail(line, e, "kernel %lld is not after the one before",
				 (long long)own.number);
	if (!array_room(&r->kernels, r->n_kernels, &r->kernels_capacity, sizeof *r->kernels))
		return asc_err_nomem(e);
	while (own.is.parameters[own.is.n_parameters].name)
		own.is.n_parameters++;
	own.is.key = make_key(r->c, line, same, e);
	r->kernels[r->n_kernels++] = own;
	return own.is.key ? ASC_OK : e->status;
}

/* Finds what this process has numbered so; lists are in the order of numbers, and most lines are
 * about the newest. */
static struct own_kernel *find_kernel(const struct record *r, const struct json_node *n,
				      struct asc_err *e)
{
	int64_t number = 0;

	if (json_get_int(n, &number, e))
		return NULL;
	for (size_t i = r->n_kernels; i-- > 0 && r->kernels[i].number >= number;)
		if (r->kernels[i].number == number)
			return &r->kernels[i];
	json_fail(n, e, "there is no kernel %lld before it", (long long)number);
	return NULL;
}

static struct own_problem *find_problem(const struct record *r, const struct json_node *n,
					struct asc_err *e)
{
	int64_t number = 0;

	if (json_get_int(n, &number, e))
		return NULL;
	for (size_t i = r->n_problems; i-- > 0 && r->problems[i].number >= number;)
		if (r->problems[i].number == number)
			return &r->problems[i];
	json_fail(n, e, "there is no problem %lld before it", (long long)number);
	return NULL;
}

/* ---- problems ---- */

static enum asc_status read_number(const struct json_node *n, void *out, struct asc_err *e)
{
	return json_get_int(n, out, e);
}

/* Reads sizes of a tensor; *n is their number, also beyond what there is room for. */
static enum asc_status read_numbers(const struct json_node *n, int64_t *out, size_t *count,
				    struct asc_err *e)
{
	const int64_t *list = json_read_list(n, sizeof *list, read_number, count, e);

	if (!list)
		return e->status;
	for (size_t i = 0; i < *count && i < WORKLOAD_MAX_RANK; i++)
		out[i] = list[i];
	return ASC_OK;
}

static enum asc_status read_tensor(const struct json_node *n, struct capture_argument *a,
				   struct asc_err *e)
{
	size_t n_strides = 0;

	if (json_get_string(json_find(n, "tensor"), &a->type, e) ||
	    read_numbers(json_find(n, "shape"), a->shape, &a->rank, e) ||
	    read_numbers(json_find(n, "strides"), a->strides, &n_strides, e) ||
	    json_get_int(json_find(n, "storage"), &a->storage, e) ||
	    json_get_int(json_find(n, "offset"), &a->offset, e))
		return e->status;
	return n_strides == a->rank
		       ? ASC_OK
		       : json_fail(n, e, "has %zu sizes and %zu strides", a->rank, n_strides);
}

static enum asc_status read_argument(const struct json_node *n, void *out, struct asc_err *e)
{
	static const struct {
		const char *key;
		enum capture_kind kind;
	} kinds[] = {{"tensor", CAPTURED_TENSOR}, {"descriptor", CAPTURED_DESCRIPTOR},
		     {"int", CAPTURED_INT},       {"real", CAPTURED_REAL},
		     {"truth", CAPTURED_TRUTH},   {"none", CAPTURED_NONE}};
	struct capture_argument *a = out;
	const struct json_node *value = NULL;
	const char *padding = NULL;
	size_t n_box = 0;

	if (json_expect(n, JSON_OBJECT, e) || json_get_string(json_find(n, "name"), &a->name, e))
		return e->status;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !value; i++) {
		value = json_find(n, kinds[i].key);
		a->kind = kinds[i].kind;
	}
	if (!value) {
		a->kind = CAPTURED_OTHER;
		return ASC_OK;
	}
	if (a->kind == CAPTURED_TENSOR)
		return read_tensor(n, a, e);
	if (a->kind == CAPTURED_DESCRIPTOR) {
		if (json_expect(value, JSON_OBJECT, e) || read_tensor(value, a, e) ||
		    read_numbers(json_find(n, "box"), a->box, &n_box, e))
			return e->status;
		if (json_find(n, "padding") &&
		    read_text_or_null(json_find(n, "padding"), &padding, e))
			return e->status;
		a->padded = padding && strcmp(padding, "zero") != 0;
		return n_box == a->rank
			       ? ASC_OK
			       : json_fail(n, e, "has %zu sizes and a box of %zu", a->rank, n_box);
	}
	/* Integers beyond 2^53 are texts, of problems that have a reason. */
	if (a->kind == CAPTURED_NONE || json_type(value) == JSON_STRING)
		return ASC_OK;
	return json_get_value(value, &a->value, e);
}

static enum asc_status read_problem(struct record *r, const struct json_node *line,
				    struct asc_err *e)
{
	static const char *const same[] = {"arguments", "key",    "options",
					   "constants", "reason", NULL};
	const struct own_kernel *kernel = find_kernel(r, json_find(line, "kernel"), e);
	const struct json_node *reason = json_find(line, "reason");
	const struct json_node *ttir = json_find(json_find(line, "code"), "ttir");
	const struct json_node *ptx = json_find(json_find(line, "code"), "ptx");
	struct own_problem own = {.is.node = line};
	struct capture_problem *p = &own.is;
	size_t at = r->n_problems;

	if (!kernel || json_get_int(json_find(line, "problem"), &own.number, e))
		return e->status;
	/* A reason may be found later: then the line comes again. */
	while (at > 0 && r->problems[at - 1].number >= own.number)
		at--;
	if (at < r->n_problems && r->problems[at].number != own.number)
		return json_fail(line, e, "problem %lld comes too late", (long long)own.number);
	if (!array_room(&r->problems, r->n_problems, &r->problems_capacity, sizeof *r->problems))
		return asc_err_nomem(e);
	own.kernel = (size_t)(kernel - r->kernels);
	p->arguments = json_read_list(json_find(line, "arguments"), sizeof *p->arguments,
				      read_argument, &p->n_arguments, e);
	if (!p->arguments || (reason && read_text_or_null(reason, &p->reason, e)) ||
	    (ttir && read_path(ttir, &p->ttir, e)) || (ptx && read_path(ptx, &p->ptx, e)))
		return e->status;
	p->key = make_key(r->c, line, same, e);
	if (!p->key)
		return e->status;
	if (at == r->n_problems) {
		r->problems[r->n_problems++] = own;
		return ASC_OK;
	}
	/* What was counted and saved until then is the problem's. */
	p = &r->problems[at].is;
	p->node = line;
	p->key = own.is.key;
	p->reason = own.is.reason;
	p->ttir = own.is.ttir;
	p->ptx = own.is.ptx;
	p->arguments = own.is.arguments;
	p->n_arguments = own.is.n_arguments;
	r->problems[at].kernel = own.kernel;
	return ASC_OK;
}

/* ---- what is said of these later: the last line of a kind counts ---- */

static enum asc_status read_seen(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"calls", JSON_AS_REAL, true, AT(capture_problem, calls), NULL, NULL},
		{"timed", JSON_AS_REAL, true, AT(capture_problem, timed), NULL, NULL},
		{"time_ns", JSON_AS_REAL, true, AT(capture_problem, time_ns), NULL, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"seen", fields};
	struct own_problem *p = find_problem(r, json_find(line, "seen"), e);

	return p ? json_read_object(line, &spec, &p->is, e) : e->status;
}

static enum asc_status read_tuned(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"seconds", JSON_AS_REAL, true, AT(capture_kernel, tuned_s), NULL, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"tuned", fields};
	struct own_kernel *k = find_kernel(r, json_find(line, "tuned"), e);

	return k ? json_read_object(line, &spec, &k->is, e) : e->status;
}

static enum asc_status read_set(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"file", JSON_AS_CUSTOM, true, AT(capture_set, file), read_path, NULL},
		{"before", JSON_AS_NODE, true, AT(capture_set, before), NULL, NULL},
		{"after", JSON_AS_NODE, true, AT(capture_set, after), NULL, NULL},
		{"ranges", JSON_AS_NODE, false, AT(capture_set, ranges), NULL, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"set", fields};
	struct own_problem *p = find_problem(r, json_find(line, "set"), e);
	struct capture_set set = {0};
	size_t at = 0;

	if (!p || json_read_object(line, &spec, &set, e))
		return e->status;
	/* The recorder writes a file again for a later call. */
	while (at < p->is.n_sets && !str_is_same(p->is.sets[at].file, set.file))
		at++;
	if (at == CAPTURE_SETS)
		return json_fail(line, e, "a problem has more than %d sets", CAPTURE_SETS);
	p->is.sets[at] = set;
	if (at == p->is.n_sets)
		p->is.n_sets++;
	return ASC_OK;
}

static enum asc_status read_process(struct record *r, const struct json_node *line,
				    struct asc_err *e)
{
	r->process = json_find(line, "process");
	return json_expect(r->process, JSON_OBJECT, e);
}

static enum asc_status read_skipped(struct record *r, const struct json_node *line,
				    struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"skipped", JSON_AS_STRING, true, AT(capture_skipped, name), NULL, NULL},
		{"reason", JSON_AS_STRING, true, AT(capture_skipped, reason), NULL, NULL},
		{"calls", JSON_AS_REAL, true, AT(capture_skipped, calls), NULL, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"skipped", fields};
	struct capture_skipped skipped = {0};
	size_t at = 0;

	if (json_read_object(line, &spec, &skipped, e))
		return e->status;
	while (at < r->n_skipped && strcmp(r->skipped[at].name, skipped.name) != 0)
		at++;
	if (!array_room(&r->skipped, at, &r->skipped_capacity, sizeof *r->skipped))
		return asc_err_nomem(e);
	r->skipped[at] = skipped;
	if (at == r->n_skipped)
		r->n_skipped++;
	return ASC_OK;
}

/* ---- a process ---- */

/* Keeps the document of a line until the capture is closed. */
static enum asc_status keep_doc(struct capture *c, struct json_doc *doc, struct asc_err *e)
{
	if (!array_room(&c->docs, c->n_docs, &c->docs_capacity, sizeof *c->docs)) {
		json_close(doc);
		return asc_err_nomem(e);
	}
	c->docs[c->n_docs++] = doc;
	return ASC_OK;
}

/* Lines of other kinds are a newer recorder's, and are passed over. */
static enum asc_status read_line(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct {
		const char *key; /* a problem's line has the key of its kernel, too */
		enum asc_status (*read)(struct record *, const struct json_node *,
					struct asc_err *);
	} kinds[] = {{"process", read_process}, {"problem", read_problem}, {"kernel", read_kernel},
		     {"seen", read_seen},       {"tuned", read_tuned},     {"set", read_set},
		     {"skipped", read_skipped}};

	if (json_expect(line, JSON_OBJECT, e))
		return e->status;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (json_find(line, kinds[i].key))
			return kinds[i].read(r, line, e);
	return ASC_OK;
}

static enum asc_status read_lines(struct record *r, const char *path, const struct buf *text,
				  struct asc_err *e)
{
	const char *const end = buf_str(text) + text->len;
	enum asc_status s = ASC_OK;
	size_t number = 1;

	for (const char *at = buf_str(text); at < end && s == ASC_OK; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct json_doc *doc = NULL;
		char *name;

		/* Killed in the middle of a write, or writing now. */
		if (!stop) {
			r->c->n_torn++;
			break;
		}
		name = str_print("%s line %zu", path, number);
		s = name ? json_open_text(name, at, (size_t)(stop - at), &doc, e)
			 : asc_err_nomem(e);
		free(name);
		if (s == ASC_OK)
			s = keep_doc(r->c, doc, e);
		if (s == ASC_OK)
			s = read_line(r, json_root(doc), e);
		at = stop + 1;
	}
	return s;
}

/* ---- the program: all processes ---- */

static enum asc_status merge_problem(struct capture_kernel *k, const struct capture_problem *p,
				     struct asc_err *e)
{
	struct capture_problem *known = k->problems;
	size_t at = 0;

	while (at < k->n_problems && strcmp(known[at].key, p->key) != 0)
		at++;
	if (at == MAX_PROBLEMS)
		return asc_err_set(e, ASC_INPUT, "kernel %s has more than %d problems", k->name,
				   MAX_PROBLEMS);
	if (at == k->n_problems) {
		if (!array_room(&k->problems, at, &k->capacity, sizeof *k->problems))
			return asc_err_nomem(e);
		k->problems[k->n_problems++] = *p;
		return ASC_OK;
	}
	known += at;
	known->calls += p->calls;
	known->timed += p->timed;
	known->time_ns += p->time_ns;
	for (size_t i = 0; i < p->n_sets && known->n_sets < CAPTURE_SETS; i++)
		known->sets[known->n_sets++] = p->sets[i];
	return ASC_OK;
}

static enum asc_status merge_kernel(struct capture *c, const struct record *r, size_t number,
				    struct asc_err *e)
{
	const struct capture_kernel *own = &r->kernels[number].is;
	size_t at = 0;

	while (at < c->n_kernels && strcmp(c->kernels[at].key, own->key) != 0)
		at++;
	if (at == MAX_KERNELS)
		return asc_err_set(e, ASC_INPUT, "there are more than %d kernels", MAX_KERNELS);
	if (at == c->n_kernels) {
		if (!array_room(&c->kernels, at, &c->kernels_capacity, sizeof *c->kernels))
			return asc_err_nomem(e);
		c->kernels[c->n_kernels++] = *own;
	} else {
		c->kernels[at].tuned_s += own->tuned_s;
	}
	for (size_t i = 0; i < r->n_problems; i++)
		if (r->problems[i].kernel == number &&
		    merge_problem(&c->kernels[at], &r->problems[i].is, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status merge(struct record *r, struct asc_err *e)
{
	struct capture *c = r->c;
	const struct json_node *device = json_find(r->process, "device");

	if (!c->process || (json_type(json_find(c->process, "device")) != JSON_OBJECT && device &&
			    json_type(device) == JSON_OBJECT))
		c->process = r->process ? r->process : c->process;
	for (size_t i = 0; i < r->n_kernels; i++)
		if (merge_kernel(c, r, i, e))
			return e->status;
	for (size_t i = 0; i < r->n_skipped; i++) {
		size_t at = 0;

		while (at < c->n_skipped && strcmp(c->skipped[at].name, r->skipped[i].name) != 0)
			at++;
		if (!array_room(&c->skipped, at, &c->skipped_capacity, sizeof *c->skipped))
			return asc_err_nomem(e);
		if (at == c->n_skipped)
			c->skipped[c->n_skipped++] = r->skipped[i];
		else
			c->skipped[at].calls += r->skipped[i].calls;
	}
	return ASC_OK;
}

static enum asc_status read_file(struct capture *c, const char *path, struct asc_err *e)
{
	struct record r = {.c = c};
	struct buf text = {0};
	enum asc_status s = file_read(path, MAX_RECORD_BYTES, &text, e);

	if (s == ASC_OK)
		s = read_lines(&r, path, &text, e);
	if (s == ASC_OK)
		s = merge(&r, e);
	buf_fini(&text);
	free(r.kernels);
	free(r.problems);
	free(r.skipped);
	return s;
}

double capture_problem_ns(const struct capture_problem *p)
{
	return p->timed > 0 ? p->time_ns / p->timed * p->calls : 0;
}

double capture_kernel_ns(const struct capture_kernel *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n_problems; i++)
		sum += capture_problem_ns(&k->problems[i]);
	return sum;
}

double capture_kernel_calls(const struct capture_kernel *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n_problems; i++)
		sum += k->problems[i].calls;
	return sum;
}

/* Most time first, then most calls; the key makes the order the same in every process. */
static int compare(double a_ns, double b_ns, double a_calls, double b_calls, const char *a_key,
		   const char *b_key)
{
	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	if (a_calls != b_calls)
		return a_calls > b_calls ? -1 : 1;
	return strcmp(a_key, b_key);
}

static int compare_problems(const void *left, const void *right)
{
	const struct capture_problem *a = left, *b = right;

	return compare(capture_problem_ns(a), capture_problem_ns(b), a->calls, b->calls, a->key,
		       b->key);
}

static int compare_kernels(const void *left, const void *right)
{
	const struct capture_kernel *a = left, *b = right;

	return compare(capture_kernel_ns(a), capture_kernel_ns(b), capture_kernel_calls(a),
		       capture_kernel_calls(b), a->key, b->key);
}

static int is_record(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && dot && strcmp(dot, ".jsonl") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return str_compare_natural((*a)->d_name, (*b)->d_name);
}

static enum asc_status read_files(struct capture *c, struct asc_err *e)
{
	char *records = path_join(c->folder, "records");
	struct dirent **entries = NULL;
	const int n = records ? scandir(records, &entries, is_record, compare_names) : 0;
	enum asc_status s = records ? ASC_OK : asc_err_nomem(e);

	if (n < 0)
		s = errno == ENOENT || errno == ENOTDIR
			    ? asc_err_set(e, ASC_NOTFOUND, "%s has no records", c->folder)
			    : asc_err_set(e, ASC_IO, "cannot read %s: %s", records,
					  strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = path_join(records, entries[i]->d_name);

		if (s == ASC_OK)
			s = path ? read_file(c, path, e) : asc_err_nomem(e);
		c->n_files++;
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(records);
	return s;
}

/* Puts sets whose file is there first; of one whose file was removed the ranges are left. */
static enum asc_status find_files(const struct capture *c, struct capture_problem *p,
				  struct asc_err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sets; i++) {
		struct capture_set set = p->sets[i];
		char *path = set.file ? path_join(c->folder, set.file) : NULL;

		if (set.file && !path)
			return asc_err_nomem(e);
		if (path && !file_exists(path))
			set.file = p->sets[i].file = NULL;
		free(path);
		if (!set.file)
			continue;
		memmove(p->sets + n + 1, p->sets + n, (i - n) * sizeof set);
		p->sets[n++] = set;
	}
	/* Beside whole sets those without a file say nothing. */
	if (n > 0)
		p->n_sets = n;
	return ASC_OK;
}

enum asc_status capture_open(const char *folder, struct capture **out, struct asc_err *e)
{
	struct capture *c = calloc(1, sizeof *c);
	enum asc_status s;

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->folder = str_dup(folder);
	s = c->folder ? read_files(c, e) : asc_err_nomem(e);
	for (size_t i = 0; i < c->n_kernels && s == ASC_OK; i++)
		for (size_t k = 0; k < c->kernels[i].n_problems && s == ASC_OK; k++)
			s = find_files(c, &c->kernels[i].problems[k], e);
	if (s != ASC_OK) {
		capture_close(c);
		return s;
	}
	for (size_t i = 0; i < c->n_kernels; i++)
		if (c->kernels[i].n_problems > 0)
			qsort(c->kernels[i].problems, c->kernels[i].n_problems,
			      sizeof *c->kernels->problems, compare_problems);
	if (c->n_kernels > 0)
		qsort(c->kernels, c->n_kernels, sizeof *c->kernels, compare_kernels);
	*out = c;
	return ASC_OK;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_kernels; i++)
		free(c->kernels[i].problems);
	free(c->kernels);
	free(c->skipped);
	for (size_t i = 0; i < c->n_docs; i++)
		json_close(c->docs[i]);
	free(c->docs);
	arena_fini(&c->arena);
	free(c->folder);
	free(c);
}
