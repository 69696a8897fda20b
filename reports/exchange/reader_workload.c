#include "reports/exchange/reader_workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune.h"
#include "reports/exchange/reader_kernel.h"
#include "tuner/base/axes.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/skeleton.h"

/* ---- sizes and type ---- */

static enum asc_status read_size(const struct axis *a, const char *text, int64_t *out,
				 struct asc_err *e)
{
	struct value v;

	if (!value_parse(text, strlen(text), &v) || v.kind != VALUE_INT || v.i < 1 ||
	    v.i > INT32_MAX)
		return asc_err_set(e, ASC_USAGE,
				   "--set %s=%s: expected an integer from 1 to 2^31 - 1", a->name,
				   text);
	*out = v.i;
	return ASC_OK;
}

static enum asc_status read_rows(const struct axis *a, struct reader_layer *l, struct asc_err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		int64_t row = 0; /* gcc at -O3 misses that a failure is never ASC_OK */

		if (read_size(a, a->values[i], &row, e))
			return e->status;
		for (size_t k = 0; k < l->n_rows; k++)
			if (l->rows[k] == row)
				return asc_err_set(e, ASC_USAGE,
						   "--set %s: %" PRId64 " is given twice", a->name,
						   row);
		l->rows[l->n_rows++] = row;
	}
	return ASC_OK;
}

static enum asc_status read_type(const struct reader_kernel *k, const struct axis *a,
				 struct reader_layer *l, struct asc_err *e)
{
	struct buf types = {0};

	for (const struct reader_type *t = k->types; t->name; t++) {
		if (strcmp(t->name, a->values[0]) == 0)
			l->type = *t;
		buf_print(&types, "%s%s", t == k->types ? "" : t[1].name ? ", " : " or ", t->name);
	}
	if (!l->type.name)
		(void)asc_err_set(e, ASC_USAGE, "--set dtype=%s: %s takes %s", a->values[0],
				  k->reader->name, buf_str(&types));
	buf_fini(&types);
	return l->type.name ? ASC_OK : e->status;
}

static enum asc_status read_axis(const struct reader_kernel *k, const struct axis *a,
				 struct reader_layer *l, struct asc_err *e)
{
	const char *names[READER_MAX_SIZES + 3] = {0};
	size_t n = 0;

	while (k->sizes[n] && strcmp(k->sizes[n], a->name) != 0) {
		names[n] = k->sizes[n];
		n++;
	}
	if (strcmp(a->name, k->reader->row_size) == 0)
		return read_rows(a, l, e);
	if (a->n > 1)
		return asc_err_set(e, ASC_USAGE, "--set %s: one value at a time", a->name);
	if (k->sizes[n])
		return read_size(a, a->values[0], &l->sizes[n], e);
	if (strcmp(a->name, "dtype") == 0)
		return read_type(k, a, l, e);
	names[n++] = k->reader->row_size;
	names[n++] = "dtype";
	const char *nearest = str_nearest(a->name, names);

	return nearest ? asc_err_set(e, ASC_USAGE, "--set: %s has no \"%s\" (did you mean \"%s\"?)",
				     k->reader->name, a->name, nearest)
		       : asc_err_set(e, ASC_USAGE, "--set: %s has no \"%s\"; expected %s",
				     k->reader->name, a->name, k->example);
}

/* Reads all that the axes say; rows that are not given are those of the library's files. */
static enum asc_status read_layer(const struct reader_kernel *k, const struct axes *sizes,
				  struct reader_layer *l, struct asc_err *e)
{
	const char *missing = NULL;

	for (size_t i = 0; i < sizes->n; i++)
		if (read_axis(k, &sizes->list[i], l, e))
			return e->status;
	for (size_t i = 0; i < k->n_needed; i++)
		if (l->sizes[i] == 0 && !missing)
			missing = k->sizes[i];
	if (!missing && !l->type.name)
		missing = "dtype";
	if (missing)
		return asc_err_set(e, ASC_USAGE, "--set: %s is not given, expected %s", missing,
				   k->example);
	if (k->most_experts) {
		l->n_experts = (size_t)l->sizes[READER_PLACE_E];
		l->top_k = l->sizes[READER_PLACE_TOP_K];
	}
	if (l->n_rows == 0)
		for (const int64_t *row = k->reader->ladder; *row; row++)
			l->rows[l->n_rows++] = *row;
	return k->check(k, l, e);
}

/* ---- routing ---- */

static enum asc_status add_tokens(const char *path, struct value v, size_t *n,
				  const struct reader_layer *l, struct asc_err *e)
{
	char text[VALUE_TEXT_MAX + 4];

	if (*n < l->n_experts)
		l->tokens[*n] = value_as_real(v);
	++*n;
	if (v.kind != VALUE_BOOL && isfinite(value_as_real(v)) && value_as_real(v) >= 0)
		return ASC_OK;
	value_print(v, text, sizeof text);
	return asc_err_set(e, ASC_INPUT,
			   "%s: number %zu is %s, expected tokens of an expert, 0 or more", path,
			   *n, text);
}

