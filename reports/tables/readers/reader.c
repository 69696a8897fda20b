#include "reports/tables/readers/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"

const struct reader_ops *const reader_list[] = {&vllm_moe_reader,
						&vllm_block_fp8_reader,
						&sglang_moe_reader,
						&sglang_block_fp8_reader,
						&fla_reader,
						&ninetoothed_reader,
						&triton_reader,
						&flaggems_reader,
						NULL};

const struct reader_ops *reader_find(const char *name)
{
	for (const struct reader_ops *const *r = reader_list; *r; r++)
		if (strcmp((*r)->name, name) == 0)
			return *r;
	return NULL;
}

const struct reader_ops *reader_find_operator(const char *library, const char *op)
{
	for (const struct reader_ops *const *r = reader_list; *r && op; r++)
		if (strcmp((*r)->library, library) == 0 && (!(*r)->op || strcmp((*r)->op, op) == 0))
			return *r;
	return NULL;
}

/* ---- problems ---- */

int64_t reader_get_size(const struct reader_problem *p, const char *name, int64_t otherwise)
{
	for (size_t i = 0; i < p->n_sizes; i++)
		if (strcmp(p->sizes[i].name, name) == 0)
			return p->sizes[i].low;
	return otherwise;
}

const char *reader_get_type(const struct reader_problem *p, const char *name)
{
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].name && strcmp(p->types[i].name, name) == 0)
			return p->types[i].type;
	return NULL;
}

enum asc_status reader_check_problem(const struct reader_ops *r, const struct reader_problem *p,
				     struct asc_err *e)
{
	if (!p->device)
		return asc_err_set(e, ASC_INPUT, "its device's model is not recorded");
	for (const char *const *s = r->sizes; s && *s; s++)
		if (reader_get_size(p, *s, 0) < 1)
			return asc_err_set(e, ASC_INPUT,
					   "%s asks by the size %s, which the problem %s; "
					   "\"sizes\" of its workload's \"export\" may name one",
					   r->name, *s,
					   reader_get_size(p, *s, -1) == 0 ? "has as 0"
									   : "does not have");
	return ASC_OK;
}

/* File systems take 255 bytes of a name, the evidence beside the file needs 14. */
enum { MOST_NAME_BYTES = 240 };

static enum asc_status check_name_length(const struct reader_problem *p, const struct buf *name,
					 struct asc_err *e)
{
	return name->len > MOST_NAME_BYTES
		       ? asc_err_set(e, ASC_INPUT,
				     "the name of its file would have %zu bytes, expected at most "
				     "%d: device %.40s...",
				     name->len, MOST_NAME_BYTES, p->device)
		       : ASC_OK;
}

enum asc_status reader_name_in_folder(const struct reader_problem *p, const char *ending,
				      struct buf *out, struct asc_err *e)
{
	bool in_run = false;

	if (!str_is_identifier(p->kernel))
		return asc_err_set(e, ASC_INPUT, "%.100s is no name of a kernel", p->kernel);
	for (const char *c = p->device; *c; c++) {
		const bool kept = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80;

		if (kept && in_run && out->len > 0)
			buf_add_char(out, '_');
		if (kept)
			buf_add_char(out, *c);
		in_run = !kept;
	}
	if (out->len == 0)
		buf_add_str(out, "unknown_gpu");
	buf_print(out, "/%s%s", p->kernel, ending);
	if (buf_check(out, e))
		return e->status;
	return check_name_length(p, out, e);
}

/* Torch's name of a type, "torch.float16": the first of the other names in dtype_aliases. NULL: the
 * text is no type. */
static const char *torch_name(const char *type)
{
	enum dtype known;

	if (!dtype_parse(type, &known))
		return NULL;
	for (const struct dtype_alias *a = dtype_aliases; a->other; a++)
		if (strcmp(a->name, type) == 0)
			return a->other;
	return type;
}

enum asc_status reader_print_ordered_key(const struct reader_problem *p, struct buf *out,
					 struct asc_err *e)
{
	struct json_writer w = {out, false};
	struct buf text = {0};

	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; i < p->n_sizes; i++)
		if (*p->sizes[i].name == '@')
			continue;
		else if (p->truths && p->truths[i])
			json_write_bool(&w, NULL, p->sizes[i].low != 0);
		else
			json_write_int(&w, NULL, p->sizes[i].low);
	for (size_t i = 0; i < p->n_types; i++) {
		const char *name = torch_name(p->types[i].type);

		if (*p->types[i].name == '@')
			continue;
		buf_clear(&text);
		buf_print(&text, "%s%s", name ? "torch." : "", name ? name : p->types[i].type);
		json_write_string(&w, NULL, buf_str(&text));
	}
	json_write_end(&w, ']');
	out->failed |= text.failed;
	buf_fini(&text);
	return buf_check(out, e);
}

