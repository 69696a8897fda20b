/* Records of programs as workloads: a folder that the recorder made (tests/data/capture), and
 * records written by hand, one thing changed in each: what is merged, what makes a workload of its
 * own, what no workload can state and is named, and what is none of the recorder's and refused.
 * covers: capture.c capture_record.c capture_workload.c capture_write.c capture_table.c
 * capture_draft.c capture_space.c capture_tensors.c */
#include "reports/exchange/capture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/workload_open.h"

static struct asc_err e;
static char *folder; /* of records written by hand */

/* ---- a folder ---- */

static void put(const char *name, const char *text)
{
	char *path = path_join(folder, name);
	char *parent = path_folder(path);

	tap_ok(dir_make(parent, &e) == ASC_OK && file_write(path, text, strlen(text), &e) == ASC_OK,
	       "%s is there", name);
	free(parent);
	free(path);
}

static void get(const char *name, struct buf *out)
{
	char *path = path_join(folder, name);

	buf_clear(out);
	if (file_read(path, 0, out, &e))
		buf_add_str(out, e.text);
	free(path);
}

static void begin(void)
{
	dir_remove(folder);
	free(folder);
	folder = NULL;
	tap_int(dir_make_scratch("capture", &folder, &e), ASC_OK, "a folder");
	put("w.json", "");
	put("kernels/k.py", "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
			    "def k(x, y, n, B: tl.constexpr):\n    pass\n");
	put("code/k.ttir",
	    "module {\n  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n"
	    "    %v = tt.load %x : !tt.ptr<f32>\n    tt.store %y, %v : !tt.ptr<f32>\n"
	    "    tt.return\n  }\n}\n");
}

/* Lines of one kernel without an autotuner and one problem, whose inputs were not saved. */
#define PROCESS "{\"process\": {\"python\": \"python3\", \"device\": {\"target\": \"cuda:90\"}}}\n"
#define KERNEL                                                                                     \
	"{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", \"digest\": "       \
	"\"d\", \"source\": \"kernels/k.py\", \"reason\": null, \"tuner\": null, \"parameters\": " \
	"[{\"name\": \"x\", \"constexpr\": false}, {\"name\": \"y\", \"constexpr\": false}, "      \
	"{\"name\": \"n\", \"constexpr\": false}, {\"name\": \"B\", \"constexpr\": true}]}\n"
#define X                                                                                          \
	"{\"name\": \"x\", \"tensor\": \"f32\", \"shape\": [8, 4], \"strides\": [4, 1], "          \
	"\"storage\": 0, \"offset\": 0}"
#define Y                                                                                          \
	"{\"name\": \"y\", \"tensor\": \"f32\", \"shape\": [8, 4], \"strides\": [4, 1], "          \
	"\"storage\": 1, \"offset\": 0}"
#define PROBLEM(number, arguments, constants)                                                      \
	"{\"problem\": " number ", \"kernel\": 0, \"arguments\": [" arguments "], "                \
	"\"configuration\": {\"num_warps\": 4, \"num_stages\": 3}, \"listed\": null, \"key\": "    \
	"[], \"grid\": {\"by\": [], \"rows\": [[[2, 1, 1]]]}, \"constants\": {" constants "}, "    \
	"\"boxes\": {}, \"code\": {\"ttir\": \"code/k.ttir\"}, \"reason\": null}\n"
#define N "{\"name\": \"n\", \"int\": 32}"
#define B "\"B\": {\"by\": [], \"rows\": [[16]]}"
#define TUNER                                                                                      \
	"{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", \"digest\": "       \
	"\"d\", \"source\": \"kernels/k.py\", \"reason\": null, \"parameters\": "                  \
	"[{\"name\": \"x\", \"constexpr\": false}, {\"name\": \"y\", \"constexpr\": false}, "      \
	"{\"name\": \"n\", \"constexpr\": false}, {\"name\": \"B\", \"constexpr\": true}], "       \
	"\"tuner\": {\"keys\": [], \"configs\": [{\"B\": 16, \"num_warps\": 2}, {\"B\": 32}, "     \
	"{\"B\": 32, \"num_warps\": 8, \"maxnreg\": 96}], \"reset_to_zero\": [\"y\"], "            \
	"\"restore_value\": []}}\n"
#define TUNED(number, listed, options)                                                             \
	"{\"problem\": " number ", \"kernel\": 0, \"arguments\": [" X ", " Y                       \
	", {\"name\": \"n\", "                                                                     \
	"\"int\": 3" number "}], \"configuration\": {\"B\": 32}, \"listed\": " listed              \
	", \"key\": "                                                                              \
	"[], \"grid\": {\"by\": [\"B\"], \"rows\": [[16, [2, 1, 1]], [32, [1, 1, 1]]]}, "          \
	"\"constants\": {}, \"boxes\": {}, \"options\": {" options "}, \"code\": {\"ttir\": "      \
	"\"code/k.ttir\"}, \"reason\": null}\n"
#define SEEN(number, calls, ns)                                                                    \
	"{\"seen\": " number ", \"calls\": " calls ", \"timed\": 2, \"time_ns\": " ns "}\n"
#define PLAIN PROCESS KERNEL PROBLEM("0", X ", " Y ", " N, B) SEEN("0", "10", "2000")

