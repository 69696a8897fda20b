/* Tensors in files: what safetensors and NumPy have written (tests/data/tensors/make.py says how),
 * headers that lie, files that are no files, and files that change while they are read.
 * covers: tensor_file.c */
#include "tuner/base/tensor_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static char folder[64] = "/tmp/t-tensor_file.XXXXXX";
static struct asc_err e;

static char *stored(const char *name)
{
	return str_print(TEST_DATA "/data/tensors/%s", name);
}

static char *made(const char *name)
{
	return str_print("%s/%s", folder, name);
}

/* Opens a file and checks that it fails with that text. */
static void refuse(char *path, const char *text)
{
	struct tensor_file *f = NULL;

	tap_int(tensor_file_open(path, &f, &e), ASC_INPUT, "%s", path);
	tap_has(e.text, text, "the reason");
	tap_has(e.text, path, "the file's name");
	tensor_file_close(f);
	free(path);
}

static struct tensor_file *open_good(char *path)
{
	struct tensor_file *f = NULL;

	if (!tap_int(tensor_file_open(path, &f, &e), ASC_OK, "%s", path))
		tap_note("%s", e.text);
	free(path);
	return f;
}

/* ---- what others have written ---- */

static void check_numbers(const struct tensor_file *f, const char *name, enum dtype type,
			  const double *want, size_t n)
{
	const struct tensor_member *m = tensor_file_find(f, name);
	double content[16] = {0}, numbers[16];

	if (!tap_ok(m && m->known && m->count == (int64_t)n, "%s is there", name))
		return;
	tap_str(dtype_name(m->dtype), dtype_name(type), "%s has its type", name);
	tap_int(tensor_file_read(f, m, content, NULL, &e), ASC_OK, "%s is read", name);
	dtype_to_double(m->dtype, content, numbers, n);
	for (size_t i = 0; i < n; i++)
		tap_real(numbers[i], want[i], 0, "%s[%zu]", name, i);
}

static void test_safetensors(void)
{
	static const struct {
		const char *name;
		enum dtype dtype;
	} types[] = {{"bool", DTYPE_BOOL},         {"uint8", DTYPE_U8},
		     {"int8", DTYPE_I8},           {"uint16", DTYPE_U16},
		     {"int16", DTYPE_I16},         {"float16", DTYPE_F16},
		     {"bfloat16", DTYPE_BF16},     {"uint32", DTYPE_U32},
		     {"int32", DTYPE_I32},         {"float32", DTYPE_F32},
		     {"uint64", DTYPE_U64},        {"int64", DTYPE_I64},
		     {"float64", DTYPE_F64},       {"float8_e4m3fn", DTYPE_F8E4M3},
		     {"float8_e5m2", DTYPE_F8E5M2}};
	static const double truths[] = {0, 1, 0, 1, 0, 1}, counted[] = {0, 1, 2}, seven = 7;
	const int64_t shape[] = {2, 3}, other[] = {3, 2};
	struct tensor_file *f = open_good(stored("types.safetensors"));

	for (size_t i = 0; f && i < sizeof types / sizeof *types; i++)
		check_numbers(f, types[i].name, types[i].dtype, truths, 6);
	tap_int(sizeof types / sizeof *types, DTYPE_COUNT, "every type");
	const struct tensor_member *m = tensor_file_find(f, "int32");

	tap_int(tensor_file_check(f, m, DTYPE_I32, shape, 2, &e), ASC_OK, "type and shape");
	tap_int(tensor_file_check(f, m, DTYPE_F32, shape, 2, &e), ASC_INPUT, "another type");
	tap_has(e.text, "int32 is i32[2, 3], expected f32[2, 3]", "both types");
	tap_int(tensor_file_check(f, m, DTYPE_I32, other, 2, &e), ASC_INPUT, "another shape");
	tap_has(e.text, "is i32[2, 3], expected i32[3, 2]", "both shapes");
	tap_int(tensor_file_check(f, m, DTYPE_I32, shape, 1, &e), ASC_INPUT, "another rank");
	tap_ok(!tensor_file_find(f, "complex64"), "a member that is not there");
	tensor_file_close(f);

	f = open_good(stored("several.safetensors"));
	check_numbers(f, "z", DTYPE_F64, counted, 3);
	check_numbers(f, "a", DTYPE_I8, NULL, 0);
	check_numbers(f, "one", DTYPE_I64, &seven, 1);
	tap_ok(!tensor_file_find(f, "__metadata__"), "metadata are no tensor");
	tensor_file_close(f);

	f = open_good(stored("float8.safetensors"));
	check_numbers(f, "y", DTYPE_F32, (const double[]){1, 1}, 2);
	m = tensor_file_find(f, "x");
	tap_int(tensor_file_check(f, m, DTYPE_U8, (const int64_t[]){4}, 1, &e), ASC_INPUT,
		"a type that no tensor of a workload has");
	tap_has(e.text, "x has elements of F8_E8M0", "its name");
	tensor_file_close(f);
}

