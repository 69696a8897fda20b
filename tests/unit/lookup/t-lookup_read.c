/* Dispatch tables from files: what each format says, and what is refused.
 * covers: lookup_read.c */
#include "reports/tables/lookup/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static char *path;
static const int64_t active[] = {-1, 0, 1, 2, 10};

static bool open_text(const char *text, struct lookup **out)
{
	struct asc_err e = {0}; /* printed, whatever became of it */

	return tap_int(file_write(path, text, strlen(text), &e), ASC_OK, "a file") &&
	       tap_ok(lookup_read(path, false, out, &e) == ASC_OK, "is a table (%s)", e.text);
}

static struct lookup_answer ask(const struct lookup *t, const char *op, const char *type, int64_t m)
{
	const struct asctune_size sizes[] = {{"m", m}};
	const struct asctune_type types[] = {{NULL, type}};
	const struct asctune_question q = {op, "cuda", "H200", types, 1, sizes, 1, active, 5};

	return lookup_ask(t, &q);
}

static void test_rules(void)
{
	static const char text[] =
		"{\"format\": \"asctune-infiniops-rules\", \"version\": 1, \"infiniops\": \"x\","
		" \"rules\": ["
		"{\"op\": \"gemm\", \"device\": \"nvidia\", \"device_name\": \"H200\","
		" \"dtype\": \"float16\", \"match\": {\"m\": [1, 64]}, \"implementation_index\": 1,"
		" \"time_us\": 6.5, \"default_index\": 0, \"default_time_us\": 7.9},"
		"{\"op\": \"gemm\", \"device\": \"nvidia\", \"device_name\": \"*\", \"dtype\": "
		"\"*\","
		" \"match\": {}, \"implementation_index\": 0},"
		"{\"op\": \"add\", \"device\": \"nvidia\", \"dtype\": {\"T\": \"float32\"},"
		" \"match\": {\"m\": 8}, \"implementation_index\": 10,"
		" \"config\": {\"num_warps\": 8, \"constexprs\": {\"B\": 1024}}, \"X-note\": 1}]}";
	struct lookup *t = NULL;

	if (!open_text(text, &t))
		return;
	tap_int((long)lookup_count(t), 3, "of three rules");
	tap_int(ask(t, "gemm", "f16", 64).index, 1, "a range, a type by another name");
	tap_real(ask(t, "gemm", "f16", 64).time_ns, 6500, 0, "its time");
	tap_int(ask(t, "gemm", "f16", 64).default_index, 0, "the default's index");
	tap_real(ask(t, "gemm", "f16", 64).default_ns, 7900, 0, "and time");
	tap_int(ask(t, "gemm", "f16", 65).index, 0, "any device, any type, any size");
	tap_int(ask(t, "gemm", "f16", 65).default_index, -1, "nothing is known of its default");
	tap_int(ask(t, "add", "float", 8).found, ASCTUNE_EXACT, "one size is exact");
	tap_str(ask(t, "add", "float", 8).config, "{\"num_warps\":8,\"constexprs\":{\"B\":1024}}",
		"with a configuration");
	tap_int(ask(t, "add", "float", 9).found, ASCTUNE_NOT_SET, "rules have no nearest");
	lookup_free(t);
}

static void test_best(void)
{
	static const char text[] =
		"{\"format\":\"asctune-best\",\"version\":1,\"configurations\":[\n"
		"{\"workload\":\"w\",\"operator\":\"gemm\",\"problem_values\":{\"dims\":{\"m\":16},"
		"\"dtypes\":{\"T\":\"f16\"}},\"device_kind\":\"cuda\",\"device_model\":\"H200\","
		"\"cache_policy\":\"hot\",\"implementation\":\"tiled\",\"implementation_index\":-1,"
		"\"config\":{\"B\":1},\"median_ns\":10},"
		"{\"operator\":\"gemm\",\"problem_values\":{\"dims\":{\"m\":16},"
		"\"dtypes\":{\"T\":\"f16\"}},\"device_kind\":\"cuda\",\"device_model\":\"H200\","
		"\"cache_policy\":\"cold\",\"implementation\":\"tiled\",\"implementation_index\":-"
		"1,"
		"\"config\":{\"B\":2},\"median_ns\":20},"
		"{\"operator\":\"half\",\"problem_values\":{\"dims\":{\"m\":true},"
		"\"dtypes\":{\"T\":\"f16\"}},\"device_kind\":\"cuda\",\"device_model\":\"H200\","
		"\"cache_policy\":\"cold\",\"implementation\":\"tiled\","
		"\"implementation_index\":2,\"config\":{\"B\":3},\"median_ns\":20},"
		"{\"operator\":\"gemm\",\"problem_values\":{\"dims\":{\"m\":0.5},\"dtypes\":{}},"
		"\"device_kind\":\"cuda\",\"device_model\":\"H200\",\"cache_policy\":\"cold\","
		"\"implementation\":\"tiled\",\"implementation_index\":2,\"config\":{},"
		"\"median_ns\":20}]}";
	struct lookup *t = NULL;

	if (!open_text(text, &t))
		return;
	tap_str(ask(t, "gemm", "f16", 16).config, "{\"B\":2}", "cold caches before hot ones");
	tap_str(ask(t, "gemm", "f16", 16).implementation, "tiled", "by its name");
	tap_int(ask(t, "gemm", "f16", 16).found, ASCTUNE_EXACT, "for the sizes measured");
	tap_int(ask(t, "gemm", "f16", 17).found, ASCTUNE_NEAREST, "others have the nearest");
	tap_int(ask(t, "gemm", "f32", 16).found, ASCTUNE_NOT_SET, "another type has none");
	tap_int(ask(t, "half", "f16", 1).index, 2,
		"a truth value is a size, and a type's name one of an "
		"operator");
	tap_int((long)lookup_count(t), 3, "a size that is no integer makes no rule");
	lookup_free(t);
}

