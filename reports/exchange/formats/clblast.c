#include "reports/exchange/formats/clblast.h"

#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/t4_record.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"

/* Parameter that states the type: the same in all results. */
#define PRECISION "PRECISION"

struct clblast {
	struct json_doc *doc;
	const struct json_node *results;
	const char *precision, *kernel;
	const char *names[CONFIG_MAX_PARAMETERS + 1];
	size_t n_names;
	struct t4_subject subject;
	struct buf problem, values;
	char problem_key[HASH_TEXT_SIZE];
};

bool clblast_recognise(const struct json_doc *doc)
{
	const struct json_node *root = json_root(doc);

	return json_find(root, "kernel_family") && json_find(root, "results");
}

/* ---- the head ---- */

#define TEXT(key, required, member)                                                                \
	{                                                                                          \
		key, JSON_AS_STRING, required, offsetof(struct clblast, member), NULL, NULL        \
	}

static enum asc_status read_head(struct clblast *c, struct asc_err *e)
{
	static const struct json_field fields[] = {
		TEXT("kernel_family", true, subject.operator_name),
		TEXT("precision", true, precision),
		TEXT("clblast_device_name", false, subject.device_model),
		TEXT("clblast_device_architecture", false, subject.device_arch),
		TEXT("platform_version", false, subject.device_driver),
		{"results", JSON_AS_NODE, true, offsetof(struct clblast, results), NULL, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"CLBlast", fields};

	return json_read_object(json_root(c->doc), &spec, c, e);
}

/* Type that a precision computes in; NULL: complex numbers. */
static const char *type_of(const char *precision)
{
	static const char *const types[][2] = {{"16", "f16"}, {"32", "f32"}, {"64", "f64"}};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i][0], precision) == 0)
			return types[i][1];
	return NULL;
}

/* Value of a member `arg_NAME`, which is a number or its text. */
static bool find_argument(const struct json_node *n, const char **name, struct value *out)
{
	static const char prefix[] = "arg_";
	const char *text = NULL;
	struct asc_err e;

	if (strncmp(json_key(n), prefix, sizeof prefix - 1) != 0)
		return false;
	*name = json_key(n) + sizeof prefix - 1;
	if (json_type(n) == JSON_STRING)
		return !json_get_string(n, &text, &e) && value_parse(text, strlen(text), out);
	return json_get_value(n, out, &e) == ASC_OK;
}

/* Makes a problem of the file's arguments: its name has those that are whole numbers, the sizes;
 * its key has all of them, and the precision. */
static enum asc_status read_problem(struct clblast *c, struct asc_err *e)
{
	const char *type = type_of(c->precision), *name = NULL;
	struct json_writer w = {&c->values, false};
	struct value v;
	struct hash h;

	hash_init(&h);
	hash_add_str(&h, c->subject.operator_name);
	hash_add_str(&h, c->precision);
	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "dims", '{');
	for (const struct json_node *n = json_first(json_root(c->doc)); n; n = json_next(n)) {
		if (!find_argument(n, &name, &v))
			continue;
		json_write_value(&w, name, v);
		if (v.kind == VALUE_INT)
			buf_print(&c->problem, "%s%s%lld", c->problem.len ? "." : "", name,
				  (long long)v.i);
	}
	json_write_end(&w, '}');
	json_write_begin(&w, "dtypes", '{');
	if (type)
		json_write_string(&w, "T", type);
	json_write_end(&w, '}');
	json_write_end(&w, '}');
	hash_add_str(&h, buf_str(&c->values));
	c->subject.problem = c->problem.len ? buf_str(&c->problem) : NULL;
	c->subject.problem_json = buf_str(&c->values);
	c->subject.problem_key = c->problem_key;
	if (hash_end(&h, c->problem_key, e) || buf_check(&c->values, e))
		return e->status;
	return buf_check(&c->problem, e);
}

/* ---- the first result has the parameters of all ---- */

static enum asc_status find_parameters(const struct json_node *result, const struct json_node **out,
				       struct asc_err *e)
{
	if (json_expect(result, JSON_OBJECT, e))
		return e->status;
	*out = json_find(result, "parameters");
	return *out ? json_expect(*out, JSON_OBJECT, e)
		    : json_fail(result, e, "missing key \"parameters\"");
}

