/* Contents of tensors in files: found, read, digested for the problem's key, and told to another
 * process. The files are those of t-tensor_file.c.
 * covers: binding_files.c binding_digests.c */
#include "tuner/workload/binding/binding_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/tensor_file.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"

static char folder[64] = "/tmp/t-binding_files.XXXXXX";
static struct asc_err e;

/* One problem of two inputs in its sets, one input in a file of its own, and an output. */
#define WORKLOAD(sets)                                                                             \
	"{\"asctune\":1,\"name\":\"w\",\"problems\":[{\"name\":\"p\",\"dims\":{\"N\":3},"          \
	"\"sets\":" sets "}],\"tensors\":{"                                                        \
	"\"int32\":{\"shape\":[2,\"N\"],\"dtype\":\"i32\",\"role\":\"in\",\"fill\":{\"kind\":"     \
	"\"file\"}},"                                                                              \
	"\"float32\":{\"shape\":[2,\"N\"],\"dtype\":\"f32\",\"role\":\"in\",\"fill\":{\"kind\":"   \
	"\"file\"}},"                                                                              \
	"\"own\":{\"shape\":[2,\"N\"],\"dtype\":\"f32\",\"role\":\"in\",\"fill\":{\"kind\":"       \
	"\"file\",\"file\":\"one.npy\"}},"                                                         \
	"\"y\":{\"shape\":[\"N\"],\"dtype\":\"i64\",\"role\":\"out\"}},"                           \
	"\"reference\":{\"source\":\"k.c\",\"entry\":\"k\",\"arguments\":[{\"tensor\":\"y\"}]},"   \
	"\"implementations\":[{\"name\":\"i\",\"source\":\"k.c\",\"entry\":\"k\","                 \
	"\"arguments\":[{\"tensor\":\"y\"}]}]}"

static char *at(const char *name)
{
	return str_print("%s/%s", folder, name);
}

static void copy(const char *from, const char *to)
{
	char *source = str_print(TEST_DATA "/data/tensors/%s", from), *target = at(to);
	struct buf b = {0};

	if (file_read(source, 0, &b, &e) || file_write(target, buf_str(&b), b.len, &e))
		abort();
	buf_fini(&b);
	free(source);
	free(target);
}

static bool bind(struct workload **w, struct binding *b, const char *text)
{
	char *path = at("w.json");

	if (file_write(path, text, strlen(text), &e))
		abort();
	const enum asc_status s = workload_open(path, w, &e);

	free(path);
	return tap_int(s, ASC_OK, "%s", s ? e.text : "opened") &&
	       tap_int(binding_init(b, *w, (*w)->problems, "cpu", NULL, &e), ASC_OK, "bound");
}

/* The key of the problem with these sets. */
static void find_key(const char *text, char key[HASH_TEXT_SIZE])
{
	struct workload *w = NULL;
	struct binding b;

	key[0] = '\0';
	if (!bind(&w, &b, text))
		return;
	tap_str(b.key, "", "no key of files that were not read");
	tap_int(binding_read_files(&b, &e), ASC_OK, "the files are read");
	memcpy(key, b.key, HASH_TEXT_SIZE);
	binding_fini(&b);
	workload_close(w);
}

static void test_contents(void)
{
	struct binding b;
	struct workload *w = NULL;
	const struct tensor_member *m;
	int32_t whole[6] = {9, 9, 9, 9, 9, 9};
	float numbers[6] = {0};

	if (!bind(&w, &b,
		  WORKLOAD("[\"a.safetensors\",{\"file\":\"a.safetensors\",\"fresh\":"
			   "true}]")))
		return;
	struct binding_files f = {.binding = &b};

	tap_ok(binding_has_files(&b), "it has files");
	tap_int(binding_sets(&b), 2, "two sets");
	tap_ok(w->problems->sets[1].fresh && !w->problems->sets[0].fresh, "the second is fresh");
	tap_int(binding_files_find(&f, 1, 0, CONTENT_BEFORE, &m, &e), ASC_OK, "an input");
	tap_int(binding_files_read(&f, 1, 0, CONTENT_BEFORE, m, whole, &e), ASC_OK, "is read");
	tap_ok(whole[0] == 0 && whole[1] == 1 && whole[5] == 1, "as the file has it");
	tap_int(binding_files_find(&f, 1, 2, CONTENT_BEFORE, &m, &e), ASC_OK, "a file of its own");
	tap_int(binding_files_read(&f, 1, 2, CONTENT_BEFORE, m, numbers, &e), ASC_OK, "is read");
	tap_real(numbers[5], 5, 0, "as the file has it");
	tap_int(binding_files_find(&f, 0, 3, CONTENT_AFTER, &m, &e), ASC_OK, "an output");
	tap_ok(!m, "was not recorded");
	tap_int(binding_files_find(&f, 0, 3, CONTENT_BEFORE, &m, &e), ASC_OK, "an output");
	tap_ok(!m, "has no content before");

	/* A file that changes when its digest is known. */
	tap_int(binding_read_files(&b, &e), ASC_OK, "digests");
	tap_str(binding_digest(&b, 0, 2, CONTENT_BEFORE), binding_digest(&b, 1, 2, CONTENT_BEFORE),
		"one digest of a file for all sets");
	copy("truth.npy", "other.npy");
	binding_files_close(&f);
	char *path = at("one.npy");
	struct buf bytes = {0};

	if (file_read(path, 0, &bytes, &e))
		abort();
	bytes.data[bytes.len - 1] ^= 1;
	if (file_write(path, bytes.data, bytes.len, &e))
		abort();
	tap_int(binding_files_find(&f, 0, 2, CONTENT_BEFORE, &m, &e), ASC_OK, "found");
	tap_int(binding_files_read(&f, 0, 2, CONTENT_BEFORE, m, numbers, &e), ASC_INPUT,
		"another content");
	tap_has(e.text, "one.npy was changed while it was being tuned", "is said");
	binding_files_close(&f);
	copy("one.npy", "one.npy");
	buf_fini(&bytes);
	free(path);
	binding_fini(&b);
	workload_close(w);
}