static void test_npy(void)
{
	static const double counted[] = {0, 1, 2, 3, 4, 5}, truths[] = {1, 0}, five = 5;
	const int64_t shape[] = {2, 3};
	struct tensor_file *f = open_good(stored("one.npy"));

	check_numbers(f, "any", DTYPE_F32, counted, 6);
	tap_int(tensor_file_check(f, tensor_file_find(f, "x"), DTYPE_F32, shape, 2, &e), ASC_OK,
		"its shape");
	tensor_file_close(f);
	f = open_good(stored("truth.npy"));
	check_numbers(f, "", DTYPE_BOOL, truths, 2);
	tensor_file_close(f);
	f = open_good(stored("number.npy"));
	check_numbers(f, "", DTYPE_I64, &five, 1);
	tap_int(tensor_file_find(f, "")->rank, 0, "no dimensions");
	tensor_file_close(f);
	f = open_good(stored("version2.npy"));
	check_numbers(f, "", DTYPE_U16, counted, 4);
	tensor_file_close(f);
	f = open_good(stored("version3.npy"));
	check_numbers(f, "", DTYPE_U16, counted, 4);
	tensor_file_close(f);
	static const double given[] = {0, 1, -0.5, 448};

	f = open_good(stored("bfloat16.npy"));
	check_numbers(f, "", DTYPE_BF16, given, 4);
	tensor_file_close(f);
	f = open_good(stored("float8_e4m3fn.npy"));
	check_numbers(f, "", DTYPE_F8E4M3, given, 4);
	tensor_file_close(f);
	f = open_good(stored("float8_e5m2.npy"));
	check_numbers(f, "", DTYPE_F8E5M2, given, 4);
	tap_int(tensor_file_check(f, tensor_file_find(f, ""), DTYPE_F8E4M3, (const int64_t[]){4}, 1,
				  &e),
		ASC_INPUT, "the other type of 8 bits");
	tap_has(e.text, "is f8e5m2[4], expected f8e4m3[4]", "both types");
	tensor_file_close(f);
	f = open_good(stored("complex.npy"));
	tap_int(tensor_file_check(f, tensor_file_find(f, ""), DTYPE_F64, shape, 1, &e), ASC_INPUT,
		"complex numbers");
	tap_has(e.text, "elements of <c8", "their type");
	tensor_file_close(f);
	refuse(stored("big.npy"), "is big endian (>f8)");
	refuse(stored("fortran.npy"), "Fortran order");
	refuse(stored("pairs.npy"), "its header is not of the form");
}

static void test_digest(void)
{
	char one[HASH_TEXT_SIZE], same[HASH_TEXT_SIZE], another[HASH_TEXT_SIZE];
	struct tensor_file *f = open_good(stored("types.safetensors"));
	double content[6];

	tap_int(tensor_file_read(f, tensor_file_find(f, "int16"), NULL, one, &e), ASC_OK, "alone");
	tap_int(tensor_file_read(f, tensor_file_find(f, "int16"), content, same, &e), ASC_OK,
		"with the content");
	tap_int(tensor_file_read(f, tensor_file_find(f, "int32"), NULL, another, &e), ASC_OK,
		"of other bytes");
	tap_str(one, same, "one digest of one content");
	tap_ok(strcmp(one, another) != 0, "another one of another content");
	tensor_file_close(f);
}

/* ---- headers that lie ---- */

static void put(const char *path, const void *data, size_t n)
{
	if (file_write(path, data, n, &e))
		abort();
}

/* A .safetensors file of that header and so many bytes of content. */
static char *make(const char *header, size_t content)
{
	char *path = made("made.safetensors");
	struct buf b = {0};
	const size_t n = strlen(header);

	for (size_t i = 0; i < 8; i++)
		buf_add_char(&b, (char)(n >> (8 * i)));
	buf_add_str(&b, header);
	for (size_t i = 0; i < content; i++)
		buf_add_char(&b, 2);
	put(path, buf_str(&b), b.len);
	buf_fini(&b);
	return path;
}