static enum asc_status read_list(const char *path, const struct buf *text,
				 const struct reader_layer *l, size_t *n, struct asc_err *e)
{
	struct json_doc *doc;
	struct value v;

	if (json_open_text(path, buf_str(text), text->len, &doc, e))
		return e->status;
	enum asc_status s = json_expect(json_root(doc), JSON_ARRAY, e);
	const struct json_node *node = s == ASC_OK ? json_first(json_root(doc)) : NULL;

	for (; node && s == ASC_OK; node = json_next(node)) {
		s = json_get_value(node, &v, e);
		if (s == ASC_OK)
			s = add_tokens(path, v, n, l, e);
	}
	json_close(doc);
	return s;
}

static enum asc_status read_words(const char *path, struct buf *text, const struct reader_layer *l,
				  size_t *n, struct asc_err *e)
{
	char *rest = text->data, *word;
	struct value v;

	while ((word = strsep(&rest, ", \t\r\n"))) {
		if (!*word)
			continue;
		if (!value_parse(word, strlen(word), &v))
			return asc_err_set(e, ASC_INPUT,
					   "%s: number %zu is \"%.40s\", expected tokens of an "
					   "expert, 0 or more",
					   path, *n + 1, word);
		if (add_tokens(path, v, n, l, e))
			return e->status;
	}
	return ASC_OK;
}

/* Checks that different experts can be drawn for each token: none has more than all tokens. */
static enum asc_status check_tokens(const char *path, const struct reader_layer *l, size_t n,
				    struct asc_err *e)
{
	double sum = 0;

	if (n != l->n_experts)
		return asc_err_set(e, ASC_INPUT,
				   "%s has %zu number%s, expected one for each of E=%zu", path, n,
				   n == 1 ? "" : "s", l->n_experts);
	for (size_t i = 0; i < n; i++)
		sum += l->tokens[i];
	if (sum <= 0 || !isfinite(sum))
		return asc_err_set(e, ASC_INPUT,
				   "%s: the sum of its numbers is %g, expected tokens", path, sum);
	for (size_t i = 0; i < n; i++)
		/* Shares that were printed are rounded: routing.c leaves out what is too much. */
		if (l->tokens[i] * (double)l->top_k > sum * 1.01)
			return asc_err_set(e, ASC_INPUT,
					   "%s: expert %zu has %.3g of the sum; with top_k=%" PRId64
					   " different experts for a token it has at most %.3g",
					   path, i, l->tokens[i] / sum, l->top_k,
					   1 / (double)l->top_k);
	return ASC_OK;
}

/* Reads how many tokens each expert has, as a list of JSON or as words; NULL: all as many. */
static enum asc_status read_routing(const struct reader_kernel *k, const char *path,
				    struct reader_layer *l, struct asc_err *e)
{
	enum { MOST_BYTES = 1 << 20 };
	struct buf text = {0};
	size_t n = 0;

	if (l->n_experts == 0)
		return path ? asc_err_set(e, ASC_USAGE, "--routing: %s has no experts",
					  k->reader->name)
			    : ASC_OK;
	l->tokens = malloc(l->n_experts * sizeof *l->tokens);
	if (!l->tokens)
		return asc_err_nomem(e);
	for (size_t i = 0; i < l->n_experts; i++)
		l->tokens[i] = 1;
	if (!path)
		return ASC_OK;
	enum asc_status s = file_read(path, MOST_BYTES, &text, e);
	const size_t blanks = s ? 0 : strspn(buf_str(&text), " \t\r\n");

	if (s == ASC_OK)
		s = strchr("[{", buf_str(&text)[blanks]) && text.len > blanks
			    ? read_list(path, &text, l, &n, e)
			    : read_words(path, &text, l, &n, e);
	buf_fini(&text);
	return s ? s : check_tokens(path, l, n, e);
}

/* ---- the kernel ---- */

/* Holds the kernel's parameters to those that the launches of the workload pass. */
static enum asc_status check_kernel(const struct reader_kernel *k, const struct autotune *a,
				    struct asc_err *e)
{
	const char *known = k->parameters;
	size_t i = 0, n;

	for (;; known += n + (known[n] == ' '), i++) {
		const char *name =
			i < a->kernel.n_parameters ? a->kernel.parameters[i].name : "none";

		n = strcspn(known, " ");
		if (n == 0 && i == a->kernel.n_parameters)
			return ASC_OK;
		if (strlen(name) != n || strncmp(known, name, n) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "%s: parameter %zu of %s%s%s is %s, that of %s is %.*s: "
					   "another version, whose launches are not known",
					   a->file, i, k->source, a->version ? " of " : "",
					   a->version ? a->version : "", name, k->version,
					   n ? (int)n : 4, n ? known : "none");
	}
}

/* ---- the workload ---- */

