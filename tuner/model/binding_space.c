#include "tuner/model/binding_scope.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/model/binding_rewrite.h"
#include "tuner/model/space.h"

/* Conditions under construction: some texts are borrowed from the workload, the others owned. */
struct conditions {
	struct space_condition *items;
	size_t n;
	char **owned;
	size_t n_owned;
	bool failed;
};

static enum asc_status conditions_init(struct conditions *c, size_t max, struct asc_err *e)
{
	*c = (struct conditions){.items = calloc(max + 1, sizeof *c->items),
				 .owned = calloc(2 * max + 1, sizeof *c->owned)};
	return c->items && c->owned ? ASC_OK : asc_err_nomem(e);
}

static void conditions_fini(struct conditions *c)
{
	for (size_t i = 0; i < c->n_owned; i++)
		free(c->owned[i]);
	free(c->owned);
	free(c->items);
}

static const char *own(struct conditions *c, char *text)
{
	if (text)
		c->owned[c->n_owned++] = text;
	else
		c->failed = true;
	return text;
}

static void condition_add(struct conditions *c, const char *text, const char *origin)
{
	c->items[c->n++] = (struct space_condition){.text = text, .origin = origin};
}

static enum asc_status conditions_fill(struct conditions *c, const struct implementation *i,
				       struct asc_err *e)
{
	for (size_t k = 0; k < i->n_constraints; k++)
		condition_add(c, i->constraints[k].text, own(c, str_print("constraints[%zu]", k)));
	for (size_t k = 0; k < 3; k++) {
		const char *text = i->call.launch.grid[k].text;
		if (text)
			condition_add(c, own(c, str_print("(%s) >= 1", text)),
				      own(c, str_print("launch.grid[%zu]", k)));
	}
	return c->failed ? asc_err_nomem(e) : ASC_OK;
}

/* In place of what a rewrite relaxes, where it is applied. */
static enum asc_status rewrites_fill(struct conditions *c, const struct binding *b,
				     const struct implementation *i, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_rewrites; k++) {
		const struct rewrite_use *u = &i->rewrites[k];
		struct buf text = {0};
		if (!u->ops->pair)
			continue;
		binding_print_condition(b, i, u, &text);
		condition_add(c, own(c, buf_take(&text)),
			      own(c, str_print("rewrites[%zu] %s", k, u->ops->name)));
	}
	return c->failed ? asc_err_nomem(e) : ASC_OK;
}

/* A parameter that this class of device does not have keeps its one value. */
static struct space_param param_bind(const struct parameter *p, const char *device)
{
	if (!name_list_has(&p->devices, device))
		return (struct space_param){p->name, 1, &p->otherwise, p->otherwise};
	return (struct space_param){p->name, p->n_values, p->values, p->preset};
}

enum asc_status binding_space(const struct binding *b, const struct implementation *i,
			      struct space **out, struct asc_err *e)
{
	struct space_param params[CONFIG_MAX_PARAMETERS];
	struct conditions c = {0};
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	if (status == ASC_OK)
		status = conditions_init(&c, i->n_constraints + 3 + i->n_rewrites, e);
	if (status == ASC_OK)
		status = conditions_fill(&c, i, e);
	if (status == ASC_OK)
		status = rewrites_fill(&c, b, i, e);
	if (status != ASC_OK)
		goto out;
	for (size_t k = 0; k < i->n_parameters; k++)
		params[k] = param_bind(&i->parameters[k], b->device);
	const struct space_spec spec = {.params = params,
					.n_params = i->n_parameters,
					.conditions = c.items,
					.n_conditions = c.n,
					.outer = s.expr};
	status = space_new(&spec, out, e);
out:
	conditions_fini(&c);
	binding_scope_fini(&s);
	return status;
}
