#include "tuner/workload/rewrite.h"

#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

const struct rewrite_ops *const rewrite_list[] = {&rewrite_square_block, &rewrite_sub_block,
						  &rewrite_axis_limit, NULL};

const char *const rewrite_npu[] = {"npu", NULL};

const struct rewrite_ops *rewrite_find(const char *name)
{
	for (size_t i = 0; rewrite_list[i]; i++)
		if (strcmp(rewrite_list[i]->name, name) == 0)
			return rewrite_list[i];
	return NULL;
}

bool rewrite_asked(const struct rewrite_ops *r, const char *device)
{
	size_t i = 0;
	while (r->devices[i] && strcmp(r->devices[i], device) != 0)
		i++;
	return r->devices[i] != NULL;
}

unsigned rewrite_bit(const struct rewrite_ops *r)
{
	size_t i = 0;
	while (rewrite_list[i] != r)
		i++;
	return 1U << i;
}

enum asc_status rewrite_check_block(const struct rewrite_use *u, const struct parameter *p,
				    struct asc_err *e)
{
	char text[64];
	if (p->devices.node)
		return json_fail(u->node, e,
				 "%s has \"devices\", but %s says what it is where it is not "
				 "applied: expected it on every device",
				 p->name, u->ops->name);
	for (size_t i = 0; i < p->n_values; i++) {
		if (p->values[i].kind == VALUE_INT && p->values[i].i > 0)
			continue;
		value_print(p->values[i], text, sizeof text);
		return json_fail(u->node, e, "%s has the value %s, expected positive integers",
				 p->name, text);
	}
	return ASC_OK;
}
