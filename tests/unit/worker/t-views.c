/* Elements into a memory and out of it, what a memory holds before a launch, and what a launch has
 * written beside its outputs; every place is counted by hand, or by the formula of its indices.
 * covers: views.c */
#include "tuner/worker/views.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/device/device.h"
#include "tuner/workload/binding/binding.h"

enum { ROOM = 4096, GAP = DEVICE_PATTERN };

/* ---- one tensor ---- */

static struct bound_tensor tensor(enum dtype type, size_t rank, const int64_t *shape,
				  const int64_t *strides)
{
	struct bound_tensor t = {.present = true, .dtype = type, .rank = rank, .count = 1};
	int64_t last = 0;

	for (size_t i = 0; i < rank; i++) {
		t.shape[i] = shape[i];
		t.strides[i] = strides[i];
		t.count *= shape[i];
		last += (shape[i] - 1) * strides[i];
	}
	t.bytes = t.count * (int64_t)dtype_bytes(type);
	t.span_bytes = (last + 1) * (int64_t)dtype_bytes(type);
	return t;
}

/* Scatters elements and gathers them again; every byte of the memory is that of the element whose
 * indices lead there, or what it was before. */
static void check_copies(const struct bound_tensor *t, const char *what)
{
	static unsigned char elements[ROOM], back[ROOM], image[ROOM], want[ROOM];
	const size_t width = dtype_bytes(t->dtype);

	for (size_t i = 0; i < ROOM; i++)
		elements[i] = (unsigned char)(i * 2654435761U >> 9);
	memset(want, GAP, sizeof want);
	memset(image, GAP, sizeof image);
	for (int64_t e = 0; e < t->count; e++) {
		int64_t at = t->offset_bytes, rest = e;

		for (size_t k = t->rank; k-- > 0; rest /= t->shape[k])
			at += rest % t->shape[k] * t->strides[k] * (int64_t)width;
		memcpy(want + at, elements + (size_t)e * width, width);
	}
	view_scatter(t, elements, image);
	tap_int(memcmp(image, want, sizeof want), 0, "%s: each element is in its place", what);
	view_gather(t, image, back);
	tap_int(memcmp(back, elements, (size_t)t->bytes), 0, "%s: and found there", what);
}

static void test_copies(void)
{
	struct bound_tensor t = tensor(DTYPE_F32, 0, NULL, NULL);

	check_copies(&t, "one number");
	t.offset_bytes = 12;
	check_copies(&t, "one number behind others");
	t = tensor(DTYPE_F32, 1, (int64_t[]){100}, (int64_t[]){1});
	check_copies(&t, "a list");
	t = tensor(DTYPE_I8, 1, (int64_t[]){100}, (int64_t[]){7});
	check_copies(&t, "a list of bytes with gaps");
	t = tensor(DTYPE_F16, 2, (int64_t[]){5, 6}, (int64_t[]){9, 1});
	t.offset_bytes = 6;
	check_copies(&t, "rows with gaps");
	t = tensor(DTYPE_F64, 2, (int64_t[]){5, 6}, (int64_t[]){1, 5});
	check_copies(&t, "columns");
	t = tensor(DTYPE_I64, 3, (int64_t[]){3, 4, 5}, (int64_t[]){5, 15, 1});
	check_copies(&t, "two dimensions in each other's place");
	t = tensor(DTYPE_F32, 4, (int64_t[]){2, 1, 3, 4}, (int64_t[]){200, 3, 60, 9});
	check_copies(&t, "a dimension of one element, and gaps everywhere");
}

/* ---- a memory ---- */

enum { OWNER, PACKED, INPUT, OUTSIDE, TENSORS };

static struct tensor stated[TENSORS] = {{.name = "owner", .role = ROLE_OUT},
					{.name = "packed", .role = ROLE_OUT},
					{.name = "input", .role = ROLE_IN},
					{.name = "outside", .role = ROLE_OUT}};
static struct bound_tensor bound[TENSORS];
static struct workload workload = {.tensors = stated, .n_tensors = TENSORS};
static struct binding binding = {.workload = &workload, .tensors = bound};

/* Rows of 3 elements of 8: the owner has the first of these, `packed` two behind one more, and the
 * input the last one. */
static void make_memory(void)
{
	bound[OWNER] = tensor(DTYPE_I32, 2, (int64_t[]){3, 3}, (int64_t[]){8, 1});
	bound[PACKED] = tensor(DTYPE_I32, 2, (int64_t[]){3, 2}, (int64_t[]){8, 1});
	bound[INPUT] = tensor(DTYPE_I32, 1, (int64_t[]){3}, (int64_t[]){8});
	bound[OUTSIDE] = tensor(DTYPE_I32, 1, (int64_t[]){3}, (int64_t[]){1});
	bound[OWNER].scattered = bound[PACKED].scattered = bound[INPUT].scattered = true;
	bound[PACKED].offset_bytes = 4 * 4;
	bound[INPUT].offset_bytes = 7 * 4;
	bound[OUTSIDE].owner = OUTSIDE;
	bound[OUTSIDE].memory_bytes = bound[OUTSIDE].bytes;
	bound[OWNER].memory_bytes = 3 * 8 * 4;
}