struct written {
	struct capture *c;
	struct capture_forms forms;
	struct buf text; /* of the first form's workload */
};

static void end(struct written *w)
{
	buf_fini(&w->text);
	capture_forms_fini(&w->forms);
	capture_close(w->c);
	*w = (struct written){0};
}

/* Reads the folder and makes the text of its first workload. */
static enum asc_status open_folder(struct written *w)
{
	enum asc_status s = capture_open(folder, &w->c, &e);

	if (s == ASC_OK)
		s = capture_find_forms(w->c, &w->forms, &e);
	if (s == ASC_OK && w->forms.n > 0 && !*w->forms.list[0].reason)
		s = capture_write_workload(w->c, &w->forms.list[0], 16, &w->text, &e);
	return s;
}

/* True for the text of a workload; there has to be a file of that name, which is not read. */
static bool is_workload(const char *where, const char *file, const struct buf *text)
{
	struct workload *w = NULL;
	char *path = path_join(where, file);
	const enum asc_status s = workload_open_text(path, buf_str(text), text->len, &w, &e);

	if (s)
		tap_note("%s", e.text);
	workload_close(w);
	free(path);
	return s == ASC_OK;
}

/* ---- what the recorder made ---- */

static void test_recorded(void)
{
	static const char sample[] = TEST_DATA "/data/capture/add";
	struct buf want = {0}, text = {0};
	struct capture_forms forms = {0};
	struct capture *c = NULL;

	if (!tap_int(capture_open(sample, &c, &e), ASC_OK, "records") ||
	    !tap_int(capture_find_forms(c, &forms, &e), ASC_OK, "forms"))
		return;
	tap_int(forms.n, 1, "one form");
	tap_real(capture_kernel_calls(c->kernels), 6, 0, "calls of both problems");
	tap_int(capture_write_workload(c, forms.list, 16, &text, &e), ASC_OK, "a workload");
	tap_int(file_read(TEST_DATA "/data/capture/add/add.json", 0, &want, &e), ASC_OK,
		"as it was");
	tap_str(buf_str(&text), buf_str(&want), "its text");
	tap_ok(is_workload(sample, "add.json", &text), "the text is a whole workload");
	buf_clear(&text);
	tap_int(capture_write_workload(c, forms.list, 1, &text, &e), ASC_OK, "one problem of it");
	tap_int(forms.list->n_kept, 1, "problems");
	tap_ok(is_workload(sample, "add.json", &text), "the smaller text is a workload");
	buf_fini(&want);
	buf_fini(&text);
	capture_forms_fini(&forms);
	capture_close(c);
}

/* ---- records of several processes ---- */

static void test_merged(void)
{
	struct written w = {0};

	begin();
	put("records/9-0.jsonl", PLAIN);
	put("records/10-0.jsonl",
	    PROCESS KERNEL PROBLEM("4", X ", " Y ", " N, B) SEEN("4", "1", "1")
		    SEEN("4", "5", "3000") "{\"skipped\": \"inductor\", \"reason\": "
					   "\"made by torch.compile\", \"calls\": 3}\n"
					   "{\"skipped\": \"inductor\", \"reason\": "
					   "\"no blocks\", \"calls\": 2}\n"
					   "{\"skipped\": \"inductor\", \"reason\": "
					   "\"no blocks\", \"calls\": 4}\n"
					   "{\"seen\": 4, \"cal\n"
					   "{\"later\": \"recorders\"}\n"
					   "{\"seen\": 4, \"calls\": 60");
	if (tap_int(open_folder(&w), ASC_OK, "two processes")) {
		const struct capture_problem *p = w.c->kernels[0].problems;

		tap_int(w.c->n_kernels, 1, "kernels");
		tap_int(w.c->kernels[0].n_problems, 1, "problems");
		tap_real(p->calls, 15, 0, "calls: 10, and 5 by the last whole line");
		/* 4 timed of 15 took 5000 ns. */
		tap_real(capture_problem_ns(p), 18750, 0, "time of all calls");
		tap_int(w.c->n_torn, 2, "torn lines");
		tap_int(w.c->n_skipped, 2, "skipped, for two reasons");
		tap_real(w.c->skipped[1].calls, 4, 0, "calls: by the last line of a reason");
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_has(buf_str(&w.text), "\"reference\": \"configuration\"",
			"nothing was recorded to compare with");
		tap_has(buf_str(&w.text),
			"\"num_warps\": {\"values\": [1, 2, 4, 8, 16], "
			"\"default\": 4}",
			"warps are tuned without an autotuner");
		/* Nothing is known of the output: 0.001 of one. */
		tap_has(buf_str(&w.text), "\"atol\": 0.001", "a tolerance");
	}
	end(&w);
}

/* ---- sets ---- */

#define SET(file, before, after, ranges)                                                           \
	"{\"set\": 0, \"file\": " file ", \"before\": [" before "], \"after\": [" after "], "      \
	"\"ranges\": {" ranges "}}\n"

