#include "tuner/device/vendor.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/vendors.h"
#include "tuner/model/binding.h"

const struct vendor_ops *const vendor_list[] = {&vendor_openblas, &vendor_cublaslt, NULL};

const struct vendor_ops *vendor_find(const char *source)
{
	size_t length = strcspn(source, ":");

	for (size_t i = 0; vendor_list[i]; i++)
		if (strlen(vendor_list[i]->name) == length &&
		    strncmp(vendor_list[i]->name, source, length) == 0)
			return vendor_list[i];
	return NULL;
}

const char *vendor_function(const struct vendor_ops *v, const char *name)
{
	size_t i = 0;

	while (v->functions[i] && strcmp(v->functions[i], name) != 0)
		i++;
	return v->functions[i];
}

bool vendor_check(const char *source, const char *function, const char *device, char *reason,
		  size_t size)
{
	const struct vendor_ops *v = vendor_find(source);

	if (!v)
		snprintf(reason, size, "this version has no vendor library \"%.*s\"",
			 (int)strcspn(source, ":"), source);
	else if (!vendor_function(v, function))
		snprintf(reason, size, "%s has no function \"%s\" here", v->name, function);
	else if (strcmp(v->device, device) != 0)
		snprintf(reason, size, "%s is for %s", v->name, v->device);
	else
		return v->check(reason, size);
	return false;
}

enum asc_status vendor_identity(const char *source, struct buf *out, struct asc_err *e)
{
	const struct vendor_ops *v = vendor_find(source);

	if (!v)
		return asc_err_set(e, ASC_ABSENT, "no vendor library for %s", source);
	buf_print(out, "%s %d ", v->name, v->revision);
	return v->identity(out, e) ? e->status : buf_check(out, e);
}

static const char *kind_name(enum argument_kind k)
{
	static const char *const names[] = {[ARG_TENSOR] = "tensor",
					    [ARG_SCALAR] = "scalar",
					    [ARG_SCRATCH] = "scratch",
					    [ARG_TENSOR_MAP] = "tensor_map",
					    [ARG_BUILTIN] = "builtin"};
	return names[k];
}

static enum asc_status fail_argument(const char *function, size_t i,
				     const struct vendor_argument *wanted, struct asc_err *e)
{
	bool scalar = wanted->kind == ARG_SCALAR;

	return asc_err_set(e, ASC_INPUT, "%s takes as argument %zu %s: expected a %s%s%s", function,
			   i, wanted->name, kind_name(wanted->kind), scalar ? " of type " : "",
			   scalar ? dtype_name(wanted->type) : "");
}

enum asc_status vendor_check_arguments(const char *function, const struct vendor_argument *wanted,
				       const struct plan *plan, struct asc_err *e)
{
	size_t i = 0;

	for (; wanted[i].name; i++) {
		const struct bound_argument *have = &plan->arguments[i];
		if (i >= plan->n_arguments || have->kind != wanted[i].kind ||
		    (have->kind == ARG_SCALAR && have->type != wanted[i].type))
			return fail_argument(function, i, &wanted[i], e);
	}
	if (i != plan->n_arguments)
		return asc_err_set(e, ASC_INPUT, "%s takes %zu arguments, not %zu", function, i,
				   plan->n_arguments);
	return ASC_OK;
}