/* ---- what libraries tell ---- */

void reader_answers_fini(struct reader_answers *a)
{
	for (size_t i = 0; i < a->n; i++)
		json_close(a->list[i].doc);
	free(a->list);
	*a = (struct reader_answers){0};
}

enum asc_status reader_told_text(const struct reader_problem *p, const char *member,
				 const char **out, struct asc_err *e)
{
	const struct json_node *why = json_find(p->told, "why"), *n = json_find(p->told, member);

	if (why && json_get_string(why, out, e) == ASC_OK)
		return asc_err_set(e, ASC_INPUT, "%s", *out);
	return n ? json_get_string(n, out, e)
		 : asc_err_set(e, ASC_INPUT, "its library was not asked for the %s", member);
}

enum asc_status reader_name_told_file(const struct reader_problem *p, const char *triton,
				      struct buf *out, struct asc_err *e)
{
	const char *name;

	(void)triton;
	if (reader_told_text(p, "file", &name, e))
		return e->status;
	/* Code of the library's has printed the name: it must not lead out of the folder. */
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += part > name;
		if (*part == '.' || *part == '/' || *part == '\0')
			return asc_err_set(e, ASC_INPUT,
					   "its library names the file \"%.100s\", expected a "
					   "path in the table's folder, without hidden parts",
					   name);
	}
	buf_add_str(out, name);
	return buf_check(out, e) ? e->status : check_name_length(p, out, e);
}

enum asc_status reader_told_key(const struct reader_problem *p, struct buf *out, struct asc_err *e)
{
	const struct json_node *key = json_find(p->told, "key");

	if (!key)
		return asc_err_set(e, ASC_INPUT, "its library was not asked for the key");
	json_write_node(&(struct json_writer){out, false}, NULL, key);
	return buf_check(out, e);
}

/* ---- configurations ---- */

const struct reader_option reader_options[] = {
	{"num_warps", 4}, {"num_stages", 3}, {"num_ctas", 1}, {"maxnreg", 0}, {0}};

const struct reader_option *reader_find_option(const char *name)
{
	for (const struct reader_option *o = reader_options; o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

static const struct reader_parameter *find_parameter(const struct reader_config *c,
						     const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->list[i].name, name) == 0)
			return &c->list[i];
	return NULL;
}

int64_t reader_get_parameter(const struct reader_config *c, const char *name, int64_t otherwise)
{
	const struct reader_parameter *p = find_parameter(c, name);

	return p && p->value.kind == VALUE_INT ? p->value.i : otherwise;
}

bool reader_add_parameter(struct reader_config *c, const char *name, struct value v)
{
	if (c->n == READER_MAX_PARAMETERS)
		return false;
	c->list[c->n++] = (struct reader_parameter){name, v};
	return true;
}

bool reader_same_config(const struct reader_config *a, const struct reader_config *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same; i++) {
		const struct reader_parameter *other = find_parameter(b, a->list[i].name);

		same = other && value_equal(a->list[i].value, other->value);
	}
	return same;
}

void reader_align_options(struct reader_config *c, const struct reader_config *like)
{
	for (const struct reader_option *o = reader_options; o->name; o++) {
		const struct reader_parameter *own = find_parameter(c, o->name);
		const bool wanted = find_parameter(like, o->name);

		if (wanted && !own && o->otherwise != 0)
			(void)reader_add_parameter(c, o->name, value_int(o->otherwise));
		if (wanted || !own || !value_equal(own->value, value_int(o->otherwise)))
			continue;
		const size_t at = (size_t)(own - c->list);

		memmove(c->list + at, c->list + at + 1, (--c->n - at) * sizeof *c->list);
	}
}

void reader_print_config(const struct reader_config *c, struct buf *out)
{
	char text[VALUE_TEXT_MAX + 1];

	for (size_t i = 0; i < c->n; i++) {
		(void)value_print(c->list[i].value, text, sizeof text);
		buf_print(out, "%s%s=%s", i > 0 ? ", " : "", c->list[i].name, text);
	}
}

enum asc_status reader_check_launch(const struct reader_config *c, struct asc_err *e)
{
	enum { WARPS = 1024 / 32 }; /* threads of a block of CUDA, those of a warp */
	const int64_t warps = reader_get_parameter(c, "num_warps", 4),
		      stages = reader_get_parameter(c, "num_stages", 3),
		      ctas = reader_get_parameter(c, "num_ctas", 1);

