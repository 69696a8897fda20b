#include "tuner/worker/views.h"

#include <string.h>

#include "tuner/base/strides.h"
#include "tuner/device/device.h"
#include "tuner/workload/binding/binding.h"

/* ---- elements from one place to another ---- */

/* Copies `n` pieces of `bytes` each. Pieces are most often single elements, whose moves are one
 * instruction each where the compiler knows their size. */
static void copy_pieces(unsigned char *to, int64_t to_step, const unsigned char *from,
			int64_t from_step, int64_t n, size_t bytes)
{
#define COPY_ALL(size)                                                                             \
	for (int64_t i = 0; i < n; i++)                                                            \
	memcpy(to + i * to_step, from + i * from_step, size)
	switch (bytes) {
	case 1: COPY_ALL(1); break;
	case 2: COPY_ALL(2); break;
	case 4: COPY_ALL(4); break;
	case 8: COPY_ALL(8); break;
	default: COPY_ALL(bytes);
	}
#undef COPY_ALL
}

/* Copies all elements, the first of which are at `to` and `from`. Innermost dimensions whose
 * elements follow each other on both sides are one piece; pieces along the next dimension are
 * copied in one loop; an index counts through the dimensions around it. */
static void copy_elements(const struct bound_tensor *t, unsigned char *to,
			  const int64_t *to_strides, const unsigned char *from,
			  const int64_t *from_strides)
{
	const int64_t width = (int64_t)dtype_bytes(t->dtype);
	int64_t index[WORKLOAD_MAX_RANK] = {0}, run = 1, n = 1, to_step = 0, from_step = 0;
	size_t outer = t->rank;

	while (outer > 0 && (t->shape[outer - 1] == 1 ||
			     (to_strides[outer - 1] == run && from_strides[outer - 1] == run)))
		run *= t->shape[--outer];
	if (outer > 0) {
		n = t->shape[--outer];
		to_step = to_strides[outer] * width;
		from_step = from_strides[outer] * width;
	}
	for (size_t k = outer + 1; k > 0;) {
		copy_pieces(to, to_step, from, from_step, n, (size_t)(run * width));
		/* The next index: a dimension that is through goes back to its begin. */
		for (k = outer; k > 0; k--) {
			const bool more = ++index[k - 1] < t->shape[k - 1];
			const int64_t steps = more ? 1 : 1 - t->shape[k - 1];

			to += steps * to_strides[k - 1] * width;
			from += steps * from_strides[k - 1] * width;
			if (more)
				break;
			index[k - 1] = 0;
		}
	}
}

void view_scatter(const struct bound_tensor *t, const void *elements, void *image)
{
	int64_t strides[WORKLOAD_MAX_RANK];

	strides_set(t->shape, t->rank, strides);
	copy_elements(t, (unsigned char *)image + t->offset_bytes, t->strides, elements, strides);
}

void view_gather(const struct bound_tensor *t, const void *image, void *elements)
{
	int64_t strides[WORKLOAD_MAX_RANK];

	strides_set(t->shape, t->rank, strides);
	copy_elements(t, elements, strides, (const unsigned char *)image + t->offset_bytes,
		      t->strides);
}

/* Sets every byte of every element. */
static void set_elements(const struct bound_tensor *t, int byte, void *image)
{
	static const int64_t nowhere[WORKLOAD_MAX_RANK]; /* all elements are one */
	unsigned char element[sizeof(double)];

	memset(element, byte, sizeof element);
	copy_elements(t, (unsigned char *)image + t->offset_bytes, t->strides, element, nowhere);
}

/* ---- memories ---- */

/* True for a tensor that lies in the memory. */
static bool is_in(const struct binding *b, size_t owner, size_t i)
{
	return b->tensors[i].present && b->tensors[i].owner == owner;
}

bool views_has(const struct binding *b, size_t owner)
{
	const struct bound_tensor *t = &b->tensors[owner];
	bool more = t->scattered || t->memory_bytes != t->bytes;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		more |= i != owner && is_in(b, owner, i);
	return is_in(b, owner, owner) && more;
}

bool views_written(const struct binding *b, size_t owner)
{
	bool any = false;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		any |= is_in(b, owner, i) && b->workload->tensors[i].role != ROLE_IN;
	return any;
}