/* Two members of 128 bytes, of this number. */
static void put_tensors(const char *name, float number)
{
	static const char header[] =
		"{\"x\":{\"dtype\":\"F32\",\"shape\":[8,4],\"data_offsets\":[0,128]},"
		"\"y\":{\"dtype\":\"F32\",\"shape\":[8,4],\"data_offsets\":[128,256]}}";
	const uint64_t n = sizeof header - 1;
	char bytes[8 + sizeof header - 1 + 256] = {0}, *path = path_join(folder, name);

	memcpy(bytes, &n, sizeof n);
	memcpy(bytes + sizeof n, header, n);
	for (size_t i = 0; i < 64; i++)
		memcpy(bytes + sizeof n + n + i * sizeof number, &number, sizeof number);
	tap_int(file_write(path, bytes, sizeof bytes, &e), ASC_OK, "tensors");
	free(path);
}

static void test_sets(void)
{
	struct written w = {0};

	begin();
	put("data/here.txt", "");
	put("records/1-0.jsonl",
	    PLAIN SET("\"data/gone.safetensors\"", "\"x\", \"y\"", "\"y\"", "")
		    SET("\"data/a.safetensors\"", "\"x\", \"y\"", "\"y\"", ""));
	put_tensors("data/a.safetensors", 0);
	if (tap_int(open_folder(&w), ASC_OK, "one of two files")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_has(buf_str(&w.text), "\"sets\": [\"data/a.safetensors\"]",
			"the file that is left");
		tap_has(buf_str(&w.text), "\"reference\": \"files\"", "its outputs are right");
		/* All elements are zero. */
		tap_has(buf_str(&w.text), "\"atol\": 0.0", "the output's root mean square");
		tap_str(w.forms.list[0].doubt, "", "zeros can be compared with");
	}
	end(&w);
	put_tensors("data/a.safetensors", NAN);
	if (tap_int(open_folder(&w), ASC_OK, "an output of NaN")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_str(w.forms.list[0].doubt, "y of p0 has no finite number to compare with",
			"the doubt");
	}
	end(&w);
	begin();
	put("records/1-0.jsonl",
	    PLAIN SET("\"data/gone.safetensors\"", "\"x\", \"y\"", "\"y\"", ""));
	if (tap_int(open_folder(&w), ASC_OK, "no file is left")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_has(buf_str(&w.text), "\"reference\": \"configuration\"",
			"by its configuration");
	}
	end(&w);
	begin();
	put("data/here.txt", "");
	put("records/1-0.jsonl", PLAIN
	    "{\"set\": 0, \"slot\": 0, \"file\": null, \"left\": {\"x\": \"recorded\"}}\n" SET(
		    "\"data/a.safetensors\"", "\"x\", \"y\"", "\"y\"", "")
		    SET("\"data/b.safetensors\"", "", "", "")
			    SET("\"data/c.safetensors\"", "", "", "") SET("null", "", "", ""));
	put_tensors("data/a.safetensors", 0);
	if (tap_int(open_folder(&w), ASC_OK, "a launch in a graph, then three others")) {
		tap_int(w.c->kernels[0].problems->n_sets, 1, "sets");
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
	}
	end(&w);
	begin();
	put("records/1-0.jsonl",
	    PLAIN SET("null", "", "", "\"x\": [-1, 4, 0.5, 2], \"y:out\": [0, 9, 3, 4]"));
	if (tap_int(open_folder(&w), ASC_OK, "ranges")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_has(buf_str(&w.text),
			"\"fill\": {\"kind\": \"normal\", \"mean\": 0.5, \"std\": 2.0}",
			"an input by its mean and deviation");
		/* 0.001 of the root of 9 and 16. */
		tap_has(buf_str(&w.text), "\"atol\": 0.005", "a tolerance by those of the output");
	}
	end(&w);
	begin();
	put("records/1-0.jsonl",
	    PLAIN SET("null", "", "", "\"x\": null, \"y:out\": [0, 1.7e308, 1.7e308, 1.7e308]"));
	if (tap_int(open_folder(&w), ASC_OK, "ranges whose squares are infinite"))
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
	end(&w);
}

/* ---- forms ---- */

#define WIDE "{\"name\": \"n\", \"int\": 5000000000}"
#define NONE "{\"name\": \"x\", \"none\": true}"
#define LONGER                                                                                     \
	"{\"name\": \"x\", \"tensor\": \"bf16\", \"shape\": [16, 4], \"strides\": [4, 1], "        \
	"\"storage\": 0, \"offset\": 32}"

static void test_forms(void)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl",
	    PLAIN PROBLEM("1", X ", " Y ", " WIDE, B) PROBLEM("2", LONGER ", " Y ", " N, B)
		    PROBLEM("3", X ", " Y ", " N, "\"B\": {\"by\": [], \"rows\": [[32]]}"));
	if (tap_int(open_folder(&w), ASC_OK, "four problems")) {
		tap_int(w.forms.n, 2, "forms: 64 bits are passed as others are not");
		tap_int(w.forms.list[0].n_problems, 3, "problems of the first");
		tap_str(w.forms.list[0].name, "k", "name of the first");
		tap_str(w.forms.list[1].name, "k.2", "name of the second");
		tap_ok(is_workload(folder, "w.json", &w.text), "the first is a workload");
		tap_has(buf_str(&w.text), "\"dtypes\": {\"T_x\": \"bf16\"}", "a type that differs");
		tap_has(buf_str(&w.text), "\"shape\": [\"s_x_0\", 4]", "a size that differs");
		tap_has(buf_str(&w.text), "\"offset\": \"o_x\"", "32 bytes are 16 elements");
		tap_has(buf_str(&w.text), "\"o_x\": 16", "an offset");
		tap_has(buf_str(&w.text), "[\"p2\", 32]", "a constant by problem");
	}
	end(&w);
}

