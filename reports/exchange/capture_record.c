/* Lines of records. Of lines about the same thing the last one counts. Which files a line may name
 * is checked here, once for all who open them. */
#include "reports/exchange/capture_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

enum {
	MAX_RECORD_BYTES = 1 << 30 /* of a process: some 300,000 problems */
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

/* A count: an integer from 0 on. */
static enum asc_status read_count(const struct json_node *n, void *out, struct asc_err *e)
{
	int64_t count;

	if (json_get_int(n, &count, e))
		return e->status;
	if (count < 0)
		return json_fail(n, e, "is %lld, expected at least 0", (long long)count);
	*(double *)out = (double)count;
	return ASC_OK;
}

/* A time, from 0 to `CAPTURE_MOST`. */
static enum asc_status read_time(const struct json_node *n, void *out, struct asc_err *e)
{
	const enum json_type type = json_type(n);
	struct value v;

	if (type != JSON_INT && json_expect(n, JSON_REAL, e))
		return e->status;
	if (json_get_value(n, &v, e))
		return e->status;
	*(double *)out = value_as_real(v);
	if (!(*(double *)out >= 0 && *(double *)out <= CAPTURE_MOST))
		return json_fail(n, e, "is %.17g, expected a time from 0 to 2^53", *(double *)out);
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

/* Checks that these members, those that there are, are objects, or null: their own are found by
 * name.
 */
static enum asc_status check_objects(const struct json_node *n, const char *const *members,
				     struct asc_err *e)
{
	for (; *members; members++) {
		const struct json_node *m = json_find(n, *members);

		if (m && json_type(m) != JSON_NULL && json_expect(m, JSON_OBJECT, e))
			return e->status;
	}
	return ASC_OK;
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

/* Checks the list of configurations, which are found by names of parameters. */
static enum asc_status check_tuner(const struct json_node *tuner, struct asc_err *e)
{
	const struct json_node *configs = json_find(tuner, "configs");