static void write_problem(const struct reader_kernel *k, const struct reader_layer *l, int64_t row,
			  struct json_writer *w)
{
	struct rule_size sizes[READER_MAX_SIZES + 1] = {{k->reader->row_size, row, row}};
	const struct asctune_type type = {"dtype", l->type.name};
	struct reader_problem p = {.kernel = k->reader->op,
				   .device = "",
				   .sizes = sizes,
				   .n_sizes = 1,
				   .types = &type,
				   .n_types = 1};
	struct reader_config c;
	char *name = str_print("%s%" PRId64, k->reader->row_size, row);

	for (size_t i = 0; k->sizes[i]; i++)
		if (l->sizes[i] > 0)
			sizes[p.n_sizes++] =
				(struct rule_size){k->sizes[i], l->sizes[i], l->sizes[i]};
	json_write_begin(w, NULL, '{');
	json_write_string(w, "name", name);
	json_write_begin(w, "dims", '{');
	for (size_t i = 0; i < p.n_sizes; i++)
		json_write_int(w, sizes[i].name, sizes[i].low);
	json_write_end(w, '}');
	json_write_begin(w, "dtypes", '{');
	json_write_string(w, "T", l->type.element);
	json_write_end(w, '}');
	if (k->reader->find_default(&p, &c)) {
		if (k->cut)
			k->cut(l, &c);
		json_write_begin(w, "default", '{');
		for (size_t i = 0; i < c.n; i++)
			json_write_value(w, c.list[i].name, c.list[i].value);
		json_write_end(w, '}');
	}
	json_write_end(w, '}');
	w->out->failed |= !name;
	free(name);
}

/* Appends a line for each row. */
static void write_problems(const struct reader_kernel *k, const struct reader_layer *l,
			   struct buf *out)
{
	for (size_t i = 0; i < l->n_rows; i++) {
		struct json_writer w = {.out = out};

		buf_add_str(out, i ? ",\n    " : "    ");
		write_problem(k, l, l->rows[i], &w);
	}
}

static enum asc_status write_folder(const struct reader_kernel *k, const struct reader_layer *l,
				    const struct autotune *a, const char *problems,
				    const char *name, struct asc_err *e)
{
	struct skeleton s = {.files = {k->files[0], {k->file, a->text, true}}};
	char numbers[READER_MAX_SIZES][24];
	struct reader_marks marks = {0};
	struct buf origin = {0};
	struct json_writer w = {.out = &origin};

	for (size_t i = 1; k->files[i].name; i++)
		s.files[i + 1] = k->files[i];
	for (size_t i = 0; k->sizes[i]; i++) {
		snprintf(numbers[i], sizeof numbers[i], "%" PRId64, l->sizes[i]);
		reader_marks_add(&marks, k->sizes[i], numbers[i]);
	}
	autotune_write_origin(a, NULL, &w);
	reader_marks_add(&marks, "PROBLEMS", problems);
	reader_marks_add(&marks, "SOURCE", buf_str(&origin));
	reader_marks_add(&marks, "LIBRARY", k->reader->library);
	reader_marks_add(&marks, "VERSION", k->version);
	k->add_marks(k, l, a->kernel.name, &marks);
	enum asc_status status = buf_check(&origin, e);

	if (status == ASC_OK && marks.failed)
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = skeleton_write(&s, name, marks.list, e);
	reader_marks_fini(&marks);
	buf_fini(&origin);
	return status;
}

static void say(const struct reader_kernel *k, const struct autotune *a, const char *name,
		size_t n_problems, struct buf *said)
{
	buf_print(said, "%s: %s.json with %zu problem%s, %s", name, name, n_problems,
		  n_problems == 1 ? "" : "s", k->file);
	if (a->version)
		buf_print(said, " of %s %s", a->package, a->version);
	for (size_t i = 1; k->files[i].name; i++)
		buf_print(said, "%s%s", k->files[i + 1].name ? ", " : " and ", k->files[i].name);
}

enum asc_status reader_workload_write(const struct reader_kernel *k, const struct axes *sizes,
				      const struct reader_files *files, const char *name,
				      struct buf *said, struct asc_err *e)
{
	struct reader_layer l = {0};
	struct autotune *a = NULL;
	struct buf problems = {0};
	enum asc_status s = read_layer(k, sizes, &l, e);

	if (s == ASC_OK)
		s = read_routing(k, files->routing, &l, e);
	if (s == ASC_OK)
		write_problems(k, &l, &problems);
	if (s == ASC_OK)
		s = buf_check(&problems, e);
	if (s == ASC_OK)
		s = autotune_open(k->source, files->package, files->limit_s, &a, e);
	if (s == ASC_OK)
		s = check_kernel(k, a, e);
	if (s == ASC_OK && !a->text)
		s = asc_err_set(e, ASC_INPUT, "%s cannot be written out: it %s", k->source,
				a->reason ? a->reason : "has no text");
	if (s == ASC_OK)
		s = write_folder(k, &l, a, buf_str(&problems), name, e);
	if (s == ASC_OK)
		say(k, a, name, l.n_rows, said);
	if (s == ASC_OK)
		s = buf_check(said, e);
	autotune_close(a);
	buf_fini(&problems);
	free(l.tokens);
	return s;
}