#define MEMBER(name, type, shape, offsets)                                                         \
	"\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_lies(void)
{
	static const struct {
		const char *header;
		size_t content;
		const char *text;
	} lies[] = {
		{"{" MEMBER("x", "U8", "[4]", "[0,4]") "}", 3, "no part of the 3 bytes"},
		{"{" MEMBER("x", "U8", "[4]", "[0,4]") "}", 5, "no tensor has its last 1 bytes"},
		{"{" MEMBER("x", "U8", "[4]", "[1,5]") "}", 5,
		 "no tensor has the 1 bytes before x"},
		{"{" MEMBER("x", "U8", "[4]", "[4,0]") "}", 4, "is [4, 0]"},
		{"{" MEMBER("x", "U8", "[4]", "[-4,0]") "}", 4, "is -4, expected at least 0"},
		{"{" MEMBER("x", "U8", "[-4]", "[0,4]") "}", 4, "is -4, expected at least 0"},
		{"{" MEMBER("x", "U8", "[4.5]", "[0,4]") "}", 4, "x.shape[0]"},
		{"{" MEMBER("x", "U8", "4", "[0,4]") "}", 4, "x.shape"},
		{"{" MEMBER("x", "F32", "[4]", "[0,4]") "}", 4, "has 4 bytes, which is no F32"},
		{"{" MEMBER("x", "F64", "[4294967296,4294967296]", "[0,4]") "}", 4,
		 "which is no F64 of this shape"},
		{"{" MEMBER("x", "F64", "[2305843009213693953]", "[0,8]") "}", 8, "beyond 2^53"},
		{"{" MEMBER("x", "F64", "[4503599627370496,512]", "[0,8]") "}", 8,
		 "which is no F64 of this shape"},
		{"{" MEMBER("x", "U8", "[4]", "[0]") "}", 4, "has 1 numbers, expected 2"},
		{"{" MEMBER("x", "U8", "[4]", "[0,4,4]") "}", 4, "has 3 numbers"},
		{"{" MEMBER("x", "U8", "[4]", "[0,9007199254740993]") "}", 4, "beyond 2^53"},
		{"{" MEMBER("x", "U8", "[4]", "[0,4]") "," MEMBER("y", "U8", "[2]", "[3,5]") "}", 5,
		 "x and y overlap"},
		{"{" MEMBER("x", "U8", "[4]", "[0,4]") "," MEMBER("y", "U8", "[4]", "[0,4]") "}", 4,
		 "x and y overlap"},
		{"{" MEMBER("x", "U8", "[4]", "[0,4]") "," MEMBER("x", "U8", "[4]", "[0,4]") "}", 4,
		 "key \"x\" appears twice"},
		{"{\"x\":{\"dtype\":\"U8\",\"shape\":[4]}}", 4, "data_offsets"},
		{"{\"x\":{\"dtype\":8,\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "x.dtype"},
		{"{\"x\":4}", 4, "made.safetensors: x"},
		{"[4]", 4, "expected an object"},
		{"{\"x\":", 4, "made.safetensors"},
		{"", 4, "made.safetensors"},
		{"{} x", 0, "made.safetensors"},
	};
	struct tensor_file *f;
	char *path;

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		refuse(make(lies[i].header, lies[i].content), lies[i].text);
	f = open_good(make("{}  ", 0));
	tap_ok(f && !tensor_file_find(f, "x"), "no members, and blanks behind the header");
	tensor_file_close(f);

	/* Of 2^63 bytes, and of one more than there are. */
	path = made("made.safetensors");
	put(path, "\0\0\0\0\0\0\0\x80{}", 10);
	refuse(path, "its header has 9223372036854775808 bytes, expected at most 4194304");
	path = made("made.safetensors");
	put(path, "\3\0\0\0\0\0\0\0{}", 10);
	refuse(path, "is cut short: its header has 3 bytes, and 2 are there");
	path = made("made.safetensors");
	put(path, "\2\0\0\0", 4);
	refuse(path, "has 4 bytes, too few for a header");
	path = made("made.npy");
	put(path, "\x93NUMPX\1\0\2\0{}", 12);
	refuse(path, "is no .npy file");
	path = made("made.npy");
	put(path, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", 64);
	refuse(path, "is a pointer of Git LFS: `git lfs pull` brings the file");
	path = made("made.npy");
	put(path, "\x93NUMPY\4\0\2\0{}", 12);
	refuse(path, "is version 4 of .npy");
	path = made("made.npy");
	put(path, "\x93NUMPY\1\0\3\0{}", 12);
	refuse(path, "is cut short: its header has 3 bytes, and 2 are there");
	path = made("made.npy");
	put(path, "\x93NUMPY\2\0\xff\xff\xff\xff{}", 14);
	refuse(path, "expected at most 4194304");

	static const char *const headers[] = {
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 'x')}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
		"{'descr': '<f4', 'fortran_order': False}",
		"{'descr': '<f4', 'fortran_order': No, 'shape': (1,)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
		"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)",
	};

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		char *text =
			str_print("\x93NUMPY\1%c%c%c%s", 1, (int)strlen(headers[i]), 1, headers[i]);

		text[7] = text[9] = '\0';
		path = made("made.npy");
		put(path, text, 10 + strlen(headers[i]));
		refuse(path, "its header is not of the form");
		free(text);
	}
	refuse(made("made.bin"), "expected a .safetensors or .npy file");
}