/* A configuration that an answer has no room for. */
/* Results by the names that their workload has for Python. */
static void test_named(void)
{
	static const char text[] =
		"{\"format\":\"asctune-best\",\"version\":1,\"configurations\":[\n"
		"{\"operator\":\"w\",\"problem_values\":{\"dims\":{\"M\":16,\"atol\":0.5},"
		"\"dtypes\":{\"T\":\"f16\"}},\"device_kind\":\"cuda\",\"device_model\":\"H200\","
		"\"cache_policy\":\"cold\",\"implementation\":\"triton\",\"implementation_index\":-"
		"1,\"config\":{\"B\":1},\"median_ns\":10,\"export\":{\"triton\":{\"operator\":"
		"\"mod:kernel\",\"sizes\":{\"m\":\"M\"},\"types\":{\"x\":\"T\",\"mode\":\"mean\"}}}"
		"},"
		"{\"operator\":\"w\",\"problem_values\":{\"dims\":{}},\"device_kind\":\"cuda\","
		"\"device_model\":\"H200\",\"cache_policy\":\"cold\",\"implementation\":\"triton\","
		"\"implementation_index\":-1,\"config\":{\"B\":1},\"median_ns\":10,"
		"\"export\":{\"triton\":{\"operator\":\"mod:other\",\"sizes\":{\"m\":\"M\"}}}}]}";
	const struct asctune_size size = {"m", 16};
	struct asctune_type types[] = {{"mode", "mean"}, {"x", "float16"}};
	struct asctune_question q = {"mod:kernel", "cuda", "H200", types, 2, &size, 1, active, 5};
	struct lookup *t = NULL;

	if (!open_text(text, &t))
		return;
	tap_int(lookup_ask(t, &q).found, ASCTUNE_EXACT, "a result by its names in Python");
	types[0].type = "sum";
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "for the same texts alone");
	tap_int((long)lookup_count(t), 1, "a problem without a size that is named");
	tap_has(lookup_left_out(t)->text, "\"M\" is no size of the problem", "makes no rule");
	lookup_free(t);
}

static void test_long_config(void)
{
	struct buf text = {0};
	struct lookup *t = NULL;

	buf_add_str(&text,
		    "{\"format\": \"asctune-infiniops-rules\", \"version\": 1, \"rules\": [");
	for (int i = 0; i < 2; i++)
		buf_print(&text,
			  "%s{\"op\": \"gemm\", \"device\": \"cuda\", \"match\": {\"m\": %d}, "
			  "\"implementation_index\": 1, \"config\": {\"%0*d\": 1}}",
			  i ? "," : "", i, ASCTUNE_CONFIG_BYTES - 7 + i, 0);
	buf_add_str(&text, "]}");
	if (open_text(buf_str(&text), &t)) {
		tap_int(ask(t, "gemm", "f16", 0).found, ASCTUNE_EXACT, "one that fits serves");
		tap_int(ask(t, "gemm", "f16", 1).found, ASCTUNE_NOT_SET, "a longer one does not");
		tap_has(lookup_left_out(t)->text,
			"rules[1]: a configuration of 1024 bytes, expected at most 1023",
			"which is said");
	}
	lookup_free(t);
	buf_fini(&text);
}