	if (configs && json_expect(configs, JSON_ARRAY, e))
		return e->status;
	for (const struct json_node *n = json_first(configs); n; n = json_next(n))
		if (json_expect(n, JSON_OBJECT, e))
			return e->status;
	return ASC_OK;
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
	    json_get_int(json_find(line, "kernel"), &own.number, e) || check_tuner(own.is.tuner, e))
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

/* Finds the first of n elements, of `size` bytes, whose number is not below `number`; n: there is
 * none. Elements begin with their numbers, and are in the order of these. */
static size_t find_place(const void *list, size_t n, size_t size, int64_t number)
{
	size_t from = 0;

	while (from < n) {
		const size_t middle = from + (n - from) / 2;
		int64_t have;

		memcpy(&have, (const char *)list + middle * size, sizeof have);
		if (have < number)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

/* Finds the kernel that this process gave the number. */
static struct own_kernel *find_kernel(const struct record *r, const struct json_node *n,
				      struct asc_err *e)
{
	int64_t number = 0;

	if (json_get_int(n, &number, e))
		return NULL;
	const size_t at = find_place(r->kernels, r->n_kernels, sizeof *r->kernels, number);

	if (at < r->n_kernels && r->kernels[at].number == number)
		return &r->kernels[at];
	json_fail(n, e, "there is no kernel %lld before it", (long long)number);
	return NULL;
}

static struct own_problem *find_problem(const struct record *r, const struct json_node *n,
					struct asc_err *e)
{
	int64_t number = 0;

	if (json_get_int(n, &number, e))
		return NULL;
	const size_t at = find_place(r->problems, r->n_problems, sizeof *r->problems, number);

	if (at < r->n_problems && r->problems[at].number == number)
		return &r->problems[at];
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

/* Checks that elements and places of a tensor can be counted, whatever is multiplied later. */
static enum asc_status check_extent(const struct json_node *n, const struct capture_argument *a,
				    struct asc_err *e)
{
	double elements = 1, farthest = (double)a->offset;

	for (size_t i = 0; i < a->rank && i < WORKLOAD_MAX_RANK; i++) {
		elements *= fmax((double)a->shape[i], 1);
		farthest += fabs((double)a->strides[i]) * fmax((double)a->shape[i], 1);
	}
	if (a->offset < 0)
		return json_fail(json_find(n, "offset"), e, "is %lld, expected at least 0",
				 (long long)a->offset);
	if (elements > CAPTURE_MOST || farthest > CAPTURE_MOST)
		return json_fail(json_find(n, "shape"), e,
				 "has elements beyond 2^53, which no memory has");
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
	if (n_strides != a->rank)
		return json_fail(n, e, "has %zu sizes and %zu strides", a->rank, n_strides);
	return check_extent(n, a, e);
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
	/* Integers beyond 2^53 and what is not finite are texts, which no workload can state. */
	if (json_type(value) == JSON_STRING)
		a->kind = CAPTURED_OTHER;
	if (a->kind == CAPTURED_NONE || a->kind == CAPTURED_OTHER)
		return ASC_OK;
	if ((a->kind == CAPTURED_TRUTH && json_expect(value, JSON_BOOL, e)) ||
	    (a->kind == CAPTURED_INT && json_expect(value, JSON_INT, e)) ||
	    (a->kind == CAPTURED_REAL && json_type(value) != JSON_INT &&
	     json_expect(value, JSON_REAL, e)))
		return e->status;
	return json_get_value(value, &a->value, e);
}

static enum asc_status read_problem(struct record *r, const struct json_node *line,
				    struct asc_err *e)
{
	static const char *const same[] = {"arguments", "key",    "options",
					   "constants", "reason", NULL};
	static const char *const objects[] = {"configuration", "widened", "options", "constants",
					      "boxes",         "grid",    "code",    NULL};
	const struct own_kernel *kernel = find_kernel(r, json_find(line, "kernel"), e);
	const struct json_node *reason = json_find(line, "reason");
	const struct json_node *ttir = json_find(json_find(line, "code"), "ttir");
	const struct json_node *ptx = json_find(json_find(line, "code"), "ptx");
	struct own_problem own = {.is.node = line};
	struct capture_problem *p = &own.is;
	size_t at;

	if (!kernel || json_get_int(json_find(line, "problem"), &own.number, e) ||
	    check_objects(line, objects, e))
		return e->status;
	/* A reason may be found later: then the line comes again. */
	at = find_place(r->problems, r->n_problems, sizeof *r->problems, own.number);
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
	/* Counts and sets of the problem before this line stay. */
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
		{"calls", JSON_AS_CUSTOM, true, AT(capture_problem, calls), read_count, NULL},
		{"timed", JSON_AS_CUSTOM, true, AT(capture_problem, timed), read_count, NULL},
		{"time_ns", JSON_AS_CUSTOM, true, AT(capture_problem, time_ns), read_time, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"seen", fields};
	struct own_problem *p = find_problem(r, json_find(line, "seen"), e);

	return p ? json_read_object(line, &spec, &p->is, e) : e->status;
}

static enum asc_status read_tuned(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"seconds", JSON_AS_CUSTOM, true, AT(capture_kernel, tuned_s), read_time, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"tuned", fields};
	struct own_kernel *k = find_kernel(r, json_find(line, "tuned"), e);

	return k ? json_read_object(line, &spec, &k->is, e) : e->status;
}

/* Reads the ranges of tensors, {NAME: [LOW, HIGH, MEAN, STD], ...}; null: one without a number that
 * is finite. */
static enum asc_status read_ranges(const struct json_node *ranges, void *out, struct asc_err *e)
{
	*(const struct json_node **)out = ranges;
	if (json_type(ranges) != JSON_NULL && json_expect(ranges, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *n = json_first(ranges); n; n = json_next(n)) {
		const struct json_node *i = json_first(n);
		double is[4];
		size_t k = 0;

		if (json_type(n) == JSON_NULL)
			continue;
		for (; i && k < 4 && (json_type(i) == JSON_INT || json_type(i) == JSON_REAL);
		     i = json_next(i)) {
			struct value v;

			(void)json_get_value(i, &v, e);
			is[k++] = value_as_real(v);
		}
		if (i || k < 4 || !(is[0] <= is[1]) || is[3] < 0)
			return json_fail(n, e,
					 "expected the least number, the largest, mean and "
					 "deviation");
	}
	return ASC_OK;
}

static enum asc_status read_set(struct record *r, const struct json_node *line, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"file", JSON_AS_CUSTOM, true, AT(capture_set, file), read_path, NULL},
		{"before", JSON_AS_NODE, false, AT(capture_set, before), NULL, NULL},
		{"after", JSON_AS_NODE, false, AT(capture_set, after), NULL, NULL},
		{"ranges", JSON_AS_CUSTOM, false, AT(capture_set, ranges), read_ranges, NULL},
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
	/* One without a file is of a launch that nothing could be copied of: it makes room. */
	if (at == CAPTURE_SETS && !set.file)
		return ASC_OK;
	for (size_t i = 0; i < CAPTURE_SETS && at == CAPTURE_SETS; i++)
		if (!p->is.sets[i].file)
			at = i;
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
		{"calls", JSON_AS_CUSTOM, true, AT(capture_skipped, calls), read_count, NULL},
		OTHERS,
		{0}};
	static const struct json_spec spec = {"skipped", fields};
	static const char *const same[] = {"skipped", "reason", NULL};
	struct capture_skipped skipped = {0};

	if (json_read_object(line, &spec, &skipped, e))
		return e->status;
	skipped.key = make_key(r->c, line, same, e);
	const uint32_t at = skipped.key ? symbols_add(&r->skips, skipped.key) : SYMBOL_NONE;

	if (at == SYMBOL_NONE ||
	    !array_room(&r->skipped, at, &r->skipped_capacity, sizeof *r->skipped))
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
	if (!array_room(&c->docs, c->n_docs, &c->docs_capacity, sizeof(struct json_doc *))) {
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

/* True for the begin of an object that is no JSON, as a full disk leaves it. JSON with a number
 * that is refused is another fault: the recorder writes none. */
static bool is_torn(const char *line, size_t len)
{
	struct json_doc *doc = NULL;
	struct asc_err why;
	const bool torn = json_open_gathering("", line, len, &doc, &why) == ASC_INPUT;

	json_close(doc);
	return torn;
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
		if (s == ASC_INPUT && *at == '{' && is_torn(at, (size_t)(stop - at))) {
			r->c->n_torn++;
			s = ASC_OK;
		} else {
			if (s == ASC_OK)
				s = keep_doc(r->c, doc, e);
			if (s == ASC_OK)
				s = read_line(r, json_root(doc), e);
		}
		at = stop + 1;
	}
	return s;
}

enum asc_status capture_record_read(struct capture *c, const char *path, struct record *out,
				    struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = file_read(path, MAX_RECORD_BYTES, &text, e);

	*out = (struct record){.c = c};
	if (s == ASC_OK)
		s = read_lines(out, path, &text, e);
	buf_fini(&text);
	return s;
}

void capture_record_fini(struct record *r)
{
	free(r->kernels);
	free(r->problems);
	free(r->skipped);
	symbols_fini(&r->skips);
	*r = (struct record){0};
}