/* An output of 8 bits may be two units in its last place off; what is read in 8 bits coarsens
 * another output no more than bf16. */
static void test_f8(void)
{
	static const char x[] = "{\"name\": \"x\", \"tensor\": \"f8e4m3\", \"shape\": [8, 4], "
				"\"strides\": [4, 1], \"storage\": 0, \"offset\": 0}";
	struct written w = {0};
	struct buf records = {0};

	for (int out = 0; out < 2; out++) {
		buf_clear(&records);
		buf_print(&records,
			  PROCESS KERNEL PROBLEM("0",
						 "%s, {\"name\": \"y\", \"tensor\": \"%s\", "
						 "\"shape\": [8, 4], \"strides\": [4, 1], "
						 "\"storage\": 1, \"offset\": 0}, " N,
						 B) SEEN("0", "10", "2000"),
			  x, out ? "f8e5m2" : "f32");
		begin();
		put("records/1-0.jsonl", buf_str(&records));
		if (tap_int(open_folder(&w), ASC_OK, "tensors of 8 bits")) {
			tap_ok(is_workload(folder, "w.json", &w.text), "are those of a workload");
			tap_has(buf_str(&w.text), "\"dtype\": \"f8e4m3\"", "with their type");
			tap_has(buf_str(&w.text),
				out ? "{\"f8e5m2\": {\"atol\": 0.5, \"rtol\": 0.5}}"
				    : "{\"f32\": {\"atol\": 0.02, \"rtol\": 0.02}}",
				"and a tolerance");
		}
		end(&w);
	}
	buf_fini(&records);
}

/* ---- lists ---- */

static void test_lists(void)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", PROCESS TUNER TUNED("0", "null", "\"enable_fp_fusion\": false")
					 TUNED("1", "[1, 2]", ""));
	if (tap_int(open_folder(&w), ASC_OK, "an autotuner")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "a workload");
		tap_has(buf_str(&w.text), "\"num_warps\": {\"values\": [2, 4, 8], \"default\": 4}",
			"warps: Triton's four where a configuration has none");
		tap_has(buf_str(&w.text), "\"maxnreg\": [0, 96]", "registers: no limit in others");
		tap_has(buf_str(&w.text), "\"enable_fp_fusion\": [false, true]",
			"an option that the caller gave once");
		tap_has(buf_str(&w.text), "\"constraints\": [\"listed\"]", "the list");
		tap_has(buf_str(&w.text), "[\"p0\", 16, 2, 0, false, true]",
			"a row that pruning has left for p0 alone");
		tap_ok(!strstr(buf_str(&w.text), "[\"p1\", 16"), "no row of p1 for it");
		tap_has(buf_str(&w.text),
			"\"grid_x\": {\"by\": [\"B\"], \"rows\": [[16, 2], [32, 1]]}",
			"a grid without the problem");
		tap_has(buf_str(&w.text), "\"role\": \"inout\"", "y is cleared before launches");
	}
	end(&w);
}

/* An autotuner's kernel with a constant that depends on B and has the name of the list's table, and
 * with descriptors whose names are alike as far as a table's name goes. */
#define LONG "d2345678901234567890123456789012345678901234567890123456789"
#define MAP(name, storage)                                                                         \
	"{\"name\": \"" LONG name                                                                  \
	"\", \"descriptor\": {\"tensor\": \"f32\", \"shape\": [8, 4], \"strides\": [4, 1], "       \
	"\"storage\": " storage ", \"offset\": 0}, \"box\": [16, 4], \"padding\": \"zero\"}"
#define BOX(name, row)                                                                             \
	"\"" LONG name "\": {\"by\": [\"B\"], \"rows\": [[16, [" row ", 4]], [32, [8, 4]]]}"
#define ALIKE                                                                                      \
	PROCESS                                                                                    \
	"{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", \"digest\": "       \
	"\"d\", \"source\": \"kernels/k.py\", \"reason\": null, \"parameters\": "                  \
	"[{\"name\": \"" LONG "x\", \"constexpr\": false}, {\"name\": \"" LONG                     \
	"y\", \"constexpr\": false}, {\"name\": \"B\", \"constexpr\": true}, "                     \
	"{\"name\": \"listed\", \"constexpr\": true}], "                                           \
	"\"tuner\": {\"keys\": [], \"configs\": [{\"B\": 16, \"num_warps\": 2}, {\"B\": 32}], "    \
	"\"reset_to_zero\": [], \"restore_value\": []}}\n"                                         \
	"{\"problem\": 0, \"kernel\": 0, \"arguments\": [" MAP("x", "0") ", " MAP(                 \
		"y", "1") "], \"configuration\": {\"B\": 32}, \"listed\": null, \"key\": [], "     \
			  "\"grid\": {\"by\": [], "                                                \
			  "\"rows\": [[[2, 1, 1]]]}, \"constants\": {\"listed\": {\"by\": "        \
			  "[\"B\"], \"rows\": "                                                    \
			  "[[16, 1], [32, 3]]}}, \"boxes\": {" BOX("x", "16") ", " BOX(            \
				  "y", "4") "}, "                                                  \
					    "\"options\": {}, \"code\": {\"ttir\": "               \
					    "\"code/k.ttir\"}, \"reason\": null}\n"

