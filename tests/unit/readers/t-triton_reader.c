/* Files of Triton's own cache, as Triton 3.8.0 writes and reads them; names and keys that a library
 * told; limits.
 * covers: triton_reader.c reader.c */
#include <stdio.h>
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* A file as Triton 3.8.0 writes it, of three configurations of which one could not be launched. */
static const char theirs[] =
	"{\"key\": [1048576, true, \"torch.float16\"], \"configs_timings\": [[{\"kwargs\": "
	"{\"BLOCK\": 4096}, \"num_warps\": 8, \"num_ctas\": 1, \"num_stages\": 3, \"maxnreg\": "
	"null, "
	"\"pre_hook\": null, \"ir_override\": null}, [Infinity, Infinity, Infinity]], "
	"[{\"kwargs\": "
	"{\"BLOCK\": 1024}, \"num_warps\": 8, \"num_ctas\": 1, \"num_stages\": 3, \"maxnreg\": "
	"null, "
	"\"pre_hook\": null, \"ir_override\": null}, [0.0048, 0.0047, 0.0049]], [{\"kwargs\": "
	"{\"BLOCK\": 64}, \"num_warps\": 4, \"num_ctas\": 1, \"num_stages\": 2, \"maxnreg\": null, "
	"\"pre_hook\": null, \"ir_override\": null}, [0.0048, 0.0046, 0.005]]]}";

static struct asc_err e;

static void test_files(void)
{
	struct reader_table t = {0}, again = {0};
	struct buf text = {0}, config = {0};

	buf_add_str(&text, theirs);
	tap_int(triton_reader.read("k.autotune.json", &text, &t, &e), ASC_OK, "a file is read");
	tap_int((long long)t.n, 1, "one configuration is launched");
	tap_str(t.rows->key, "[1048576,true,\"torch.float16\"]",
		"for the key that is written down");
	reader_print_config(&t.rows->config, &config);
	tap_str(buf_str(&config), "BLOCK=64, num_warps=4, num_ctas=1, num_stages=2",
		"lists are compared by their first numbers that differ");
	tap_ok(triton_reader.find(&t, "[7]") == 0, "the key decides nothing: the folder has it");
	buf_clear(&text);
	tap_int(triton_reader.write(&t, &text, &e), ASC_OK, "and written");
	tap_str(buf_str(&text),
		"{\"key\":[1048576,true,\"torch.float16\"],\"configs_timings\":[[{\"kwargs\":{"
		"\"BLOCK\":64},\"num_warps\":4,\"num_stages\":2,\"num_ctas\":1},0.0048]]}\n",
		"with one configuration");
	tap_int(triton_reader.read("k.autotune.json", &text, &again, &e), ASC_OK,
		"what is written");
	tap_ok(reader_table_has(&again, t.rows) && again.rows->ns > 4799 && again.rows->ns < 4801,
	       "is read as it was, with its time");
	tap_int(reader_table_add(&t, "[1]", &t.rows->config, &e), ASC_OK, "another key");
	tap_int(triton_reader.write(&t, &text, &e), ASC_INPUT, "is another file: %s", e.text);
	tap_ok(triton_reader.find(&(struct reader_table){0}, "[1]") == READER_OWN,
	       "without a file Triton tunes");
	reader_table_fini(&t);
	reader_table_fini(&again);
	buf_fini(&text);
	buf_fini(&config);
}

static void test_refused(void)
{
	static const char *const bad[][2] = {
		{"[]", "expected an object"},
		{"{\"key\": [1]}", "\"configs_timings\" is missing"},
		{"{\"configs_timings\": []}", "has no configuration, and Triton fails at it"},
		{"{\"configs_timings\": [[{\"kwargs\": {}}]]}",
		 "expected a configuration and its times"},
		{"{\"configs_timings\": [[{\"kwargs\": {}}, []]]}",
		 "expected 1 to 3 times, found 0"},
		{"{\"configs_timings\": [[{\"kwargs\": {}}, \"fast\"]]}", "expected a number"},
		{"{\"configs_timings\": [[{\"kwargs\": {}}, 1], [{\"kwargs\": {}}, [1]]]}",
		 "has times of another form than those before"},
		{"{\"configs_timings\": [[{\"num_warps\": 4}, 1]]}", "\"kwargs\" is missing"},
		{"{\"configs_timings\": [[{\"kwargs\": {}, \"num_buffers\": 2}, 1]]}",
		 "is no option that is known"},
	};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct reader_table t = {0};

		buf_clear(&text);
		buf_add_str(&text, bad[i][0]);
		tap_ok(triton_reader.read("k.json", &text, &t, &e) == ASC_INPUT &&
			       strstr(e.text, bad[i][1]),
		       "%s: %s", bad[i][0], e.text);
		reader_table_fini(&t);
	}
	buf_fini(&text);
}

