#include "standin/standin_argument_list.h"

#include <string.h>

int standin_argument_list_make(struct standin_function *f, struct standin_argument_list **out)
{
	struct standin_argument_list *l = standin_new(STANDIN_ARGUMENTS, sizeof *l);

	if (!l)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for an argument list");
	l->function = f;
	*out = l;
	return STANDIN_OK;
}

int standin_argument_list_check(const struct standin_argument_list *l)
{
	return standin_is(STANDIN_ARGUMENTS, l)
		       ? STANDIN_OK
		       : standin_fail(RT_INVALID_HANDLE, "%p is no argument list", (const void *)l);
}

int standin_argument_list_append(struct standin_argument_list *l, const void *value, size_t bytes,
				 struct standin_parameter **out)
{
	const size_t align = bytes >= 8 ? 8 : 4, at = (l->bytes + align - 1) / align * align;

	if (l->is_final)
		return standin_fail(RT_PARAM_INVALID, "an argument list that is finished");
	if (!value || !bytes || !out)
		return standin_fail(RT_PARAM_INVALID, "a parameter of %zu bytes at %p", bytes,
				    value);
	if (l->n == STANDIN_MAX_PARAMETERS || at > sizeof l->block || bytes > sizeof l->block - at)
		return standin_fail(RT_PARAM_INVALID, "more than %d parameters or %d bytes",
				    STANDIN_MAX_PARAMETERS, STANDIN_MAX_BLOCK);
	memcpy(l->block + at, value, bytes);
	l->bytes = at + bytes;
	*out = &l->parameters[l->n++];
	**out = (struct standin_parameter){at, bytes};
	return STANDIN_OK;
}

int standin_argument_list_update(struct standin_argument_list *l, const struct standin_parameter *p,
				 const void *value, size_t bytes)
{
	size_t i = 0;

	while (i < l->n && p != &l->parameters[i])
		i++;
	if (i == l->n)
		return standin_fail(RT_INVALID_HANDLE, "%p is no parameter of the list",
				    (const void *)p);
	if (!value || bytes != p->bytes)
		return standin_fail(RT_PARAM_INVALID, "a parameter of %zu bytes, not %zu", bytes,
				    p->bytes);
	memcpy(l->block + p->at, value, bytes);
	return STANDIN_OK;
}