/* A kernel without an autotuner, called with a truth value that is another one in each problem and
 * a part of its key. */
#define STILL(name) "\"" LONG name "\": {\"by\": [], \"rows\": [[[16, 4]]]}"
#define FLAGGED(number, flag)                                                                      \
	"{\"problem\": " number ", \"kernel\": 0, \"arguments\": [" MAP("x", "0") ", " MAP(        \
		"y", "1") "], \"configuration\": {\"num_warps\": 4}, \"listed\": null, "           \
			  "\"default\": {\"num_warps\": 4}, \"key\": [[\"FLAG\", " flag            \
			  "]], \"grid\": {\"by\": [], \"rows\": [[[2, 1, 1]]]}, \"constants\": "   \
			  "{\"FLAG\": {\"by\": [], \"rows\": [[" flag "]]}}, \"boxes\": {" STILL(  \
				  "x") ", " STILL("y") "}, \"options\": {}, \"code\": {\"ttir\": " \
						       "\"code/k.ttir\"}, \"reason\": null}\n"
#define FLAGS                                                                                      \
	PROCESS "{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", "           \
		"\"digest\": \"d\", \"source\": \"kernels/k.py\", \"reason\": null, "              \
		"\"parameters\": [{\"name\": \"x\", \"constexpr\": false}, {\"name\": \"FLAG\", "  \
		"\"constexpr\": true}], \"tuner\": null}\n" FLAGGED("0", "true")                   \
			FLAGGED("1", "false")

static void test_flags(void)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", FLAGS);
	if (tap_int(open_folder(&w), ASC_OK, "a constant that is a part of the key")) {
		tap_str(w.forms.list[0].reason, "", "its form has a workload");
		tap_ok(is_workload(folder, "w.json", &w.text), "which can be read");
		tap_has(buf_str(&w.text), "\"FLAG\": {\"table\": \"FLAG_\"}", "name of the table");
	}
	end(&w);
}

static void test_tables(void)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", ALIKE);
	if (tap_int(open_folder(&w), ASC_OK, "tables of names that are alike")) {
		tap_str(w.forms.list[0].reason, "", "their form has a workload");
		tap_ok(is_workload(folder, "w.json", &w.text), "which can be read");
		tap_has(buf_str(&w.text), "\"constraints\": [\"listed_\"]", "name of the list");
		tap_has(buf_str(&w.text),
			"\"listed\": {\"by\": [\"B\"], \"rows\": [[16, 1], [32, 3]]}",
			"name of the constant's table");
	}
	end(&w);
}

/* A kernel under a library's autotuner, whose key is `key` and two tensors. */
#define OWNED(class, key)                                                                          \
	PROCESS                                                                                    \
	"{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", \"digest\": "       \
	"\"d\", \"source\": \"kernels/k.py\", \"reason\": null, \"parameters\": [{\"name\": "      \
	"\"x\", \"constexpr\": false}, {\"name\": \"y\", \"constexpr\": false}, {\"name\": "       \
	"\"n\", "                                                                                  \
	"\"constexpr\": false}, {\"name\": \"B\", \"constexpr\": true}], \"tuner\": {\"class\": "  \
	"\"" class "\", \"keys\": [\"n\"], \"configs\": [{\"B\": 16}, {\"B\": 32}], "              \
		   "\"reset_to_zero\": [], \"restore_value\": []}}\n"                              \
		   "{\"problem\": 0, \"kernel\": 0, \"arguments\": [" X ", " Y ", " N              \
		   "], \"configuration\": {\"B\": 32}, \"listed\": null, \"key\": [" key           \
		   ", [\"x\", \"f32\"], [\"y\", \"f32\"]], \"grid\": {\"by\": [], \"rows\": "      \
		   "[[[2, 1, 1]]]}, "                                                              \
		   "\"constants\": {}, \"boxes\": {}, \"code\": {\"ttir\": \"code/k.ttir\"}, "     \
		   "\"reason\": null}\n"

static void check_names(const char *what, const char *records, const char *want)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", records);
	if (tap_int(open_folder(&w), ASC_OK, "%s", what)) {
		tap_ok(is_workload(folder, "w.json", &w.text), "its workload can be read");
		tap_has(buf_str(&w.text), want, "names of its library");
	}
	end(&w);
}

