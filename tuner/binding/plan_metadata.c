#include "tuner/binding/plan_metadata.h"

#include <string.h>

#include "tuner/base/json.h"
#include "tuner/binding/binding.h"
#include "tuner/binding/binding_scope.h"

struct plan_numbers { /* numbers of an array */
	int64_t list[WORKLOAD_MAX_ARGUMENTS];
	size_t n;
	bool stated;
};

struct plan_metadata {
	struct plan_numbers block, scratch, arguments;
	int64_t shared_bytes; /* -1: not stated */
};

enum { BLOCK_AXES = 3, MAX_BLOCK = 65536 };

/* ---- parsing ---- */

/* A json_read_fn. */
static enum asc_status read_numbers(const struct json_node *n, void *member, struct asc_err *e)
{
	struct plan_numbers *out = member;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	if (json_count(n) > WORKLOAD_MAX_ARGUMENTS)
		return json_fail(n, e, "more than %d numbers", WORKLOAD_MAX_ARGUMENTS);
	out->stated = true;
	for (const struct json_node *i = json_first(n); i; i = json_next(i))
		if (json_get_int(i, &out->list[out->n++], e))
			return e->status;
	return ASC_OK;
}

static enum asc_status check_range(const char *what, int64_t number, int64_t least, int64_t most,
				   struct asc_err *e)
{
	if (number >= least && number <= most)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "metadata: %s is %lld, expected %lld to %lld", what,
			   (long long)number, (long long)least, (long long)most);
}

static enum asc_status check_ranges(const struct plan_metadata *m, struct asc_err *e)
{
	const int64_t most = INT64_C(1) << BINDING_MAX_BYTES_LOG2;
	enum asc_status s = check_range("shared", m->shared_bytes, -1, most, e);

	if (s == ASC_OK && m->block.stated)
		s = check_range("the number of axes of block", (int64_t)m->block.n, BLOCK_AXES,
				BLOCK_AXES, e);
	for (size_t i = 0; i < m->block.n && s == ASC_OK; i++)
		s = check_range("block", m->block.list[i], 1, MAX_BLOCK, e);
	for (size_t i = 0; i < m->scratch.n && s == ASC_OK; i++)
		s = check_range("scratch", m->scratch.list[i], 0, most, e);
	return s;
}

static enum asc_status parse(const char *text, struct plan_metadata *out, struct asc_err *e)
{
#define AT(member) offsetof(struct plan_metadata, member)
	static const struct json_field fields[] = {
		{"block", JSON_AS_CUSTOM, false, AT(block), read_numbers, NULL},
		{"shared", JSON_AS_INT, false, AT(shared_bytes), NULL, NULL},
		{"scratch", JSON_AS_CUSTOM, false, AT(scratch), read_numbers, NULL},
		{"arguments", JSON_AS_CUSTOM, false, AT(arguments), read_numbers, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"metadata", fields};
	struct json_doc *doc;

	*out = (struct plan_metadata){.shared_bytes = -1};
	if (json_open_text("metadata", text, strlen(text), &doc, e))
		return e->status;
	enum asc_status s = json_read_object(json_root(doc), &spec, out, e);
	json_close(doc);
	return s == ASC_OK ? check_ranges(out, e) : s;
}

/* ---- applying ---- */

static enum asc_status add_scratch(const struct plan_numbers *scratch, struct plan *plan,
				   struct asc_err *e)
{
	if (plan->n_arguments + scratch->n > WORKLOAD_MAX_ARGUMENTS)
		return asc_err_set(e, ASC_INPUT,
				   "metadata: %zu arguments and %zu scratch buffers, at most %d",
				   plan->n_arguments, scratch->n, WORKLOAD_MAX_ARGUMENTS);
	for (size_t i = 0; i < scratch->n; i++)
		plan->arguments[plan->n_arguments++] =
			(struct bound_argument){.kind = ARG_SCRATCH, .bytes = scratch->list[i]};
	return ASC_OK;
}

static enum asc_status order_arguments(const struct plan_numbers *order, struct plan *plan,
				       struct asc_err *e)
{
	const struct plan given = *plan;
	bool taken[WORKLOAD_MAX_ARGUMENTS] = {0};

	for (size_t i = 0; i < order->n; i++) {
		const int64_t k = order->list[i];

		if (k < 0 || k >= (int64_t)given.n_arguments || taken[k])
			return asc_err_set(e, ASC_INPUT,
					   "metadata: arguments[%zu] is %lld, expected another "
					   "number below %zu",
					   i, (long long)k, given.n_arguments);
		taken[k] = true;
		plan->arguments[i] = given.arguments[k];
	}
	plan->n_arguments = order->n;
	return ASC_OK;
}

static enum asc_status apply(const struct plan_metadata *m, struct plan *plan, struct asc_err *e)
{
	struct plan whole = *plan;

	if (m->block.stated)
		memcpy(whole.block, m->block.list, sizeof whole.block);
	if (m->shared_bytes >= 0)
		whole.shared_bytes = m->shared_bytes;
	if (add_scratch(&m->scratch, &whole, e) ||
	    (m->arguments.stated && order_arguments(&m->arguments, &whole, e)))
		return e->status;
	*plan = whole;
	return ASC_OK;
}

enum asc_status plan_complete(const char *text, struct plan *plan, struct asc_err *e)
{
	struct plan_metadata m;

	if (!*text)
		return ASC_OK;
	return parse(text, &m, e) ? e->status : apply(&m, plan, e);
}
