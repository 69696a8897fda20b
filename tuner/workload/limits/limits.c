#include "tuner/workload/limits/limits.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/limits/limits_models.h"

enum { MAX_MODELS = 128 }; /* for suggestions */

static const struct limits_family *const families[] = {&limits_ascend, &limits_cuda,
						       &limits_superscalar, NULL};

/* Common names of models. The first generation's bare Ascend910B is in the vendor's tables too, but
 * 910B commonly means the second generation: no name leads to the first chip. */
static const struct {
	const char *name, *means;
} common_names[] = {{"Ascend910B", "Ascend910B3"},
		    {"910B", "Ascend910B3"},
		    {"Ascend950", "Ascend950PR_9579"},
		    {"950", "Ascend950PR_9579"}};

const char *limits_canonical(const char *name)
{
	for (size_t i = 0; i < sizeof common_names / sizeof *common_names; i++)
		if (strcmp(common_names[i].name, name) == 0)
			return common_names[i].means;
	return NULL;
}

static bool model_at(size_t i, struct limits *out)
{
	for (size_t k = 0; families[k]; k++) {
		if (i < families[k]->n) {
			*out = (struct limits){0};
			families[k]->fill(i, out);
			return true;
		}
		i -= families[k]->n;
	}
	return false;
}

bool limits_at(size_t i, struct limits *out)
{
	struct limits l;

	for (size_t k = 0; model_at(k, &l); k++) {
		/* A model whose name commonly means another one is in the vendor's table and in no
		 * list. */
		if (limits_canonical(l.name) || i-- > 0)
			continue;
		*out = l;
		return true;
	}
	return false;
}

/* True when `name` is that of the model: sm_90a and sm_100f are sm_90 and sm_100 with more
 * instructions. */
static bool is_called(const struct limits *l, const char *name)
{
	const size_t n = strlen(l->name);

	if (strncmp(l->name, name, n) != 0)
		return false;
	/* Only CUDA's architectures have such suffixes. */
	return !name[n] || (l->sm && !name[n + 1] && strchr("af", name[n]));
}

bool limits_find(const char *name, struct limits *out)
{
	const char *canonical = limits_canonical(name);

	for (size_t i = 0; limits_at(i, out); i++)
		if (is_called(out, canonical ? canonical : name))
			return true;
	return false;
}

const char *limits_nearest(const char *name)
{
	const char *names[MAX_MODELS + 1] = {NULL};
	struct limits l;

	/* One place is left for the NULL at the end. */
	for (size_t i = 0; i < MAX_MODELS && limits_at(i, &l); i++)
		names[i] = l.name;
	return str_nearest(name, names);
}

const struct memory_space *limits_space(const struct limits *l, const char *name)
{
	/* The word for the main memory beside the cores, whatever this device calls it. */
	if (strcmp(name, "onchip") == 0)
		name = l->onchip ? l->onchip : "";
	for (size_t i = 0; i < l->n_spaces; i++)
		if (strcmp(l->spaces[i].name, name) == 0)
			return &l->spaces[i];
	return NULL;
}

void limits_add_space(struct limits *l, const char *name, int64_t bytes, int64_t unit_bytes,
		      int64_t align)
{
	l->spaces[l->n_spaces++] =
		(struct memory_space){name, bytes, unit_bytes, align, bytes / unit_bytes};
}

int64_t memory_space_round(const struct memory_space *s, int64_t bytes)
{
	int64_t up;

	/* A size that cannot be rounded is larger than any space: it must not wrap to a small
	 * one. */
	return __builtin_add_overflow(bytes, s->align - 1, &up) ? INT64_MAX : up - up % s->align;
}

enum asc_status memory_space_index(const struct memory_space *s, int64_t byte_address,
				   int64_t *index, struct asc_err *e)
{
	if (byte_address < 0 || byte_address % s->unit_bytes != 0)
		return asc_err_set(e, ASC_INTERNAL,
				   "internal error: byte address %lld of %s is not a multiple of "
				   "%lld",
				   (long long)byte_address, s->name, (long long)s->unit_bytes);
	*index = byte_address / s->unit_bytes;
	return ASC_OK;
}