static void test_libraries(void)
{
	struct written w = {0};

	check_names("FlagGems' kernel, whose key has a text",
		    OWNED("flag_gems.utils.libentry.X",
			  "[\"n\", 32], [\"mode\", \"f16\", \"float16\"]"),
		    "\"flaggems\": {\"operator\": \"m:k\", \"sizes\": {\"n\": \"n\"}, \"types\": "
		    "{\"x\": \"f32\", \"y\": \"f32\", \"mode\": \"float16\", \"@source\": \"d\"}}");
	check_names("FLA's kernel", OWNED("fla.ops.utils.cache.CachedAutotuner", "[\"n\", 32]"),
		    "\"fla\": {\"operator\": \"k\", \"sizes\": {\"n\": \"n\"}, \"types\": {\"x\": "
		    "\"f32\", \"y\": \"f32\"}}");
	begin();
	put("records/1-0.jsonl", OWNED("fla.ops.utils.cache.CachedAutotuner",
				       "[\"n\", 32], [\"mode\", \"f16\", \"float16\"]"));
	if (tap_int(open_folder(&w), ASC_OK, "FLA's kernel, whose key has a text"))
		tap_ok(!strstr(buf_str(&w.text), "\"fla\""), "has no names in FLA's tables");
	end(&w);
}

/* A kernel of a package has its place there in the workload. */
static void test_origin(void)
{
	struct written w = {0};
	struct buf records = {0};
	const char *at = strstr(PLAIN, "\"entry\"");

	buf_print(&records, "%.*s\"package\": \"p\", \"version\": \"1.2\", %s",
		  (int)(strlen(PLAIN) - strlen(at)), PLAIN, at);
	begin();
	put("records/1-0.jsonl", buf_str(&records));
	if (tap_int(open_folder(&w), ASC_OK, "a kernel of a package")) {
		tap_ok(is_workload(folder, "w.json", &w.text), "has a workload");
		tap_has(buf_str(&w.text),
			"\"X-source\": {\"kernel\": \"m:k\", \"package\": \"p\", \"version\": "
			"\"1.2\"}",
			"with its place");
	}
	end(&w);
	buf_fini(&records);
}

/* ---- what is named ---- */

static void check_reason(const char *what, const char *records, const char *want)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", records);
	if (tap_int(open_folder(&w), ASC_OK, "%s", what) && w.forms.n > 0)
		tap_str(w.forms.list[0].reason, want, "%s: the reason", what);
	end(&w);
}

#define OF(name, type, shape, strides, offset)                                                     \
	"{\"name\": \"" name "\", \"tensor\": \"" type "\", \"shape\": " shape                     \
	", \"strides\": " strides ", \"storage\": 0, \"offset\": " offset "}"
#define WITH(arguments) PROCESS KERNEL PROBLEM("0", arguments, B)

static void test_reasons(void)
{
	check_reason("float8 of another kind",
		     WITH(OF("x", "float8_e8m0fnu", "[8]", "[1]", "0") ", " Y ", " N),
		     "x has elements of type float8_e8m0fnu, which no tensor of a workload has");
	check_reason("no elements", WITH(OF("x", "f32", "[0]", "[1]", "0") ", " Y ", " N),
		     "x has no elements");
	check_reason("nine dimensions",
		     WITH(OF("x", "f32", "[1,1,1,1,1,1,1,1,1]", "[1,1,1,1,1,1,1,1,1]", "0") ", " Y
											    ", " N),
		     "x has 9 dimensions, at most 8 are taken");
	check_reason("backwards", WITH(OF("x", "f32", "[8]", "[-1]", "0") ", " Y ", " N),
		     "x runs backwards through its memory");
	check_reason("half an element", WITH(OF("x", "f32", "[8]", "[1]", "2") ", " Y ", " N),
		     "x begins between two elements of its memory");
	check_reason("an output in one place",
		     WITH(X ", " OF("y", "f32", "[8, 4]", "[0, 1]", "0") ", " N),
		     "its output y has elements in one place");
	check_reason("an output that overlaps itself",
		     WITH(X ", " OF("y", "f32", "[8, 4]", "[3, 1]", "0") ", " N),
		     "its output y has elements in one place");
	check_reason("numbers that may be places",
		     WITH(OF("x", "i64", "[8]", "[1]", "0") ", " Y ", " N),
		     "the content of x was not saved");
	check_reason("integers that no range holds",
		     WITH(OF("x", "i64", "[8]", "[1]", "0") ", " Y ", " N)
			     SET("null", "", "", "\"x\": [0, 9.3e18, 1, 1]"),
		     "the content of x was not saved, and it has integers beyond 2^53");
	check_reason(
		"a problem without its grid",
		PROCESS KERNEL PROBLEM("0", X ", " Y ", " N, "\"B\": {\"by\": [], \"rows\": []}"),
		"a value of its launches was not recorded");
	check_reason("an integer beyond 2^53",
		     WITH(X ", " Y ", {\"name\": \"n\", \"int\": \"2e99\"}"),
		     "its argument n is neither a tensor nor a number");
	check_reason("tensors whose elements no double counts",
		     WITH(OF("x", "f32", "[9007199254740992]", "[1]", "0") ", " Y ", " N),
		     "its tensors have more than 2^53 elements");
	check_reason("a tuple", WITH(X ", " Y ", {\"name\": \"n\", \"tuple\": [1]}"),
		     "its argument n is neither a tensor nor a number");
	check_reason("more pointers than tensors", WITH(NONE ", " Y ", " N),
		     "code/k.ttir has 2 pointers, 1 tensors were passed");
	check_reason("another vendor's GPU",
		     "{\"process\": {\"device\": {\"target\": \"hip:gfx942\"}}}\n" KERNEL PROBLEM(
			     "0", X ", " Y ", " N, B),
		     "it ran on hip:gfx942, not on a GPU of NVIDIA's");
	check_reason("a constant that is missing", PROCESS KERNEL PROBLEM("0", X ", " Y ", " N, ""),
		     "its constant B was not recorded");
	check_reason("a text that no formula takes",
		     PROCESS KERNEL PROBLEM("0", X ", " Y ", " N,
					    "\"B\": {\"by\": [], \"rows\": [[\"it's\"]]}"),
		     "its constant B is the text \"it's\", which formulas do not take");
}

