#include "tuner/base/tensor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/lfs_pointer.h"

enum {
	/* Longest header: some forty thousand members. One of numbers alone, a nested list say,
	 * takes half a gigabyte to be read. */
	MAX_HEADER = 4 << 20,
	MAX_RANK = 64,  /* NumPy's own limit since version 2 */
	CHUNK = 1 << 20 /* bytes that are read at a time where only the digest is asked for */
};

struct tensor_file {
	int fd;
	char *path;
	struct stat was;      /* when it was opened */
	struct json_doc *doc; /* header of a .safetensors file; owns the members' names */
	struct buf header;    /* text of the header; owns the type of a .npy file */
	struct tensor_member *members;
	size_t n_members;
	int64_t *shapes; /* of all members, one after another */
};

/* ---- what both formats share ---- */

enum tensor_format tensor_file_format(const char *path)
{
	if (str_ends_with(path, ".safetensors"))
		return TENSOR_FILE_SAFETENSORS;
	return str_ends_with(path, ".npy") ? TENSOR_FILE_NPY : TENSOR_FILE_NONE;
}

/* Reads `n` bytes at `at`, whatever interrupts. A file that ends before is one that was cut short:
 * what is asked for was in it when it was opened. */
static enum asc_status read_at(const struct tensor_file *f, int64_t at, void *out, size_t n,
			       struct asc_err *e)
{
	char *to = out;

	while (n > 0) {
		const ssize_t got = pread(f->fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return file_fail(e, "read", f->path);
		if (got == 0)
			return asc_err_set(e, ASC_INPUT, "%s: was cut short while it was read",
					   f->path);
		to += got;
		at += got;
		n -= (size_t)got;
	}
	return ASC_OK;
}

static uint64_t little_endian(const unsigned char *bytes, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | bytes[n];
	return v;
}

/* Reads a header of `n` bytes at `at` as a text. */
static enum asc_status read_header(struct tensor_file *f, int64_t at, uint64_t n, struct asc_err *e)
{
	if (n > MAX_HEADER)
		return asc_err_set(e, ASC_INPUT,
				   "%s: its header has %llu bytes, expected at most %d", f->path,
				   (unsigned long long)n, MAX_HEADER);
	if ((int64_t)n > f->was.st_size - at)
		return asc_err_set(
			e, ASC_INPUT,
			"%s: is cut short: its header has %llu bytes, and %lld are there", f->path,
			(unsigned long long)n, (long long)(f->was.st_size - at));
	char *text = malloc((size_t)n + 1);
	enum asc_status s = text ? read_at(f, at, text, (size_t)n, e) : asc_err_nomem(e);