	if (warps < 1 || (warps & (warps - 1)) != 0)
		return asc_err_set(e, ASC_INPUT,
				   "num_warps=%" PRId64 " is no power of two, which Triton needs",
				   warps);
	if (warps > WARPS)
		return asc_err_set(e, ASC_INPUT,
				   "num_warps=%" PRId64 " is more than the %d of a block's threads",
				   warps, WARPS);
	if (stages < 1)
		return asc_err_set(e, ASC_INPUT, "num_stages=%" PRId64 ", expected 1 or more",
				   stages);
	if (ctas < 1 || (ctas & (ctas - 1)) != 0)
		return asc_err_set(e, ASC_INPUT,
				   "num_ctas=%" PRId64 " is no power of two, which Triton needs",
				   ctas);
	return ASC_OK;
}

/* ---- tables ---- */

enum asc_status reader_table_add(struct reader_table *t, const char *key,
				 const struct reader_config *c, struct asc_err *e)
{
	char *copy = key ? str_dup(key) : NULL, *end;

	if ((key && !copy) || !array_room(&t->rows, t->n, &t->room, sizeof *t->rows)) {
		free(copy);
		return asc_err_nomem(e);
	}
	struct reader_row *row = &t->rows[t->n++];

	*row = (struct reader_row){.key = copy, .size = -1, .config = *c};
	if (copy && *copy >= '0' && *copy <= '9') {
		row->size = strtoll(copy, &end, 10);
		row->size = *end ? -1 : row->size;
	}
	return ASC_OK;
}

void reader_write_launch(struct json_writer *w, const char *key, const struct reader_config *c)
{
	json_write_begin(w, key, '{');
	json_write_begin(w, "kwargs", '{');
	for (size_t i = 0; i < c->n; i++)
		if (!reader_find_option(c->list[i].name))
			json_write_value(w, c->list[i].name, c->list[i].value);
	json_write_end(w, '}');
	for (const struct reader_option *o = reader_options; o->name; o++) {
		const int64_t v = reader_get_parameter(c, o->name, o->otherwise);

		if (v != 0)
			json_write_int(w, o->name, v);
	}
	json_write_end(w, '}');
}

enum asc_status reader_read_value(const struct json_node *n, struct reader_table *t,
				  struct reader_config *c, struct asc_err *e)
{
	const char *name = reader_table_keep(t, json_key(n));
	struct value v;

	if (!name)
		return asc_err_nomem(e);
	if (!str_is_identifier(name))
		return json_fail(n, e, "is no identifier, as parameters of a kernel are");
	if (find_parameter(c, name))
		return json_fail(n, e, "has a value already");
	if (json_get_choice(n, &v, e))
		return e->status;
	return reader_add_parameter(c, name, v)
		       ? ASC_OK
		       : json_fail(n, e, "more than %d parameters", READER_MAX_PARAMETERS);
}

enum asc_status reader_read_launch(const struct json_node *n, struct reader_table *t,
				   struct reader_config *c, struct asc_err *e)
{
	const struct json_node *kwargs = json_find(n, "kwargs");

	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	if (!kwargs)
		return json_fail(n, e, "\"kwargs\" is missing");
	if (json_expect(kwargs, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *m = json_first(kwargs); m; m = json_next(m))
		if (reader_read_value(m, t, c, e))
			return e->status;
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		if (m == kwargs || json_type(m) == JSON_NULL)
			continue;
		if (!reader_find_option(json_key(m)))
			return json_fail(m, e, "is no option that is known");
		if (reader_read_value(m, t, c, e))
			return e->status;
	}
	return ASC_OK;
}

const struct reader_row *reader_table_find(const struct reader_table *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_is_same(t->rows[i].key, key))
			return &t->rows[i];
	return NULL;
}

bool reader_table_has(const struct reader_table *t, const struct reader_row *row)
{
	const struct reader_row *other = reader_table_find(t, row->key);

	return other && reader_same_config(&other->config, &row->config);
}

const char *reader_table_keep(struct reader_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_names; i++)
		if (strcmp(t->names[i], name) == 0)
			return t->names[i];
	if (!array_room(&t->names, t->n_names, &t->names_room, sizeof *t->names))
		return NULL;
	t->names[t->n_names] = str_dup(name);
	return t->names[t->n_names] ? t->names[t->n_names++] : NULL;
}

void reader_table_fini(struct reader_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].key);
	free(t->rows);
	for (size_t i = 0; i < t->n_names; i++)
		free(t->names[i]);
	free(t->names);
	free(t->version);
	free(t->kernel);
	free(t->other);
	*t = (struct reader_table){0};
}