/* ---- what is refused ---- */

static void check_refused(const char *what, const char *records, const char *want)
{
	struct written w = {0};

	begin();
	put("records/1-0.jsonl", records);
	tap_int(open_folder(&w), ASC_INPUT, "%s", what);
	tap_has(e.text, want, "%s: the message", what);
	end(&w);
}

static void test_refused(void)
{
	struct written w = {0};

	check_refused("no JSON", PROCESS "kernel\n" PLAIN, "jsonl line 2");
	check_refused("no object", "[1]\n", "expected an object");
	check_refused("a kernel twice", PROCESS KERNEL KERNEL, "jsonl line 3: ");
	check_refused("a configuration of the list without names",
		      PROCESS
		      "{\"kernel\": 0, \"name\": \"k\", \"module\": \"m\", \"entry\": \"k\", "
		      "\"parameters\": [], \"tuner\": {\"configs\": [[16]]}}\n",
		      "tuner.configs[0]: expected an object, found an array");
	check_refused("values beyond the list without names",
		      PROCESS KERNEL "{\"problem\": 0, \"kernel\": 0, \"arguments\": [], "
				     "\"widened\": [[16]]}\n",
		      "widened: expected an object, found an array");
	check_refused("a problem without its kernel", PROBLEM("0", X, B),
		      "there is no kernel 0 before it");
	check_refused("time of no problem", SEEN("7", "1", "1"), "there is no problem 7 before it");
	check_refused("a file outside",
		      PROCESS KERNEL PROBLEM(
			      "0", X ", " Y ", " N,
			      B) "{\"set\": 0, \"file\": \"data/../../x\", \"before\": [], "
				 "\"after\": []}\n",
		      "\"data/../../x\" is no file of the recorder's");
	check_refused(
		"another folder's file",
		PROCESS KERNEL PROBLEM(
			"0", X ", " Y ", " N,
			B) "{\"set\": 0, \"file\": \"/etc/passwd\", \"before\": [], \"after\": "
			   "[]}\n",
		"\"/etc/passwd\" is no file of the recorder's");
	check_refused("no whole number of calls", PLAIN SEEN("0", "1e308", "1"),
		      "1-0.jsonl line 5: calls: expected an integer, found 1e+308");
	check_refused("calls below 0", PLAIN SEEN("0", "-1", "1"), "calls: is -1, expected");
	check_refused("calls that no double counts", PLAIN SEEN("0", "9007199254740993", "1"),
		      "calls: integers beyond 2^53");
	check_refused("a time below 0", PLAIN SEEN("0", "1", "-0.5"),
		      "time_ns: is -0.5, expected a time from 0 to 2^53");
	check_refused("an endless time", PLAIN SEEN("0", "1", "1e308"), "time_ns: is 1e+308, exp");
	check_refused("an autotuner that never ended",
		      PLAIN "{\"tuned\": 0, \"seconds\": 1e300, \"launches\": 1}\n",
		      "seconds: is 1");
	check_refused("calls of what is skipped",
		      PLAIN "{\"skipped\": \"a\", \"reason\": \"b\", \"calls\": -2}\n",
		      "calls: is -2, expected at least 0");
	check_refused("half an integer", WITH(X ", " Y ", {\"name\": \"n\", \"int\": 1.5}"),
		      "arguments[2].int: expected an integer, found a real number");
	check_refused("a number for a truth", WITH(X ", " Y ", {\"name\": \"n\", \"truth\": 7}"),
		      "arguments[2].truth: expected true or false");
	check_refused("a place before its memory",
		      WITH(OF("x", "f32", "[8]", "[1]", "-4") ", " Y ", " N),
		      "arguments[0].offset: is -4, expected at least 0");
	check_refused("sizes whose product is beyond an integer",
		      WITH(OF("x", "f32", "[4294967296, 4294967296]", "[1, 1]", "0") ", " Y ", " N),
		      "arguments[0].shape: has elements beyond 2^53");
	check_refused("places beyond an integer",
		      WITH(OF("x", "f32", "[2, 2]", "[9007199254740992, 1]", "0") ", " Y ", " N),
		      "arguments[0].shape: has elements beyond 2^53");
	check_refused("a range of three numbers", PLAIN SET("null", "", "", "\"x\": [1, 2, 3]"),
		      "ranges.x: expected the least number, the largest, mean and deviation");
	check_refused("a range that is turned round",
		      PLAIN SET("null", "", "", "\"x\": [4, -1, 2, 1]"), "ranges.x: expected");
	check_refused("a configuration that is in no list", PROCESS TUNER TUNED("0", "[3]", ""),
		      "listed[0]: is 3, but the list has 3 configurations");
	begin();
	tap_int(open_folder(&w), ASC_NOTFOUND, "a folder without records");
	end(&w);
}