	if (!s) {
		buf_add(&f->header, text, (size_t)n);
		s = buf_check(&f->header, e);
	}
	free(text);
	return s;
}

/* Counts elements; false where they are more than 63 bits hold. */
static bool count_elements(struct tensor_member *m)
{
	m->count = 1;
	for (size_t i = 0; i < m->rank; i++)
		if (__builtin_mul_overflow(m->count, m->shape[i], &m->count))
			return false;
	return true;
}

/* ---- .safetensors: the length of the header in 8 bytes, the header, the content. The header is an
 * object of members, {"dtype": TYPE, "shape": [...], "data_offsets": [BEGIN, END]}, offsets from
 * the begin of the content, and "__metadata__"
 * (https://github.com/huggingface/safetensors#format) ---- */

static const struct {
	const char *name;
	enum dtype dtype;
} safetensors_types[] = {
	{"BOOL", DTYPE_BOOL}, {"U8", DTYPE_U8},          {"I8", DTYPE_I8},
	{"U16", DTYPE_U16},   {"I16", DTYPE_I16},        {"F16", DTYPE_F16},
	{"BF16", DTYPE_BF16}, {"U32", DTYPE_U32},        {"I32", DTYPE_I32},
	{"F32", DTYPE_F32},   {"U64", DTYPE_U64},        {"I64", DTYPE_I64},
	{"F64", DTYPE_F64},   {"F8_E4M3", DTYPE_F8E4M3}, {"F8_E5M2", DTYPE_F8E5M2},
};

struct stated_member { /* as the header has it */
	const char *type;
	const struct json_node *shape, *offsets;
};

static const struct json_field member_fields[] = {
	{"dtype", JSON_AS_STRING, true, offsetof(struct stated_member, type), NULL, NULL},
	{"shape", JSON_AS_NODE, true, offsetof(struct stated_member, shape), NULL, NULL},
	{"data_offsets", JSON_AS_NODE, true, offsetof(struct stated_member, offsets), NULL, NULL},
	{0}};
static const struct json_spec member_spec = {"tensor", member_fields};

/* Reads a list of numbers that are not negative. */
static enum asc_status read_numbers(const struct json_node *list, size_t most, int64_t *out,
				    struct asc_err *e)
{
	if (json_expect(list, JSON_ARRAY, e))
		return e->status;
	if (json_count(list) > most)
		return json_fail(list, e, "has %zu numbers, expected at most %zu", json_count(list),
				 most);
	for (const struct json_node *n = json_first(list); n; n = json_next(n), out++) {
		if (json_get_int(n, out, e))
			return e->status;
		if (*out < 0)
			return json_fail(n, e, "is %lld, expected at least 0", (long long)*out);
	}
	return ASC_OK;
}

/* Reads a member; *shapes is the place for its shape, and moves behind it. */
static enum asc_status read_member(const struct json_node *n, int64_t content,
				   struct tensor_member *m, int64_t **shapes, struct asc_err *e)
{
	struct stated_member stated;
	int64_t ends[2], bytes;

	if (json_read_object(n, &member_spec, &stated, e) ||
	    read_numbers(stated.shape, MAX_RANK, *shapes, e) ||
	    read_numbers(stated.offsets, 2, ends, e))
		return e->status;
	if (json_count(stated.offsets) != 2)
		return json_fail(stated.offsets, e, "has %zu numbers, expected 2",
				 json_count(stated.offsets));
	*m = (struct tensor_member){.name = json_key(n),
				    .type = stated.type,
				    .shape = *shapes,
				    .rank = json_count(stated.shape)};
	*shapes += m->rank;
	for (size_t i = 0; i < sizeof safetensors_types / sizeof *safetensors_types; i++)
		if (strcmp(safetensors_types[i].name, stated.type) == 0) {
			m->known = true;
			m->dtype = safetensors_types[i].dtype;
		}
	if (ends[1] < ends[0] || ends[1] > content)
		return json_fail(stated.offsets, e,
				 "is [%lld, %lld], which is no part of the %lld bytes of content "
				 "that are there",
				 (long long)ends[0], (long long)ends[1], (long long)content);
	m->at = ends[0];
	m->bytes = ends[1] - ends[0];
	if (!count_elements(m) ||
	    (m->known &&
	     (__builtin_mul_overflow(m->count, (int64_t)dtype_bytes(m->dtype), &bytes) ||
	      bytes != m->bytes)))
		return json_fail(n, e, "has %lld bytes, which is no %s of this shape",
				 (long long)m->bytes, m->type);
	return ASC_OK;
}

static int compare_places(const void *a, const void *b)
{
	const struct tensor_member *one = *(const struct tensor_member *const *)a;
	const struct tensor_member *two = *(const struct tensor_member *const *)b;

	/* Two members that begin at one place overlap, unless one is empty. */
	if (one->at != two->at)
		return one->at < two->at ? -1 : 1;
	return (one->bytes > two->bytes) - (one->bytes < two->bytes);
}

/* Checks that the members cover the content: the format allows neither a byte of two members nor
 * one of none. */
static enum asc_status check_places(const struct tensor_file *f, int64_t content, struct asc_err *e)
{
	const struct tensor_member **sorted =
		malloc((f->n_members + 1) * sizeof(const struct tensor_member *));
	enum asc_status s = sorted ? ASC_OK : asc_err_nomem(e);
	int64_t end = 0;

