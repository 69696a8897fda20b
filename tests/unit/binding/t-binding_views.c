/* Tensors as views: where their elements lie, how large memories are, what launches and references
 * are given, and what the key of a problem has of it; worked out by hand from
 * cli/workloads/views.json.
 * covers: binding.c binding_plan.c binding_key.c */
#include "tuner/workload/binding/binding.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/workload/binding/workload_open.h"

#define VIEWS TEST_DATA "/cli/workloads/views.json"

enum { X, FIRST, Y, SIGNS, BIAS, BEFORE, AFTER };

struct opened {
	struct workload *w;
	struct binding b;
};

/* Opens and binds the workload, the first `old` of its text replaced by `new`. */
static bool open_changed(const char *old, const char *new, struct opened *out)
{
	struct buf text = {0}, changed = {0};
	const struct facts facts = {0};
	struct asc_err e = {0};
	bool bound = false;

	*out = (struct opened){0};
	if (file_read(VIEWS, 0, &text, &e) == ASC_OK) {
		const char *from = buf_str(&text), *at = strstr(from, old);

		buf_print(&changed, "%.*s%s%s", at ? (int)(at - from) : 0, from, new,
			  at ? at + strlen(old) : "");
		bound = workload_parse(VIEWS, buf_str(&changed), changed.len, &out->w, &e) ==
				ASC_OK &&
			binding_init(&out->b, out->w, out->w->problems, "cpu", &facts, &e) ==
				ASC_OK;
	}
	buf_fini(&text);
	buf_fini(&changed);
	return tap_ok(bound, "%s in the place of %s: %s", new, old, bound ? "bound" : e.text);
}

static void close_opened(struct opened *o)
{
	binding_fini(&o->b);
	workload_close(o->w);
}

static void test_places(const struct binding *b)
{
	const struct bound_tensor *t = b->tensors;

	tap_ok(t[X].strides[0] == 32 && t[X].strides[1] == 1 && t[X].scattered, "rows with gaps");
	tap_int(t[X].offset_bytes, 3 * 4, "an offset counts elements");
	tap_int(t[X].span_bytes, (5 * 32 + 20) * 4, "from the first to the last element");
	tap_int(t[X].bytes, 6 * 20 * 4, "the size is that of the elements");
	tap_ok(t[FIRST].owner == X && t[FIRST].memory_bytes == 0, "another one's memory");
	tap_int(t[FIRST].span_bytes, (5 * 32 + 1) * 4, "a stride of 0 goes nowhere");
	tap_int(t[X].memory_bytes, (3 + 5 * 32 + 20) * 4, "a memory reaches to its last element");
	tap_int(t[Y].memory_bytes, (28 + 5 * 32 + 1) * 4, "of all tensors in it");
	tap_ok(!t[AFTER].scattered && t[AFTER].owner == BEFORE && t[AFTER].strides[0] == 1,
	       "one element after another in another one's memory");
	tap_ok(t[BEFORE].owner == BEFORE && t[BEFORE].memory_bytes == 20 * 8,
	       "a memory that is shared from end to end");
}

static void plan_key(const struct plan *p, char key[HASH_TEXT_SIZE])
{
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	plan_hash(p, &h);
	tap_int(hash_end(&h, key, &e), ASC_OK, "a key of a plan");
}

static void test_plan(const struct binding *b)
{
	char key[HASH_TEXT_SIZE], moved[HASH_TEXT_SIZE];

	struct config config = {.n = 1, .values = {value_int(0)}};
	struct plan p;
	struct asc_err e;

	tap_int(binding_plan(b, b->workload->implementations, 0, &config, &p, &e), ASC_OK,
		"a launch");
	const struct bound_argument *a = p.arguments;

	tap_ok(a[Y].strides[0] == 32 && a[Y].offset_bytes == 16 && a[Y].scattered,
	       "a kernel is given the view");
	tap_ok(a[AFTER].tensor == AFTER && a[AFTER].offset_bytes == 0 && !a[AFTER].scattered,
	       "or the begin of a memory");
	plan_key(&p, key);
	p.arguments[AFTER].offset_bytes = 8;
	plan_key(&p, moved);
	tap_ok(strcmp(key, moved) != 0, "another place is another launch");
	tap_int(binding_plan(b, NULL, 0, NULL, &p, &e), ASC_OK, "a launch of the reference");
	tap_ok(a[Y].strides[0] == 20 && a[Y].offset_bytes == 0 && !a[Y].scattered,
	       "a reference is given the elements one after another");
}