static void test_layout(void)
{
	const int32_t numbers[] = {7, 8, 9};
	int32_t image[3 * 8], want[3 * 8], spare[3 * 8];
	void *outputs[TENSORS] = {[PACKED] = (int32_t[]){1, 2, 3, 4, 5, 6}};
	void *inputs[TENSORS] = {[INPUT] = (int32_t[]){7, 8, 9}};
	struct view_use use;

	make_memory();
	tap_ok(views_has(&binding, OWNER), "three tensors in one memory");
	tap_ok(!views_has(&binding, OUTSIDE), "one tensor from end to end");
	tap_ok(!views_has(&binding, PACKED), "a memory is its owner's");
	tap_ok(views_written(&binding, OWNER), "it has outputs");
	use = views_find_use(&binding, OWNER, image, spare);
	tap_ok(!use.renewed && use.kept, "none of which is read, and bytes of none");
	memset(want, GAP, sizeof want);
	for (int i = 0; i < 3; i++) {
		memset(&want[8 * i], 0xFF, 3 * sizeof *want);
		want[8 * i + 4] = 2 * i + 1;
		want[8 * i + 5] = 2 * i + 2;
		want[8 * i + 7] = numbers[i];
	}
	views_lay_out(&binding, OWNER, outputs, 0xFF, inputs, image);
	tap_int(memcmp(image, want, sizeof want), 0,
		"outputs have their contents or the poison, inputs theirs, gaps the pattern");
	/* An element of an output and of an input. */
	bound[INPUT].offset_bytes = 5 * 4;
	tap_ok(views_find_use(&binding, OWNER, image, spare).renewed, "an output that is read");
	views_lay_out(&binding, OWNER, outputs, 0xFF, inputs, image);
	tap_ok(image[5] == 7 && image[4] == 1, "its element has the input's content");
	make_memory();
	stated[PACKED].role = ROLE_INOUT;
	tap_ok(views_find_use(&binding, OWNER, image, spare).renewed, "a tensor that is both");
	stated[PACKED].role = ROLE_OUT;
	bound[PACKED].offset_bytes = 3 * 4;
	bound[PACKED].shape[1] = 5;
	tap_ok(!views_find_use(&binding, OWNER, image, spare).kept, "outputs without gaps");
	stated[OWNER].role = stated[PACKED].role = ROLE_IN;
	tap_ok(!views_find_use(&binding, OWNER, image, spare).kept, "no output at all");
	stated[OWNER].role = stated[PACKED].role = ROLE_OUT;
}

/* What is found of a write to one byte. */
static bool find(int64_t byte, struct view_stray *out)
{
	unsigned char image[3 * 8 * 4], now[sizeof image], spare[sizeof image];
	void *outputs[TENSORS] = {NULL}, *inputs[TENSORS] = {[INPUT] = (int32_t[]){7, 8, 9}};

	make_memory();
	views_lay_out(&binding, OWNER, outputs, 0xFF, inputs, image);
	memcpy(now, image, sizeof now);
	now[byte] ^= 1;
	return views_find_stray(&binding, OWNER, image, now, spare, out);
}

static void test_strays(void)
{
	unsigned char spare[3 * 8 * 4];
	struct view_stray s;

	tap_ok(!find(0, &s) && !find(4 * 4, &s) && !find(2 * 8 * 4 + 5 * 4 + 3, &s),
	       "a write to an output's element is none");
	if (tap_ok(find(3 * 4, &s), "a gap behind a row"))
		tap_ok(s.tensor == OWNER && s.is_within && s.at == 12, "is the row's tensor's");
	if (tap_ok(find(6 * 4 + 2, &s), "a gap behind another tensor's row"))
		tap_ok(s.tensor == PACKED && s.is_within && s.at == 10, "is that one's");
	if (tap_ok(find((8 + 7) * 4 + 1, &s), "an input's element"))
		tap_ok(s.tensor == INPUT && s.is_input, "is a write to it");
	if (tap_ok(find((16 + 6) * 4, &s), "behind the last row"))
		tap_ok(s.tensor == PACKED && !s.is_within && s.at == 1, "is just past the end");
	views_name_stray(&binding, OWNER, 3 * 8 * 4 + 5, spare, &s);
	tap_ok(s.tensor == INPUT && s.at == 6 && !s.is_within,
	       "what is behind the memory is past the tensor that ends there");
	views_name_stray(&binding, OWNER, -2, spare, &s);
	tap_ok(s.tensor == OWNER && s.at == -2, "what is before it, before the first one");
}

int main(void)
{
	test_copies();
	test_layout();
	test_strays();
	return tap_done();
}