	for (size_t i = 0; !s && i < f->n_members; i++)
		sorted[i] = &f->members[i];
	if (!s)
		qsort(sorted, f->n_members, sizeof(const struct tensor_member *), compare_places);
	for (size_t i = 0; !s && i < f->n_members; i++) {
		if (sorted[i]->at < end)
			s = asc_err_set(e, ASC_INPUT, "%s: %s and %s overlap", f->path,
					sorted[i - 1]->name, sorted[i]->name);
		else if (sorted[i]->at > end)
			s = asc_err_set(e, ASC_INPUT, "%s: no tensor has the %lld bytes before %s",
					f->path, (long long)(sorted[i]->at - end), sorted[i]->name);
		end = sorted[i]->at + sorted[i]->bytes;
	}
	if (!s && end != content)
		s = asc_err_set(e, ASC_INPUT, "%s: no tensor has its last %lld bytes", f->path,
				(long long)(content - end));
	free(sorted);
	return s;
}

static enum asc_status read_safetensors(struct tensor_file *f, struct asc_err *e)
{
	unsigned char length[8];
	size_t n_sizes = 0;

	if (f->was.st_size < (off_t)sizeof length)
		return asc_err_set(e, ASC_INPUT, "%s: has %lld bytes, too few for a header",
				   f->path, (long long)f->was.st_size);
	if (read_at(f, 0, length, sizeof length, e) ||
	    read_header(f, sizeof length, little_endian(length, sizeof length), e) ||
	    json_open_text(f->path, buf_str(&f->header), f->header.len, &f->doc, e))
		return e->status;
	const struct json_node *root = json_root(f->doc);
	const int64_t begin = (int64_t)(sizeof length + f->header.len);
	const int64_t content = f->was.st_size - begin;

