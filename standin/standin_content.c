#include "standin/standin_content.h"

#include <string.h>

#include "standin/standin_memory.h"
#include "tuner/base/hash.h"

enum { REGIONS = 64 };

/* A tensor's elements: their places do not depend on how its dimensions are cut. */
struct cover {
	const char *first, *end; /* bytes, with gaps in between */
	enum dtype type;
	size_t rank; /* of dimensions that do not go on where the next one ends */
	int64_t dims[STANDIN_MAX_RANK], strides[STANDIN_MAX_RANK];
};

static struct region {
	struct cover cover;
	uint64_t base; /* number of its memory when it was made: it is gone when that is another */
	uint64_t content;
} regions[REGIONS];

static size_t n_added;
static uint64_t all; /* sum over regions */

static struct cover cover_of(const struct standin_view *v)
{
	const int64_t bytes = (int64_t)dtype_bytes(v->type);
	struct cover c = {.first = (const char *)v->data + v->offset * bytes, .type = v->type};
	int64_t last = 0;

	for (size_t i = v->rank; i > 0; i--) {
		const int64_t n = v->dims[i - 1], stride = v->strides[i - 1];

		last += (n - 1) * stride;
		if (n == 1)
			continue;
		if (c.rank > 0 && stride == c.strides[c.rank - 1] * c.dims[c.rank - 1]) {
			c.dims[c.rank - 1] *= n;
			continue;
		}
		c.dims[c.rank] = n;
		c.strides[c.rank++] = stride;
	}
	c.end = c.first + (last + 1) * bytes;
	return c;
}

static bool is_same(const struct cover *a, const struct cover *b)
{
	return a->first == b->first && a->type == b->type && a->rank == b->rank &&
	       memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
	       memcmp(a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
}

static bool is_there(const struct region *r)
{
	return r->base && r->base == standin_memory_base(r->cover.first);
}

/* Addresses first: to find a memory takes longer. */
static bool meets(const struct region *r, const struct cover *c)
{
	return r->cover.first < c->end && c->first < r->cover.end && is_there(r);
}

static struct region *find(const struct cover *c)
{
	for (size_t i = 0; i < REGIONS; i++)
		if (is_same(&regions[i].cover, c) && is_there(&regions[i]))
			return &regions[i];
	return NULL;
}

bool standin_content_is_split(const struct standin_view *v)
{
	const struct cover c = cover_of(v);

	for (size_t i = 0; i < REGIONS; i++)
		if (meets(&regions[i], &c) && !is_same(&regions[i].cover, &c))
			return true;
	return false;
}

uint64_t standin_content_find(const struct standin_view *v)
{
	const struct cover c = cover_of(v);
	uint64_t parts[2 * REGIONS + 1] = {standin_memory_base(c.first)};
	const struct region *whole = NULL;
	size_t n = 1;

	for (size_t i = 0; i < REGIONS; i++)
		if (meets(&regions[i], &c)) {
			whole = is_same(&regions[i].cover, &c) ? &regions[i] : NULL;
			parts[n++] = (uint64_t)(regions[i].cover.first - c.first);
			parts[n++] = regions[i].content;
		}
	return whole && n == 3 ? whole->content : hash_bytes(parts, n * sizeof *parts);
}

static uint64_t share_of(const struct region *r)
{
	const uint64_t parts[] = {(uint64_t)(uintptr_t)r->cover.first,
				  (uint64_t)(uintptr_t)r->cover.end, r->content};

	return hash_bytes(parts, sizeof parts);
}

void standin_content_set(const struct standin_view *v, uint64_t content)
{
	const struct cover c = cover_of(v);

	if (standin_content_is_split(v))
		standin_memory_touch(c.first);
	struct region *r = find(&c);
	if (r) {
		all -= share_of(r);
	} else {
		r = &regions[n_added++ % REGIONS];
		/* Its bytes are no longer those that its memory's number says. */
		if (is_there(r))
			standin_memory_touch(r->cover.first);
		*r = (struct region){.cover = c, .base = standin_memory_base(c.first)};
	}
	r->content = content;
	/* What regions that are gone have added stays: a sum is compared with sums alone. */
	all += share_of(r);
}

uint64_t standin_content_all(void)
{
	return all;
}

void standin_content_clear(void)
{
	for (size_t i = 0; i < REGIONS; i++)
		if (is_there(&regions[i]))
			standin_memory_touch(regions[i].cover.first);
}