static enum asc_status read_names(struct clblast *c, struct asc_err *e)
{
	const struct json_node *parameters = NULL;

	if (json_expect(c->results, JSON_ARRAY, e))
		return e->status;
	if (json_count(c->results) == 0)
		return json_fail(c->results, e, "expected at least one result");
	if (find_parameters(json_first(c->results), &parameters, e))
		return e->status;
	for (const struct json_node *p = json_first(parameters); p; p = json_next(p)) {
		if (strcmp(json_key(p), PRECISION) == 0)
			continue;
		if (c->n_names == CONFIG_MAX_PARAMETERS)
			return json_fail(parameters, e, "expected at most %d parameters, found %zu",
					 CONFIG_MAX_PARAMETERS, json_count(parameters));
		if (t4_add_name(p, json_key(p), c->names, &c->n_names, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status read_kernel(const struct json_node *result, const char **out,
				   struct asc_err *e)
{
	const struct json_node *n = json_find(result, "kernel");

	return n ? json_get_string(n, out, e) : json_fail(result, e, "missing key \"kernel\"");
}

enum asc_status clblast_open(struct json_doc *doc, struct clblast **out, struct asc_err *e)
{
	struct clblast *c = calloc(1, sizeof *c);

	if (!c) {
		json_close(doc);
		return asc_err_nomem(e);
	}
	c->doc = doc;
	if (read_head(c, e) || read_names(c, e) ||
	    read_kernel(json_first(c->results), &c->kernel, e) || read_problem(c, e)) {
		clblast_close(c);
		return e->status;
	}
	c->subject.implementation_key = c->kernel;
	*out = c;
	return ASC_OK;
}

void clblast_close(struct clblast *c)
{
	if (!c)
		return;
	json_close(c->doc);
	buf_fini(&c->problem);
	buf_fini(&c->values);
	free(c);
}

const struct t4_subject *clblast_get_subject(const struct clblast *c)
{
	return &c->subject;
}

/* ---- results ---- */

static enum asc_status read_config(const struct clblast *c, const struct json_node *result,
				   struct t4_record *out, struct asc_err *e)
{
	const struct json_node *parameters = NULL;

	if (find_parameters(result, &parameters, e) || t4_read_config(parameters, out, e))
		return e->status;
	/* All of c->names are there: one more is a parameter that the first result does not have.
	 */
	const size_t all = c->n_names + (json_find(parameters, PRECISION) != NULL);

	return json_count(parameters) == all
		       ? ASC_OK
		       : json_fail(parameters, e, "has parameters that results[0] does not have");
}

static enum asc_status read_result(const struct clblast *c, const struct json_node *n,
				   struct t4_record *out, struct asc_err *e)
{
	const struct json_node *time;
	const char *kernel = "";
	double ns = 0;

	if (read_config(c, n, out, e) || read_kernel(n, &kernel, e))
		return e->status;
	/* A family of two kernels has two files: their parameters differ. */
	if (strcmp(kernel, c->kernel) != 0)
		return json_fail(json_find(n, "kernel"), e,
				 "expected %s, as in results[0], found %s", c->kernel, kernel);
	time = json_find(n, "time");
	if (!time)
		return json_fail(n, e, "missing key \"time\"");
	if (t4_read_ns(time, T4_NS_PER_MS, &ns, e))
		return e->status;
	t4_invalidity_parse("correct", &out->result.status, &out->result.phase);
	out->spent_ns = ns;
	return t4_settle_time(n, ns, out, e);
}

enum asc_status clblast_each(const struct clblast *c, t4_visit_fn *visit, void *user,
			     struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = json_first(c->results); n && status == ASC_OK;
	     n = json_next(n)) {
		struct t4_record r = {.names = c->names, .config = {.n = c->n_names}};

		result_init(&r.result);
		status = read_result(c, n, &r, e);
		if (status == ASC_OK)
			status = visit(user, &r, e);
		result_fini(&r.result);
	}
	return status;
}