	if (json_expect(root, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *n = json_first(root); n; n = json_next(n))
		n_sizes += json_find(n, "shape") ? json_count(json_find(n, "shape")) : 0;
	f->members = calloc(json_count(root) + 1, sizeof *f->members);
	f->shapes = calloc(n_sizes + 1, sizeof *f->shapes);
	if (!f->members || !f->shapes)
		return asc_err_nomem(e);
	int64_t *shapes = f->shapes;

	for (const struct json_node *n = json_first(root); n; n = json_next(n)) {
		if (strcmp(json_key(n), "__metadata__") == 0)
			continue;
		if (read_member(n, content, &f->members[f->n_members++], &shapes, e))
			return e->status;
	}
	if (check_places(f, content, e))
		return e->status;
	for (size_t i = 0; i < f->n_members; i++)
		f->members[i].at += begin;
	return ASC_OK;
}

/* ---- .npy: "\x93NUMPY", the version in 2 bytes, the length of the header in 2 bytes (version 1)
 * or 4, the header, the content. The header is a dictionary of Python
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ---- */

static const struct {
	const char *name; /* behind the sign of the byte order */
	enum dtype dtype;
} npy_types[] = {
	{"f8", DTYPE_F64},
	{"f4", DTYPE_F32},
	{"f2", DTYPE_F16},
	{"i8", DTYPE_I64},
	{"i4", DTYPE_I32},
	{"i2", DTYPE_I16},
	{"i1", DTYPE_I8},
	{"u8", DTYPE_U64},
	{"u4", DTYPE_U32},
	{"u2", DTYPE_U16},
	{"u1", DTYPE_U8},
	{"b1", DTYPE_BOOL},
	/* NumPy has none of these; ml_dtypes 0.6 calls them so. Rarer types of its own are V1, too.
	 */
	{"V2", DTYPE_BF16},
	{"V1", DTYPE_F8E4M3},
	{"f1", DTYPE_F8E5M2},
};

/* The dictionary as it is read. */
struct npy {
	struct tensor_file *f;
	char *at; /* what was not read yet; texts are ended in place */
	bool fortran, has_order, has_shape;
};

static bool take(struct npy *p, char c)
{
	p->at += strspn(p->at, " \n");
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* Reads a text between either kind of quotes; none that is written here has an escape. */
static bool take_text(struct npy *p, const char **out)
{
	char *end = NULL;

	if (take(p, '\''))
		end = strchr(p->at, '\'');
	else if (take(p, '"'))
		end = strchr(p->at, '"');
	if (!end)
		return false;
	*end = '\0';
	*out = p->at;
	p->at = end + 1;
	return true;
}

static bool take_truth(struct npy *p, bool *out)
{
	p->at += strspn(p->at, " \n");
	*out = strncmp(p->at, "True", 4) == 0;
	if (!*out && strncmp(p->at, "False", 5) != 0)
		return false;
	p->at += *out ? 4 : 5;
	return true;
}

/* Reads a tuple of numbers, `()`, `(3,)`, `(3, 4)`, into the file's shapes. A sign is no part of a
 * size. */
static bool take_shape(struct npy *p, struct tensor_member *m)
{
	char *end;

	if (!take(p, '('))
		return false;
	while (!take(p, ')')) {
		p->at += strspn(p->at, " \n");
		if (*p->at < '0' || *p->at > '9' || m->rank == MAX_RANK)
			return false;
		errno = 0;
		p->f->shapes[m->rank++] = strtoll(p->at, &end, 10);
		p->at = end;
		if (errno || (!take(p, ',') && *p->at != ')'))
			return false;
	}
	return true;
}

static bool read_dictionary(struct npy *p, struct tensor_member *m)
{
	const char *key;

	if (!take(p, '{'))
		return false;
	while (!take(p, '}')) {
		bool read = take_text(p, &key) && take(p, ':');

		/* No key twice: the second would count. */
		if (read && strcmp(key, "descr") == 0)
			read = !m->type && take_text(p, &m->type);
		else if (read && strcmp(key, "fortran_order") == 0)
			read = !p->has_order && (p->has_order = take_truth(p, &p->fortran));
		else if (read && strcmp(key, "shape") == 0)
			read = !p->has_shape && (p->has_shape = take_shape(p, m));
		else
			read = false;
		if (!read || (!take(p, ',') && *p->at != '}'))
			return false;
	}
	return !p->at[strspn(p->at, " \n")] && m->type && p->has_order && p->has_shape;
}

static enum asc_status npy_type(const struct tensor_file *f, struct tensor_member *m,
				struct asc_err *e)
{
	for (size_t i = 0; i < sizeof npy_types / sizeof *npy_types; i++)
		if (*m->type && strcmp(npy_types[i].name, m->type + 1) == 0) {
			m->known = true;
			m->dtype = npy_types[i].dtype;
		}
	if (m->known && *m->type == '>')
		return asc_err_set(e, ASC_INPUT, "%s: is big endian (%s), expected little endian",
				   f->path, m->type);
	/* One byte has no order, and other signs have no meaning in a file. */
	m->known = m->known && (*m->type == '<' || *m->type == '|');
	return ASC_OK;
}

static enum asc_status read_npy(struct tensor_file *f, struct asc_err *e)
{
	static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
	unsigned char head[12];
	size_t size = 10; /* of all before the header, in version 1 */

	if (f->was.st_size < (off_t)sizeof head)
		return asc_err_set(e, ASC_INPUT, "%s: has %lld bytes, too few for a header",
				   f->path, (long long)f->was.st_size);
	if (read_at(f, 0, head, sizeof head, e))
		return e->status;
	if (memcmp(head, magic, sizeof magic) != 0)
		return asc_err_set(e, ASC_INPUT, "%s: is no .npy file: it begins with other bytes",
				   f->path);
	if (head[6] < 1 || head[6] > 3)
		return asc_err_set(e, ASC_INPUT, "%s: is version %d of .npy, expected 1 to 3",
				   f->path, head[6]);
	if (head[6] > 1)
		size = 12;
	f->members = calloc(1, sizeof *f->members);
	f->shapes = calloc(MAX_RANK, sizeof *f->shapes);
	if (!f->members || !f->shapes)
		return asc_err_nomem(e);
	if (read_header(f, (int64_t)size, little_endian(head + 8, size - 8), e))
		return e->status;
	struct tensor_member *m = f->members;
	struct npy p = {.f = f, .at = f->header.data};
	int64_t bytes;

	*m = (struct tensor_member){.name = "", .shape = f->shapes};
	f->n_members = 1;
	/* A NUL would end the text before its end. */
	if (!f->header.data || strlen(f->header.data) != f->header.len || !read_dictionary(&p, m))
		return asc_err_set(e, ASC_INPUT,
				   "%s: its header is not of the form {'descr': '<f4', "
				   "'fortran_order': False, 'shape': (3, 4)}",
				   f->path);
	if (p.fortran && m->rank > 1)
		return asc_err_set(e, ASC_INPUT, "%s: is in Fortran order, expected C order",
				   f->path);
	if (npy_type(f, m, e))
		return e->status;
	m->at = (int64_t)(size + f->header.len);
	m->bytes = f->was.st_size - m->at;
	if (!count_elements(m) ||
	    (m->known &&
	     (__builtin_mul_overflow(m->count, (int64_t)dtype_bytes(m->dtype), &bytes) ||
	      bytes != m->bytes)))
		return asc_err_set(e, ASC_INPUT,
				   "%s: has %lld bytes of content, which is no %s of this shape",
				   f->path, (long long)m->bytes, m->type);
	return ASC_OK;
}

/* ---- files ---- */

/* Opens the descriptor: not blocked by a pipe that nobody writes to, which is refused then. */
static enum asc_status open_regular(struct tensor_file *f, struct asc_err *e)
{
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0 && errno == ELOOP)
		return asc_err_set(e, ASC_INPUT, "%s: is a link, expected a file", f->path);
	if (f->fd < 0 && errno != ENXIO) /* a socket */
		return file_fail(e, "read", f->path);
	if (f->fd >= 0 && fstat(f->fd, &f->was) != 0)
		return file_fail(e, "read", f->path);
	if (f->fd < 0 || !S_ISREG(f->was.st_mode)) {
		const char *special = file_find_special(f->path);

		return asc_err_set(e, ASC_INPUT, "%s: is %s, expected a file", f->path,
				   special ? special : "no file");
	}
	return ASC_OK;
}

static enum asc_status check_pointer(const struct tensor_file *f, struct asc_err *e)
{
	char begin[LFS_POINTER_BYTES];
	const off_t n = f->was.st_size;

