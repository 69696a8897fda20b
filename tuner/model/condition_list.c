#include "tuner/model/condition_list.h"

#include <stdlib.h>

void condition_list_cut(struct condition_list *l, size_t n)
{
	for (; l->n > n; l->n--) {
		free(l->texts[2 * l->n - 1]);
		free(l->texts[2 * l->n - 2]);
	}
}

void condition_list_fini(struct condition_list *l)
{
	condition_list_cut(l, 0);
	free(l->texts);
	free(l->items);
	*l = (struct condition_list){0};
}

static bool grow(struct condition_list *l)
{
	const size_t capacity = l->capacity ? 2 * l->capacity : 16;
	struct space_condition *items = realloc(l->items, capacity * sizeof *items);
	char **texts = items ? realloc(l->texts, 2 * capacity * sizeof *texts) : NULL;

	if (items)
		l->items = items;
	if (!texts)
		return false;
	l->texts = texts;
	l->capacity = capacity;
	return true;
}

void condition_list_add(struct condition_list *l, char *text, char *origin)
{
	if (!text || !origin || l->failed || (l->n == l->capacity && !grow(l))) {
		free(text);
		free(origin);
		l->failed = true;
		return;
	}
	l->texts[2 * l->n] = text;
	l->texts[2 * l->n + 1] = origin;
	l->items[l->n++] = (struct space_condition){.text = text, .origin = origin};
}

enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e)
{
	return l->failed ? asc_err_nomem(e) : ASC_OK;
}
