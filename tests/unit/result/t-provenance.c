/* Provenance: written, read, and compared.
 * covers: provenance.c */
#include "tuner/result/provenance.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static const char recorded[] =
	"{\"device_model\": \"m\", \"device_arch\": \"x\", \"toolchain\": \"cc 12\", \"version\": "
	"\"1\","
	" \"device_fingerprint\": \"f\", \"workload_hash\": \"w\", \"problem_key\": \"p\","
	" \"implementation_key\": \"i\", \"options\": [\"-O2\", \"-g\"],"
	" \"sources\": {\"k.c\": \"1\", \"a.h\": \"2\", \"b.h\": \"3\"}, \"others\": 1}";

struct row {
	const char *name;
	const char *from, *to; /* a part of the text, and what stands there today */
	const char *lines, *unknown;
};

static const struct row rows[] = {
	{"nothing", "", "", "", ""},
	{"device", "\"m\"", "\"n\"", "device: n, was m\n", ""},
	{"fingerprint", "\"f\"", "\"g\"", "the device has another fingerprint\n", ""},
	{"architecture", "\"x\"", "\"y\"", "architecture: y, was x\n", ""},
	{"compiler", "cc 12", "cc 13", "compiler: cc 13, was cc 12\n", ""},
	{"libraries", "cc 12", "CPython 3.12.1, torch 2.11.0 #aa",
	 "compiler: CPython 3.12.1, torch "
	 "2.11.0 #aa, was cc 12\n",
	 ""},
	{"option", "-O2", "-O3", "compiler's option -O3 is new\ncompiler's option -O2 is gone\n",
	 ""},
	{"order of options", "\"-O2\", \"-g\"", "\"-g\", \"-O2\"",
	 "the compiler's options are in another order\n", ""},
	{"source text", "\"k.c\": \"1\"", "\"k.c\": \"9\"", "source k.c has changed\n", ""},
	{"included file", "\"b.h\": \"3\"", "\"b.h\": \"9\"", "included file b.h has changed\n",
	 ""},
	{"included file that is gone", ", \"b.h\": \"3\"", "", "included file b.h is gone\n", ""},
	{"included file that is new", "\"b.h\": \"3\"", "\"b.h\": \"3\", \"c.h\": \"4\"",
	 "included file c.h is new\n", ""},
	{"workload file", "\"w\"", "\"v\"", "the workload file has changed\n", ""},
	{"problem", "\"p\"", "\"q\"", "the problem has other inputs or another reference\n", ""},
	{"call", "\"i\"", "\"j\"",
	 "the implementation has another entry, other arguments, launch or rewrites, or is "
	 "verified "
	 "otherwise\n",
	 ""},
};

/* The text with its first `from` replaced. */
static void replace(const char *text, const char *from, const char *to, struct buf *out)
{
	const char *at = strstr(text, from);

	buf_add(out, text, (size_t)(at - text));
	buf_add_str(out, to);
	buf_add_str(out, at + strlen(from));
}

static void compare(const char *before, const char *after, const char *lines, const char *unknown,
		    const char *name)
{
	struct json_doc *docs[2] = {NULL, NULL};
	struct buf differences = {0}, missing = {0};
	struct provenance a, b;
	struct asc_err e;

	if (tap_ok(!json_open_text("before", before, strlen(before), &docs[0], &e) &&
			   !json_open_text("after", after, strlen(after), &docs[1], &e) &&
			   !provenance_read(json_root(docs[0]), &a, &e) &&
			   !provenance_read(json_root(docs[1]), &b, &e),
		   "%s: two records", name)) {
		tap_int(provenance_compare(&a, &b, &differences, &missing, &e), ASC_OK,
			"%s: compared", name);
		tap_str(buf_str(&differences), lines, "%s: differences", name);
		tap_str(buf_str(&missing), unknown, "%s: what is not recorded", name);
	}
	json_close(docs[0]);
	json_close(docs[1]);
	buf_fini(&differences);
	buf_fini(&missing);
}

static const struct {
	const char *now, *recorded, *difference;
} toolchains[] = {
	{"CPython 3.11.7, torch 2.12.0 #aa", "CPython 3.11.7, torch 2.11.0 #bb",
	 "torch: 2.12.0, was 2.11.0"},
	{"CPython 3.12.1, torch 2.11.0 #aa", "CPython 3.11.7, torch 2.11.0 #bb",
	 "CPython: 3.12.1, was 3.11.7; torch 2.11.0: other files"},
	{"CPython 3.11.7, own by content #aa, triton 3.6.0 #cc, TORCH_X=1",
	 "CPython 3.11.7, own by content #aa, numpy 2.4 #dd, TORCH_X=2",
	 "triton 3.6.0 is new; TORCH_X: 1, was 2; numpy 2.4 is gone"},
};

static void compare_toolchains(void)
{
	for (size_t i = 0; i < sizeof toolchains / sizeof *toolchains; i++) {
		struct buf out = {0};

		tap_ok(provenance_write_libraries(toolchains[i].now, toolchains[i].recorded, "; ",
						  &out),
		       "lists");
		tap_str(buf_str(&out), toolchains[i].difference, "%s", toolchains[i].now);
		buf_fini(&out);
	}
}

static void refuse(const char *text, const char *message)
{
	struct json_doc *doc = NULL;
	struct provenance p;
	struct asc_err e;

	if (json_open_text("row", text, strlen(text), &doc, &e))
		tap_ok(false, "%s", e.text);
	else if (tap_int(provenance_read(json_root(doc), &p, &e), ASC_INPUT, "refused: %s", text))
		tap_has(e.text, message, "%s", text);
	json_close(doc);
}

int main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf today = {0};

		replace(recorded, rows[i].from, rows[i].to, &today);
		compare(recorded, buf_str(&today), rows[i].lines, rows[i].unknown, rows[i].name);
		buf_fini(&today);
	}
	compare_toolchains();
	compare("{\"implementation_key\": \"h\", \"options\": null}", recorded, "",
		"device, architecture, compiler, asctune, options of the compiler, source files",
		"an earlier version");
	refuse("[]", "expected an object");
	refuse("{\"toolchain\": 7}", "toolchain: expected a string");
	refuse("{\"options\": {}}", "options: expected an array");
	refuse("{\"sources\": []}", "sources: expected an object");
	return tap_done();
}