static void test_key(void)
{
	char one[HASH_TEXT_SIZE], same[HASH_TEXT_SIZE], two[HASH_TEXT_SIZE], fresh[HASH_TEXT_SIZE],
		changed[HASH_TEXT_SIZE];

	find_key(WORKLOAD("[\"a.safetensors\"]"), one);
	find_key(WORKLOAD("[\"b.safetensors\"]"), same);
	find_key(WORKLOAD("[\"a.safetensors\",\"b.safetensors\"]"), two);
	find_key(WORKLOAD("[{\"file\":\"a.safetensors\",\"fresh\":true}]"), fresh);
	copy("version2.npy", "one.npy");
	copy("one.npy", "one.npy");
	find_key(WORKLOAD("[\"a.safetensors\"]"), changed);
	tap_ok(*one, "a key");
	tap_str(one, same, "of one content, whatever the file is called");
	tap_str(one, changed, "and whenever it was written");
	tap_ok(strcmp(one, two) != 0, "another one of two sets");
	tap_ok(strcmp(one, fresh) != 0, "another one of fresh numbers");
}

static void test_told(void)
{
	struct buf text = {0};
	struct json_writer writer = {.out = &text};
	struct json_doc *doc = NULL;
	struct workload *w = NULL;
	struct binding here, there;

	if (!bind(&w, &here, WORKLOAD("[\"a.safetensors\"]")) ||
	    !tap_int(binding_init(&there, w, w->problems, "npu", NULL, &e), ASC_OK, "bound again"))
		return;
	tap_int(binding_read_files(&here, &e), ASC_OK, "digests");
	json_write_begin(&writer, NULL, '{');
	binding_write_digests(&here, &writer, "digests");
	json_write_end(&writer, '}');
	tap_int(json_open_text("told", buf_str(&text), text.len, &doc, &e), ASC_OK, "written");
	tap_int(binding_take_digests(&there, json_find(json_root(doc), "digests"), &e), ASC_OK,
		"taken");
	tap_str(there.key, here.key, "one key in both processes");
	tap_int(binding_take_digests(&there, json_root(doc), &e), ASC_PROTOCOL, "too few");
	json_close(doc);
	buf_fini(&text);
	binding_fini(&here);
	binding_fini(&there);
	workload_close(w);
}

static void test_sizes(void)
{
	const struct problem *p;
	struct workload *w = NULL;
	struct binding b;

	if (!bind(&w, &b, WORKLOAD("[\"a.safetensors\"]")))
		return;
	tap_int(workload_open_problem(w, "p.N4", &p, &e), ASC_INPUT, "another size");
	tap_has(e.text, "problem p has sets of inputs in files", "is refused with the reason");
	binding_fini(&b);
	workload_close(w);
}

/* Without memory at every place of the way from a workload to its key. */
static enum asc_status find_key_job(struct asc_err *err)
{
	struct workload *w = NULL;
	struct binding b = {0};
	char *path = at("w.json");
	enum asc_status s = path ? workload_open(path, &w, err) : asc_err_nomem(err);

	if (s == ASC_OK)
		s = binding_init(&b, w, w->problems, "cpu", NULL, err);
	if (s == ASC_OK)
		s = binding_read_files(&b, err);
	if (s == ASC_OK)
		nomem_give(b.key);
	binding_fini(&b);
	workload_close(w);
	free(path);
	return s;
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	copy("types.safetensors", "a.safetensors");
	copy("types.safetensors", "b.safetensors");
	copy("one.npy", "one.npy");
	char *source = at("k.c");

	if (file_write(source, "", 0, &e))
		abort();
	free(source);
	test_contents();
	test_key();
	test_told();
	test_sizes();
	nomem_exhaust("the key of a problem with files", find_key_job);
	dir_remove(folder);
	return tap_done();
}