struct view_use views_find_use(const struct binding *b, size_t owner, void *image, void *spare)
{
	const size_t bytes = (size_t)b->tensors[owner].memory_bytes;
	const struct tensor *stated = b->workload->tensors;
	struct view_use use = {false, false};

	/* Marks all outputs, and takes the mark from all inputs: one that is gone was shared. */
	memset(image, 0, bytes);
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		use.renewed |= is_in(b, owner, i) && stated[i].role == ROLE_INOUT;
		if (is_in(b, owner, i) && stated[i].role != ROLE_IN)
			set_elements(&b->tensors[i], 1, image);
	}
	use.kept = views_written(b, owner) && memchr(image, 0, bytes) != NULL;
	memcpy(spare, image, bytes);
	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (is_in(b, owner, i) && stated[i].role == ROLE_IN)
			set_elements(&b->tensors[i], 0, spare);
	use.renewed |= memcmp(image, spare, bytes) != 0;
	return use;
}

void views_lay_out(const struct binding *b, size_t owner, void *const *outputs, int poison,
		   void *const *inputs, void *image)
{
	const size_t n = b->workload->n_tensors;

	memset(image, DEVICE_PATTERN, (size_t)b->tensors[owner].memory_bytes);
	for (size_t i = 0; i < n; i++) {
		if (!is_in(b, owner, i) || b->workload->tensors[i].role != ROLE_OUT)
			continue;
		if (outputs[i])
			view_scatter(&b->tensors[i], outputs[i], image);
		else
			set_elements(&b->tensors[i], poison, image);
	}
	for (size_t i = 0; i < n; i++)
		if (is_in(b, owner, i) && b->workload->tensors[i].role != ROLE_OUT)
			view_scatter(&b->tensors[i], inputs[i], image);
}

/* ---- what a launch has written beside its outputs ---- */

/* Distance from the last byte of an element before `at` to there. Where there is none before, that
 * from the first element back, which is more than any. The image has the tensor's elements marked.
 */
static int64_t distance_to(const struct bound_tensor *t, const unsigned char *marked,
			   int64_t memory_bytes, int64_t at)
{
	int64_t before = at < memory_bytes ? at : memory_bytes;

	while (before > t->offset_bytes && !marked[before - 1])
		before--;
	return before > t->offset_bytes ? at - before + 1 : memory_bytes + t->offset_bytes - at;
}

void views_name_stray(const struct binding *b, size_t owner, int64_t at, void *spare,
		      struct view_stray *out)
{
	const int64_t bytes = b->tensors[owner].memory_bytes;
	const unsigned char *marked = spare;
	int64_t nearest = INT64_MAX;

	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct bound_tensor *t = &b->tensors[i];
		const int64_t begin = t->offset_bytes, end = begin + t->span_bytes;
		const bool is_input = b->workload->tensors[i].role == ROLE_IN;

		if (!is_in(b, owner, i))
			continue;
		memset(spare, 0, (size_t)bytes);
		set_elements(t, 1, spare);
		if (at >= 0 && at < bytes && marked[at]) {
			*out = (struct view_stray){.tensor = i, .is_input = true};
			return;
		}
		const int64_t distance = distance_to(t, marked, bytes, at);

		/* An output wins against an input that is as near: kernels write outputs. */
		if (distance > nearest || (distance == nearest && is_input))
			continue;
		nearest = distance;
		*out = (struct view_stray){.tensor = i,
					   .is_within = at >= begin && at < end,
					   .at = at >= end ? at - end + 1 : at - begin};
	}
}

bool views_find_stray(const struct binding *b, size_t owner, const void *image, const void *now,
		      void *spare, struct view_stray *out)
{
	const size_t bytes = (size_t)b->tensors[owner].memory_bytes;
	const unsigned char *have = now, *want = spare;
	size_t at = 0;

	/* The expected content: the image, with the outputs as they are now. */
	memcpy(spare, image, bytes);
	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (is_in(b, owner, i) && b->workload->tensors[i].role != ROLE_IN)
			copy_elements(&b->tensors[i],
				      (unsigned char *)spare + b->tensors[i].offset_bytes,
				      b->tensors[i].strides, have + b->tensors[i].offset_bytes,
				      b->tensors[i].strides);
	if (memcmp(have, want, bytes) == 0)
		return false;
	while (have[at] == want[at])
		at++;
	views_name_stray(b, owner, (int64_t)at, spare, out);
	return true;
}