/* A view is in the key of its problem, whichever of its parts is another one. */
static void test_keys(const struct binding *b)
{
	static const struct {
		const char *old, *new, *difference;
	} all[] = {{"\"strides\": [\"ROW\", 0]", "\"strides\": [0, 1]",
		    "first is input f32[6, 20] at strides [32, 0] from element 3 of x in A, input "
		    "f32[6, 20] at strides [0, 1] from element 3 of x in B"},
		   {"\"offset\": 3", "\"offset\": 5",
		    "x is input f32[6, 20] at strides [32, 1] from element 3 of x in A, input "
		    "f32[6, 20] at strides [32, 1] from element 5 of x in B"},
		   {", \"shares\": \"before\"", "",
		    "after is output i64[20] at strides [1] from element 0 of before in A, output "
		    "i64[20] in B"},
		   {"\"strides\": [\"ROW\", 1]", "\"strides\": [32, 1]", ""}};

	static const char *const names[] = {"A", "B"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct buf text = {0};
		struct opened other;
		const char *source;
		struct asc_err e;

		if (open_changed(all[i].old, all[i].new, &other) &&
		    tap_int(binding_print_difference(b, &other.b, names, &text, &source, &e),
			    ASC_OK, "is compared"))
			tap_str(buf_str(&text), all[i].difference, "the difference");
		buf_fini(&text);
		close_opened(&other);
	}
}

/* A tensor that shares its memory in some problems alone. */
static void test_conditions(void)
{
	static const char shares[] = "\"shares\": \"before\"";
	struct opened o;

	if (open_changed(shares, "\"shares\": \"before\", \"shares_if\": \"ROW > 31\"", &o))
		tap_int((int)o.b.tensors[AFTER].owner, BEFORE,
			"another one's memory where it holds");
	close_opened(&o);
	if (open_changed(shares, "\"shares\": \"before\", \"shares_if\": \"ROW > 32\"", &o)) {
		tap_int((int)o.b.tensors[AFTER].owner, AFTER, "its own where it does not");
		tap_int(o.b.tensors[AFTER].memory_bytes, 20 * 8, "as large as the tensor");
	}
	close_opened(&o);
}

/* ---- views that arguments are ---- */

/* Arguments behind y, of the reference and of the first implementation. */
#define REST                                                                                       \
	"{\"tensor\": \"signs\"}, {\"tensor\": \"bias\"}, {\"tensor\": \"before\"}, {\"tensor\": " \
	"\"after\"},\n"
#define SIZES "{\"scalar\": \"M\", \"type\": \"i64\"}, {\"scalar\": \"N\", \"type\": \"i64\"}"

/* Plans the launch, or the reference, with `argument` in the place of y, which is 6 rows of 20 at
 * strides [32, 1] from element 4 on. */
static bool plan_changed(const char *argument, bool for_reference, struct plan *out)
{
	struct config config = {.n = 1, .values = {value_int(0)}};
	const char *end = for_reference ? REST "      " SIZES "\n"
					: REST "        " SIZES ", {\"scalar\": \"ROW\"";
	char *old = str_print("{\"tensor\": \"y\"}, %s", end);
	char *new = str_print("%s, %s", argument, end);
	struct opened o = {0};
	struct asc_err e;
	const bool planned = open_changed(old, new, &o) &&
			     tap_int(binding_plan(&o.b, for_reference ? NULL : o.w->implementations,
						  0, for_reference ? NULL : &config, out, &e),
				     ASC_OK, "is planned");

	close_opened(&o);
	free(old);
	free(new);
	return planned;
}

static void test_arguments(void)
{
	struct plan p;
	const struct bound_argument *y = &p.arguments[Y];

	if (plan_changed("{\"tensor\": \"y\", \"shape\": [\"M\", 4, 1, 5]}", false, &p))
		tap_ok(y->rank == 4 && y->strides[0] == 32 && y->strides[1] == 5 &&
			       y->strides[3] == 1 && y->offset_bytes == 16 && y->scattered,
		       "another shape within rows with gaps");
	if (plan_changed("{\"tensor\": \"y\", \"shape\": [3, 5], \"strides\": [64, 4], "
			 "\"offset\": \"ROW\"}",
			 false, &p))
		tap_ok(y->rank == 2 && y->shape[0] == 3 && y->strides[0] == 64 &&
			       y->strides[1] == 4 && y->offset_bytes == (4 + 32) * 4,
		       "a part, counted from the tensor's first element in its memory");
	if (plan_changed("{\"tensor\": \"y\", \"shape\": [20], \"offset\": 160}", false, &p))
		tap_ok(!y->scattered && y->offset_bytes == (4 + 160) * 4, "its last row");
	if (plan_changed("{\"tensor\": \"y\", \"shape\": [20, \"M\"]}", true, &p))
		tap_ok(y->strides[0] == 6 && y->strides[1] == 1 && y->offset_bytes == 0,
		       "a reference's doubles follow each other");
}

int main(void)
{
	struct opened o;

	if (open_changed("views", "views", &o)) {
		test_places(&o.b);
		test_plan(&o.b);
		test_keys(&o.b);
	}
	close_opened(&o);
	test_conditions();
	test_arguments();
	return tap_done();
}