/* Every file that others have written, cut at every place and with every byte of its first 200
 * changed: it is refused in one line, or it is read. */
static void test_damaged(void)
{
	static const char *const names[] = {"types.safetensors",  "several.safetensors",
					    "float8.safetensors", "one.npy",
					    "version2.npy",       "pairs.npy"};
	static char content[4096];
	size_t cut = 0, refused = 0, read = 0, odd = 0;

	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		char *from = stored(names[k]), *to = made(names[k]);
		struct buf whole = {0};
		struct tensor_file *f;

		if (file_read(from, 0, &whole, &e))
			abort();
		for (size_t n = 0; n < whole.len; n++) {
			put(to, whole.data, n);
			f = NULL;
			cut += tensor_file_open(to, &f, &e) == ASC_OK;
			tensor_file_close(f);
		}
		for (size_t i = 0; i < whole.len && i < 200; i++) {
			whole.data[i] ^= (char)(1 << i % 8);
			put(to, whole.data, whole.len);
			f = NULL;
			if (tensor_file_open(to, &f, &e)) {
				refused++;
				odd += e.status != ASC_INPUT || strchr(e.text, '\n') != NULL;
			} else {
				const struct tensor_member *m = tensor_file_find(f, "x");

				read++;
				if (m && m->bytes <= (int64_t)sizeof content)
					(void)tensor_file_read(f, m, content, NULL, &e);
			}
			tensor_file_close(f);
			whole.data[i] ^= (char)(1 << i % 8);
		}
		(void)unlink(to);
		buf_fini(&whole);
		free(from);
		free(to);
	}
	tap_int(cut, 0, "a file that is cut anywhere is refused");
	tap_ok(refused > 600 && read > 0, "%zu damaged headers are refused, %zu are read", refused,
	       read);
	tap_int(odd, 0, "each refusal is one line");
}

/* ---- what is no file, and what changes ---- */

static void test_special(void)
{
	char *link = made("link.npy"), *pipe = made("pipe.npy"), *at = made("folder.npy");
	char *target = stored("one.npy");
	struct tensor_file *f = NULL;

	if (symlink(target, link) || mkfifo(pipe, 0600) || mkdir(at, 0700))
		abort();
	refuse(link, "is a link, expected a file");
	refuse(pipe, "is a pipe, expected a file");
	refuse(at, "is a folder, expected a file");
	free(target);
	target = made("none.npy");
	tap_int(tensor_file_open(target, &f, &e), ASC_NOTFOUND, "no file");
	free(target);
}

static void test_changes(void)
{
	static const char lie[] = "{" MEMBER("x", "BOOL", "[4]", "[0,4]") "}";
	char content[4], digest[HASH_TEXT_SIZE];
	char *path = make(lie, 4);
	struct tensor_file *f = open_good(str_dup(path));
	const struct tensor_member *m = tensor_file_find(f, "x");

	tap_int(tensor_file_read(f, m, content, digest, &e), ASC_INPUT, "a truth value of 2");
	tap_has(e.text, "element 0 of x is 2, expected 0 or 1", "is named");
	tap_int(truncate(path, 10), 0, "cut short");
	tap_int(tensor_file_read(f, m, content, digest, &e), ASC_INPUT, "while it is open");
	tap_has(e.text, "was cut short while it was read", "is said");
	tensor_file_close(f);

	free(path);
	path = make("{" MEMBER("x", "I8", "[4]", "[0,4]") "}", 4);
	f = open_good(str_dup(path));
	tap_int(truncate(path, 200), 0, "made longer");
	tap_int(tensor_file_read(f, tensor_file_find(f, "x"), content, digest, &e), ASC_INPUT,
		"while it is open");
	tap_has(e.text, "was changed while it was read", "is said");
	tensor_file_close(f);
	free(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	test_safetensors();
	test_npy();
	test_digest();
	test_lies();
	test_damaged();
	test_special();
	test_changes();
	dir_remove(folder);
	return tap_done();
}