static void test_refused(void)
{
#define RULES(rule)                                                                                \
	"{\"format\": \"asctune-infiniops-rules\", \"version\": 1, \"rules\": [" rule "]}"
#define HEAD "\"op\": \"gemm\", \"device\": \"cuda\", "
	static const struct {
		const char *text, *part;
		enum asc_status status;
	} list[] = {
		{"", "the text is empty", ASC_INPUT},
		{"{\"format\": \"asctune-best\", \"version\": 1, \"configurations\": [",
		 "end of the text", ASC_INPUT},
		{"[]", "expected an object", ASC_INPUT},
		{"{}", "it has no \"format\" and \"version\"", ASC_INPUT},
		{"{\"format\": \"vllm\", \"version\": 1}",
		 "format: \"vllm\", expected asctune-infiniops-rules or asctune-best", ASC_INPUT},
		{"{\"format\": \"asctune-best\", \"version\": 2}",
		 "version: is 2, this asctune reads 1", ASC_NEWER},
		{"{\"format\": \"asctune-best\", \"version\": 0}", "is 0, this asctune reads 1",
		 ASC_INPUT},
		{"{\"format\": \"asctune-best\", \"version\": 1}", "\"configurations\" is missing",
		 ASC_INPUT},
		{RULES("{}"), "rules[0]", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {}, \"implementation_index\": 0, \"matchs\": {}}"),
		 "matchs", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {\"m\": [1, 2, 3]}, \"implementation_index\": 0}"),
		 "rules[0].match.m", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {\"m\": [3, 2]}, \"implementation_index\": 0}"),
		 "rules[0]: size \"m\": from 3 to 2", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {\"m\": -1}, \"implementation_index\": 0}"),
		 "expected 0 to 2^53", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {}, \"implementation_index\": 0, \"config\": 7}"),
		 "rules[0].config", ASC_INPUT},
		{RULES("{" HEAD "\"match\": {}, \"implementation_index\": 0, \"dtype\": 7}"),
		 "rules[0].dtype", ASC_INPUT},
	};
	struct asc_err e;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct lookup *t = NULL;

		(void)file_write(path, list[i].text, strlen(list[i].text), &e);
		tap_int(lookup_read(path, false, &t, &e), list[i].status, "%s", list[i].part);
		tap_has(e.text, list[i].part, "is what the message says");
		tap_ok(!t, "and there is no table");
	}
}

/* ---- memory ---- */

static enum asc_status job_read(struct asc_err *e)
{
	struct lookup *t = NULL;
	const enum asc_status status = lookup_read(path, false, &t, e);

	lookup_free(t);
	return status;
}

static void test_nomem(void)
{
	static const char rules[] =
		"{\"format\": \"asctune-infiniops-rules\", \"version\": 1, \"rules\": ["
		"{\"op\": \"add\", \"device\": \"npu\", \"dtype\": {\"T\": \"f32\", \"U\": "
		"\"f16\"},"
		" \"match\": {\"m\": [1, 8], \"n\": 2}, \"implementation_index\": 1},"
		"{\"op\": \"a\\u00e9\", \"device\": \"cpu\", \"match\": {\"m\": 8},"
		" \"implementation_index\": 2, \"config\": {\"B\": [1, 2.5, \"x\"]}}]}";
	static const char results[] =
		"{\"format\": \"asctune-best\", \"version\": 1, \"configurations\": ["
		"{\"operator\": \"gemm\", \"problem_values\": {\"dims\": {\"m\": 4}},"
		" \"device_kind\": \"cpu\", \"device_model\": \"x\", \"cache_policy\": \"cold\","
		" \"implementation\": \"i\", \"implementation_index\": 1, \"config\": {},"
		" \"median_ns\": 1},"
		"{\"operator\": \"gemm\", \"problem_values\": 5}]}";
	struct asc_err e;

	tap_int(file_write(path, rules, strlen(rules), &e), ASC_OK, "a file of rules");
	nomem_exhaust("a file of rules is read", job_read);
	tap_int(file_write(path, results, strlen(results), &e), ASC_OK, "a file of results");
	nomem_exhaust("a file of results is read", job_read);
}

int main(void)
{
	struct asc_err e;
	char *folder = NULL;
	struct lookup *t = NULL;

	if (!tap_int(dir_make_scratch("lookup", &folder, &e), ASC_OK, "a folder"))
		return tap_done();
	path = path_join(folder, "table.json");
	tap_int(lookup_read(path, false, &t, &e), ASC_NOTFOUND, "no file (%s)", e.text);
	test_rules();
	test_best();
	test_named();
	test_long_config();
	test_refused();
	test_nomem();
	dir_remove(folder);
	free(path);
	free(folder);
	return tap_done();
}