	if (n >= (off_t)sizeof begin)
		return ASC_OK;
	if (read_at(f, 0, begin, (size_t)n, e))
		return e->status;
	return lfs_pointer_is(begin, (size_t)n) ? lfs_pointer_refuse(f->path, e) : ASC_OK;
}

enum asc_status tensor_file_open(const char *path, struct tensor_file **out, struct asc_err *e)
{
	const enum tensor_format format = tensor_file_format(path);
	struct tensor_file *f;

	if (format == TENSOR_FILE_NONE)
		return asc_err_set(e, ASC_INPUT, "%s: expected a .safetensors or .npy file", path);
	f = calloc(1, sizeof *f);
	if (!f)
		return asc_err_nomem(e);
	f->fd = -1;
	f->path = str_dup(path);
	enum asc_status s = f->path ? open_regular(f, e) : asc_err_nomem(e);

	if (!s)
		s = check_pointer(f, e);
	if (!s)
		s = format == TENSOR_FILE_NPY ? read_npy(f, e) : read_safetensors(f, e);
	if (s)
		tensor_file_close(f);
	else
		*out = f;
	return s;
}

void tensor_file_close(struct tensor_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->members);
	free(f->shapes);
	json_close(f->doc);
	buf_fini(&f->header);
	free(f->path);
	free(f);
}

/* ---- members ---- */

const struct tensor_member *tensor_file_find(const struct tensor_file *f, const char *name)
{
	for (size_t i = 0; i < f->n_members; i++)
		if (!f->doc || strcmp(f->members[i].name, name) == 0)
			return &f->members[i];
	return NULL;
}

static void print_shape(const int64_t *shape, size_t rank, struct buf *out)
{
	for (size_t i = 0; i < rank; i++)
		buf_print(out, "%s%lld", i ? ", " : "[", (long long)shape[i]);
	buf_add_str(out, rank ? "]" : "[]");
}

enum asc_status tensor_file_check(const struct tensor_file *f, const struct tensor_member *m,
				  enum dtype dtype, const int64_t *shape, size_t rank,
				  struct asc_err *e)
{
	const char *space = *m->name ? " " : "";
	struct buf have = {0}, want = {0};
	enum asc_status s = ASC_OK;

