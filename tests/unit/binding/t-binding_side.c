/* Plans of one copy of a workload on the tensors of another: found by name, in whatever order the
 * files have them; scratch tensors stay behind those of the head.
 * covers: binding_side.c binding_key.c */
#include "tuner/workload/binding/binding_side.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"

/* Files beside the source that the texts name: what they hold is not read. */
#define HEAD TEST_DATA "/cli/workloads/axpy.json"
#define SIDE TEST_DATA "/cli/workloads/views.json"

#define IN(name, type)                                                                             \
	"\"" name "\": {\"shape\": [\"N\"], \"dtype\": \"" type "\", \"role\": \"in\"}"
#define OUT(name)                                                                                  \
	"\"" name "\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"out\", \"verify\": "   \
	"{\"kind\": \"exact\"}}"
#define PART(name) "{\"tensor\": \"" name "\"}"
#define ALL(tensors, implementation)                                                               \
	"{\"asctune\": 1, \"name\": \"w\", \"operator\": \"w\", \"description\": \"\",\n"          \
	"\"problems\": [{\"name\": \"p\", \"dims\": {\"N\": 64}}], \"tensors\": {" tensors "},\n"  \
	"\"reference\": {\"source\": \"axpy/reference.c\", \"entry\": \"axpy_reference\", "        \
	"\"arguments\": [" PART("out") "]},\n"                                                     \
				       "\"implementations\": [{\"name\": \"i\", \"devices\": "     \
				       "[\"cpu\"], " implementation "}]}"
#define OF      "\"builder\": \"cc\", \"source\": \"axpy/kernel.c\", "
#define SCRATCH "\"scratch\": {\"s\": {\"shape\": [\"N\"], \"dtype\": \"f32\"}}, "
#define CALLS                                                                                      \
	SCRATCH "\"calls\": [{" OF "\"entry\": \"a\", \"arguments\": [" PART("x") ", " PART(       \
		"s") "]}, "                                                                        \
		     "{" OF "\"entry\": \"b\", \"arguments\": [" PART(                             \
			     "s") ", {\"scalar\": \"N\", \"type\": "                               \
				  "\"i64\"}, " PART("y") ", " PART("out") "]}]"
#define ONE OF "\"entry\": \"a\", \"arguments\": [" PART("out") "]"

static const char head_text[] = ALL(IN("x", "f32") ", " OUT("out") ", " IN("y", "f32"), ONE);
static const char side_text[] = ALL(IN("y", "f32") ", " IN("x", "f32") ", " OUT("out"), CALLS);

struct opened {
	struct workload *w;
	struct binding b;
};

static bool open_text(const char *path, const char *text, struct opened *out)
{
	const struct facts facts = {0};
	struct asc_err e;

	*out = (struct opened){0};
	if (workload_parse(path, text, strlen(text), &out->w, &e) == ASC_OK &&
	    binding_init(&out->b, out->w, out->w->problems, "cpu", &facts, &e) == ASC_OK)
		return true;
	return tap_ok(false, "%s: %s", path, e.text);
}

static void close_opened(struct opened *o)
{
	binding_fini(&o->b);
	workload_close(o->w);
}

static void test_plans(const struct binding *head)
{
	const struct config none = {0};
	struct binding_side s;
	struct opened side;
	struct plan p;
	struct asc_err e;

	if (!open_text(SIDE, side_text, &side))
		return;
	tap_int(binding_side_init(&s, head, &side.b, &e), ASC_OK, "tensors in another order");
	const struct implementation *i = side.w->implementations;

	tap_int(binding_plan(&side.b, i, 0, &none, &p, &e), ASC_OK, "the first call");
	tap_int((int)p.arguments[0].tensor, 1, "x is the second tensor of the copy");
	binding_side_take(&s, &p);
	tap_int((int)p.arguments[0].tensor, 0, "and the first of the head");
	tap_int((int)p.arguments[1].tensor, 3, "scratch is behind the head's");
	tap_int(binding_plan(&side.b, i, 1, &none, &p, &e), ASC_OK, "the second call");
	binding_side_take(&s, &p);
	tap_int((int)p.arguments[0].tensor, 3, "the same scratch");
	tap_int((int)p.arguments[1].scalar.i, 64, "a number stays what it is");
	tap_int((int)p.arguments[2].tensor, 2, "y");
	tap_int((int)p.arguments[3].tensor, 1, "out");
	close_opened(&side);
}

/* What the worker refuses, whatever the coordinator has let through. */
static void test_refusals(const struct binding *head)
{
	static const struct {
		const char *text, *words;
	} all[] = {
		{ALL(IN("x", "f16") ", " OUT("out") ", " IN("y", "f32"), ONE),
		 "inputs differ: x is input f16[64] in " SIDE ", expected input f32[64]"},
		{ALL(IN("x", "f32") ", " OUT(
			     "out") ", \"y\": {\"shape\": [\"N\", 2], \"dtype\": \"f32\", "
				    "\"role\": \"in\"}",
		     ONE),
		 "inputs differ: y is input f32[64, 2] in " SIDE ", expected input f32[64]"},
		{ALL(IN("x", "f32") ", " OUT("out") ", " IN("y", "f32") ", " IN("z", "f32"), ONE),
		 "inputs differ: " HEAD " has no tensor z"},
		{ALL(IN("x", "f32") ", " OUT("out"), ONE),
		 "inputs differ: " SIDE " has no tensor y"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct binding_side s;
		struct opened side;
		struct asc_err e;

		if (!open_text(SIDE, all[i].text, &side))
			continue;
		tap_int(binding_side_init(&s, head, &side.b, &e), ASC_INPUT, "refused");
		tap_str(e.text, all[i].words, "in words");
		close_opened(&side);
	}
}

/* The order of tensors is no difference, though keys differ by it; a tensor without a partner is.
 */
static void test_differences(const struct binding *head)
{
	static const struct {
		const char *text, *words;
	} all[] = {
		{side_text, ""},
		{ALL(IN("y", "f32") ", " IN("z", "f32") ", " OUT("out"), ONE), "B has no tensor x"},
		{ALL(IN("z", "f32") ", " OUT("out") ", " IN("y", "f32"), ONE),
		 "tensor 1 is x in A, z in B"},
		{ALL(IN("y", "f32") ", " IN("x", "i32") ", " OUT("out"), ONE),
		 "x is input f32[64] in A, input i32[64] in B"},
	};

	static const char *const names[] = {"A", "B"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct opened side;
		struct buf text = {0};
		const char *reference;
		struct asc_err e;

		if (!open_text(SIDE, all[i].text, &side))
			continue;
		tap_ok(strcmp(head->key, side.b.key) != 0, "another key");
		tap_int(binding_print_difference(head, &side.b, names, &text, &reference, &e),
			ASC_OK, "is compared");
		tap_str(buf_str(&text), all[i].words, "the difference");
		buf_fini(&text);
		close_opened(&side);
	}
}

int main(void)
{
	struct opened head;

	if (open_text(HEAD, head_text, &head)) {
		test_plans(&head.b);
		test_refusals(&head.b);
		test_differences(&head.b);
	}
	close_opened(&head);
	return tap_done();
}