static void test_told(void)
{
	static const char answer[] =
		"{\"file\":\"AB/k.autotune.json\",\"key\":[ 64, \"torch.float16\"],"
		"\"names\":[\"x\",\"BLOCK\",\"num_warps\"]}",
			  none[] = "{\"why\":\"Triton keeps no result\"}";
	struct reader_problem p = {.kernel = "m:k", .device = "NVIDIA H200"};
	struct reader_config c = {0};
	struct json_doc *doc = NULL, *without = NULL;
	struct buf name = {0}, key = {0};

	tap_int(triton_reader.name_file(&p, NULL, &name, &e), ASC_INPUT, "nothing is told: %s",
		e.text);
	tap_int(json_open_text("answer", answer, sizeof answer - 1, &doc, &e), ASC_OK, "an answer");
	tap_int(json_open_text("answer", none, sizeof none - 1, &without, &e), ASC_OK, "none");
	p.told = json_root(doc);
	tap_int(triton_reader.name_file(&p, NULL, &name, &e), ASC_OK, "a name is told");
	tap_str(buf_str(&name), "AB/k.autotune.json", "with its folder");
	tap_int(triton_reader.print_key(&triton_reader, &p, &key, &e), ASC_OK, "and a key");
	tap_str(buf_str(&key), "[64,\"torch.float16\"]", "as JSON");
	reader_add_parameter(&c, "BLOCK", value_int(64));
	reader_add_parameter(&c, "num_warps", value_int(4));
	tap_int(triton_reader.check(&p, &c, &e), ASC_OK, "a configuration that Triton takes");
	c.list[1].value = value_int(6);
	tap_int(triton_reader.check(&p, &c, &e), ASC_INPUT, "warps: %s", e.text);
	c.list[1].value = value_int(64);
	tap_int(triton_reader.check(&p, &c, &e), ASC_INPUT, "too many of them: %s", e.text);
	c.list[1].value = value_int(4);
	reader_add_parameter(&c, "TILE", value_int(4));
	tap_int(triton_reader.check(&p, &c, &e), ASC_INPUT, "another name: %s", e.text);
	p.told = json_root(without);
	tap_int(triton_reader.name_file(&p, NULL, &name, &e), ASC_INPUT, "no answer");
	tap_str(e.text, "Triton keeps no result", "has its reason");
	json_close(doc);
	json_close(without);
	buf_fini(&name);
	buf_fini(&key);
}

/* The file and key of a problem whose library is not asked, as Triton 3.6.0 wrote them for it
 * (tests/consumers/import_triton.t). */
static void test_guess(void)
{
	const struct rule_size sizes[] = {{"N", 1000, 1000}, {"causal", 1, 1}, {"@elements", 7, 7}};
	const bool truths[] = {false, true, false};
	const struct asctune_type types[] = {{"x", "f32"}, {"y", "bf16"}, {"@source", "0f"}};
	char kernel[300];
	struct reader_problem p = {.kernel = "ops.a:axpy",
				   .device = "NVIDIA H200",
				   .sizes = sizes,
				   .truths = truths,
				   .n_sizes = 3,
				   .types = types,
				   .n_types = 3};
	struct buf file = {0}, key = {0};

	tap_int(triton_reader.guess(&p, &file, &key, &e), ASC_OK, "a problem without an answer");
	tap_str(buf_str(&file), "axpy.autotune.json", "has the kernel's file");
	tap_str(buf_str(&key), "[1000,true,\"torch.float32\",\"torch.bfloat16\"]",
		"sizes, then types; names with @ are of no key");
	(void)snprintf(kernel, sizeof kernel, "m:%0200d", 0);
	p.kernel = kernel;
	buf_clear(&file);
	tap_int(triton_reader.guess(&p, &file, &key, &e), ASC_OK, "a long name");
	tap_int((long long)file.len, 150 + (long long)strlen(".autotune.json"),
		"has 150 characters there");
	buf_fini(&file);
	buf_fini(&key);
}

static void test_options(void)
{
	struct reader_config ours = {0}, cached = {0};
	struct buf text = {0};

	reader_add_parameter(&ours, "BLOCK", value_int(64));
	reader_add_parameter(&ours, "num_warps", value_int(4));
	reader_add_parameter(&cached, "BLOCK", value_int(64));
	reader_add_parameter(&cached, "num_ctas", value_int(1));
	reader_add_parameter(&cached, "num_stages", value_int(3));
	reader_align_options(&cached, &ours);
	tap_ok(reader_same_config(&ours, &cached), "what is left to Triton is the same");
	cached.n = 1;
	reader_add_parameter(&cached, "num_stages", value_int(2));
	reader_add_parameter(&cached, "num_warps", value_int(8));
	reader_align_options(&cached, &ours);
	reader_print_config(&cached, &text);
	tap_str(buf_str(&text), "BLOCK=64, num_stages=2, num_warps=8", "other values stay");
	buf_fini(&text);
}

/* Names that a library may print, and that would lead out of the folder. */
static void test_names(void)
{
	static const char *const bad[] = {"../evil/x", "/tmp/x", "AB/../x", "AB/.x", ".x",
					  "AB//x",     "AB/",    "",        "AB/."};
	char text[400];
	struct reader_problem p = {.kernel = "m:k", .device = "NVIDIA H200"};
	struct json_doc *doc = NULL;
	struct buf name = {0};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		(void)snprintf(text, sizeof text, "{\"file\":\"%s\"}", bad[i]);
		tap_int(json_open_text("answer", text, strlen(text), &doc, &e), ASC_OK,
			"an answer");
		p.told = json_root(doc);
		tap_int(triton_reader.name_file(&p, NULL, &name, &e), ASC_INPUT, "\"%s\"", bad[i]);
		tap_has(e.text, bad[i], "is named");
		json_close(doc);
	}
	/* 240 bytes are the most: with the evidence's ending a name has 254 of 255. */
	for (int n = 240; n < 242; n++) {
		(void)snprintf(text, sizeof text, "{\"file\":\"A/%0*d\"}", n - 2, 0);
		tap_int(json_open_text("answer", text, strlen(text), &doc, &e), ASC_OK,
			"an answer");
		p.told = json_root(doc);
		buf_clear(&name);
		tap_int(triton_reader.name_file(&p, NULL, &name, &e), n > 240 ? ASC_INPUT : ASC_OK,
			"%d bytes", n);
		json_close(doc);
	}
	buf_fini(&name);
}

int main(void)
{
	test_names();
	test_guess();
	test_options();
	test_files();
	test_refused();
	test_told();
	return tap_done();
}