/* ---- files ---- */

static void write_all(void)
{
	struct written w = {0};

	tap_int(open_folder(&w), ASC_OK, "records");
	tap_int(capture_write(w.c, &w.forms, 16, &e), ASC_OK, "files");
	end(&w);
}

static void test_files(void)
{
	struct buf first = {0}, second = {0}, summary = {0};

	begin();
	put("records/1-0.jsonl", PLAIN);
	write_all();
	get("k.json", &first);
	get("capture.json", &summary);
	tap_has(buf_str(&first), "\"operator\": \"m:k\"", "a workload");
	tap_has(buf_str(&summary), "\"workload\": \"k.json\"", "the summary");
	write_all();
	get("k.json", &second);
	tap_str(buf_str(&second), buf_str(&first), "the same workload again");
	get("capture.json", &second);
	tap_str(buf_str(&second), buf_str(&summary), "the same summary again");

	/* A tolerance that somebody has narrowed. */
	put("k.json", "{\"asctune\": 1, \"edited\": true}");
	write_all();
	get("k.json", &second);
	tap_str(buf_str(&second), "{\"asctune\": 1, \"edited\": true}", "an edited file stays");
	get("capture.json", &second);
	tap_has(buf_str(&second), "\"edited\": true", "the summary says so");
	write_all();
	get("k.json", &second);
	tap_str(buf_str(&second), "{\"asctune\": 1, \"edited\": true}", "and stays again");
	buf_fini(&first);
	buf_fini(&second);
	buf_fini(&summary);
}

/* ---- files whose records are gone ---- */

/* PLAIN, with the kernel's name changed. */
static void put_kernel(const char *kernel)
{
	static const char quoted[] = "\"name\": \"k\"";
	const char *at = strstr(PLAIN, quoted);
	struct buf text = {0};

	buf_add(&text, PLAIN, (size_t)(at - PLAIN));
	buf_print(&text, "\"name\": \"%s\"", kernel);
	buf_add_str(&text, at + strlen(quoted));
	put("records/1-0.jsonl", buf_str(&text));
	buf_fini(&text);
}

static bool is_there(const char *name)
{
	char *path = path_join(folder, name);
	const bool there = file_exists(path);

	free(path);
	return there;
}

static void test_gone(void)
{
	struct buf text = {0};

	begin();
	put_kernel("first");
	write_all();
	put("mine.json", "{}");
	put_kernel("second");
	write_all();
	tap_ok(!is_there("first.json"), "a workload goes with its records");
	tap_ok(is_there("second.json"), "another one is written");
	tap_ok(is_there("mine.json"), "a file of the user's stays");

	put("second.json", "{\"asctune\": 1, \"edited\": true}");
	put_kernel("third");
	write_all();
	get("second.json", &text);
	tap_str(buf_str(&text), "{\"asctune\": 1, \"edited\": true}",
		"a workload that was edited stays without its records");
	get("capture.json", &text);
	tap_has(buf_str(&text), "\"left\": [{\"workload\": \"second.json\", ",
		"the summary names what is left");
	write_all();
	get("capture.json", &text);
	tap_has(buf_str(&text), "\"left\": [{\"workload\": \"second.json\", ",
		"and names it again");
	put_kernel("second");
	write_all();
	get("second.json", &text);
	tap_str(buf_str(&text), "{\"asctune\": 1, \"edited\": true}",
		"what was edited stays where its records are back");
	get("capture.json", &text);
	tap_has(buf_str(&text), "\"left\": []", "and is left no more");

	/* A summary of a stranger's. */
	put("capture.json", "{\"kernels\": [{\"workload\": \"../gone.json\", \"digest\": "
			    "\"0\"}, {\"workload\": \"options.json/\", \"digest\": \"0\"}]}");
	write_all();
	get("capture.json", &text);
	tap_has(buf_str(&text), "\"left\": []", "files outside of the folder are not looked at");
	buf_fini(&text);
}

/* ---- names ---- */

static void check_name(const char *kernel, const char *want)
{
	struct written w = {0};

	begin();
	put_kernel(kernel);
	if (tap_int(open_folder(&w), ASC_OK, "a kernel %s", kernel) && w.forms.n > 0)
		tap_str(w.forms.list[0].name, want, "its workload");
	end(&w);
}

static void test_names(void)
{
	check_name("../../x", "x");
	check_name("_attn_fwd", "attn_fwd");
	check_name("all", "all.2");
	check_name("Capture", "Capture.2");
	check_name("<lambda>", "lambda");
	check_name("\\u00e4", "kernel");
	check_name("a\\nb", "ab");
}

int main(void)
{
	test_recorded();
	test_merged();
	test_sets();
	test_forms();
	test_f8();
	test_lists();
	test_tables();
	test_origin();
	test_flags();
	test_libraries();
	test_reasons();
	test_refused();
	test_files();
	test_gone();
	test_names();
	dir_remove(folder);
	free(folder);
	return tap_done();
}