	if (!m->known)
		return asc_err_set(e, ASC_INPUT,
				   "%s:%s%s has elements of %s, which no tensor of a workload has",
				   f->path, space, m->name, m->type);
	if (m->dtype == dtype && m->rank == rank &&
	    (rank == 0 || memcmp(m->shape, shape, rank * sizeof *shape) == 0))
		return ASC_OK;
	print_shape(m->shape, m->rank, &have);
	print_shape(shape, rank, &want);
	s = asc_err_set(e, ASC_INPUT, "%s:%s%s is %s%s, expected %s%s", f->path, space, m->name,
			dtype_name(m->dtype), buf_str(&have), dtype_name(dtype), buf_str(&want));
	buf_fini(&have);
	buf_fini(&want);
	return s;
}

/* Checks that the file is still the one that was opened: whoever writes to it changes its times. */
static enum asc_status check_unchanged(const struct tensor_file *f, struct asc_err *e)
{
	struct stat is;

	if (fstat(f->fd, &is) != 0)
		return file_fail(e, "read", f->path);
	if (is.st_size == f->was.st_size && is.st_mtim.tv_sec == f->was.st_mtim.tv_sec &&
	    is.st_mtim.tv_nsec == f->was.st_mtim.tv_nsec)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "%s: was changed while it was read", f->path);
}

enum asc_status tensor_file_read(const struct tensor_file *f, const struct tensor_member *m,
				 void *out, char digest[HASH_TEXT_SIZE], struct asc_err *e)
{
	unsigned char *own = out ? NULL : malloc(CHUNK);
	enum asc_status s = out || own ? ASC_OK : asc_err_nomem(e);
	struct hash h;

	hash_init(&h);
	for (int64_t done = 0; !s && done < m->bytes;) {
		const size_t n = m->bytes - done < CHUNK ? (size_t)(m->bytes - done) : CHUNK;
		unsigned char *to = out ? (unsigned char *)out + done : own;

		s = read_at(f, m->at + done, to, n, e);
		/* Other bits are no truth value in C: what a kernel makes of them is undefined. */
		for (size_t i = 0; !s && m->known && m->dtype == DTYPE_BOOL && i < n; i++)
			if (to[i] > 1)
				s = asc_err_set(e, ASC_INPUT,
						"%s: element %lld of %s is %d, expected 0 or 1",
						f->path, (long long)done + (long long)i,
						*m->name ? m->name : "the array", to[i]);
		if (!s && digest)
			hash_add(&h, to, n);
		done += (int64_t)n;
	}
	if (!s)
		s = check_unchanged(f, e);
	char text[HASH_TEXT_SIZE];
	struct asc_err other;
	const enum asc_status ended = hash_end(&h, text, s ? &other : e);

	if (!s && !ended && digest)
		memcpy(digest, text, sizeof text);
	free(own);
	return s ? s : ended;
}
