/* Reads a tree:
 *
 * 1. `ls-tree` says mode, id and path of every file; that of a submodule's repository, those below
 *    it. A path is a stranger's: one that is no name of a file below a folder is left out.
 * 2. Ids of wanted files go to `cat-file --batch` in portions (write_portion). An answer that is
 *    too long is asked for again, in two halves.
 * 3. Files are made new, in folders made new: nothing that is there is written to or followed.
 *    Links are made when all files are there, so that no file is written through one. */
#include "tuner/git/git_tree.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/lfs_pointer.h"
#include "tuner/git/git_repository.h"

enum {
	NAMES = 256 << 20,  /* bytes of all names: some two million files */
	ANSWER = 64 << 20,  /* bytes of a portion's files, as much as a source may have */
	PORTION = PIPE_BUF, /* bytes of a portion's ids, which wait in a pipe */
	LEFT = 3,           /* names that a message has */
	MODULES = 64        /* submodules that are read, those of submodules among them */
};

/* Reading is the gate's work, not beside it as questions of a run are. */
static const int64_t limit_ns = INT64_C(60000000000);

enum kind { KIND_FILE, KIND_PROGRAM, KIND_LINK, KIND_MODULE };

struct entry { /* texts are in a listing, paths of a submodule on the heap */
	const char *id, *path;
	const struct git_repository *r;
	char *own; /* the path, where it is on the heap */
	enum kind kind;
	bool wanted, done, seen;
	bool listed;      /* of a submodule: its files are entries, too */
	const char *left; /* why it is not there, or NULL */
	char *target;     /* of a link that is to be made, on the heap */
};

/* A submodule that is checked out: its own repository has the commit that the tree names. */
struct module {
	struct git_repository r;
	struct buf listing;
};

struct git_tree {
	const struct git_repository *r;
	char *commit, *to;
	struct buf listing;
	struct entry *list; /* sorted by path */
	size_t n, room;
	struct module *modules[MODULES];
	size_t n_modules;
	struct entry **by_name; /* the same, sorted by the last part of the path */
	size_t n_written;
};

/* ---- the names ---- */

static bool is_part(const char *part, size_t n)
{
	return n > 0 && n <= NAME_MAX && !(n == 1 && *part == '.') &&
	       !(n == 2 && strncmp(part, "..", n) == 0) &&
	       !(n == 4 && strncasecmp(part, ".git", n) == 0);
}

/* True for a path that names a file below a folder, whatever follows links. */
static bool is_path(const char *path)
{
	for (;;) {
		const size_t n = strcspn(path, "/");

		if (!is_part(path, n))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
}

static bool take_kind(const char *mode, enum kind *out)
{
	static const struct {
		const char *mode;
		enum kind kind;
	} kinds[] = {{"100644", KIND_FILE},
		     {"100664", KIND_FILE}, /* of old versions of git */
		     {"100755", KIND_PROGRAM},
		     {"120000", KIND_LINK},
		     {"160000", KIND_MODULE}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(mode, kinds[i].mode, 6) == 0 && mode[6] == ' ') {
			*out = kinds[i].kind;
			return true;
		}
	return false;
}

/* Takes "MODE TYPE ID\tPATH" apart, in place. */
static bool take_entry(char *line, struct entry *out)
{
	char *tab = strchr(line, '\t'), *blank = tab ? strchr(line, ' ') : NULL;

	if (!blank || !take_kind(line, &out->kind))
		return false;
	*tab = '\0';
	blank = strchr(blank + 1, ' ');
	out->id = blank ? blank + 1 : "";
	out->path = tab + 1;
	const size_t n = strspn(out->id, "0123456789abcdef");

	return n >= 40 && n < GIT_ID_SIZE && !out->id[n] && *out->path;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static int by_name(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return strcmp(path_name((*x)->path), path_name((*y)->path));
}

/* Adds the entries of a listing, whose paths are below `folder` ("": the root). */
static enum asc_status take_list(struct git_tree *t, const struct git_repository *r,
				 struct buf *listing, const char *folder, struct asc_err *e)
{
	char *line = listing->data, *const end = line + listing->len;

	while (line && line < end) {
		char *next = line + strlen(line) + 1;
		struct entry x = {.r = r};

		if (!take_entry(line, &x))
			return asc_err_set(e, ASC_PROTOCOL, "git lists a file that is none: %.80s",
					   line);
		if (*folder)
			x.path = x.own = str_print("%s/%s", folder, x.path);
		if (!x.path || !array_room(&t->list, t->n, &t->room, sizeof *t->list)) {
			free(x.own);
			return asc_err_nomem(e);
		}
		if (!is_path(x.path))
			x.left = "no name that a file may have";
		t->list[t->n++] = x;
		line = next;
	}
	return ASC_OK;
}

static int list_names(const struct git_repository *r, const char *commit, struct buf *listing)
{
	const char *const words[] = {"ls-tree", "-r", "-z", "--full-tree", commit, NULL};
	const struct git_question q = {.words = words, .most = NAMES, .limit_ns = limit_ns};

	return git_ask(r, &q, listing);
}

/* Adds the files of a submodule, where it is checked out and its repository has the commit; else it
 * is left out. */
static enum asc_status take_module(struct git_tree *t, size_t at, struct asc_err *e)
{
	struct module *m = calloc(1, sizeof *m);
	char *folder = path_join(t->r->root, t->list[at].path);
	enum asc_status status = m && folder ? ASC_OK : asc_err_nomem(e);
	struct asc_err none;
	bool there = false;

	if (status == ASC_OK)
		there = git_repository_find(folder, &m->r, &none) == ASC_OK &&
			strcmp(m->r.root, folder) == 0 &&
			list_names(&m->r, t->list[at].id, &m->listing) == 0 &&
			m->listing.len < NAMES;
	if (there) {
		t->modules[t->n_modules++] = m;
		t->list[at].listed = true;
		status = take_list(t, &m->r, &m->listing, t->list[at].path, e);
	} else if (m) {
		git_repository_fini(&m->r);
		buf_fini(&m->listing);
		free(m);
	}
	free(folder);
	return status;
}

static enum asc_status take_all(struct git_tree *t, struct asc_err *e)
{
	if (take_list(t, t->r, &t->listing, "", e))
		return e->status;
	/* The list grows: a submodule may have others. */
	for (size_t i = 0; i < t->n && t->n_modules < MODULES; i++)
		if (t->list[i].kind == KIND_MODULE && !t->list[i].left && take_module(t, i, e))
			return e->status;
	t->by_name = calloc(t->n + 1, sizeof(struct entry *));
	if (!t->by_name)
		return asc_err_nomem(e);
	if (t->n > 0)
		qsort(t->list, t->n, sizeof *t->list, by_path);
	for (size_t i = 0; i < t->n; i++)
		t->by_name[i] = &t->list[i];
	qsort(t->by_name, t->n, sizeof(struct entry *), by_name);
	return ASC_OK;
}

enum asc_status git_tree_open(const struct git_repository *r, const char *commit, const char *to,
			      struct git_tree **out, struct asc_err *e)
{
	struct git_tree *t = calloc(1, sizeof *t);
	enum asc_status status = ASC_OK;

	*out = NULL;
	if (!t)
		return asc_err_nomem(e);
	*t = (struct git_tree){.r = r, .commit = str_dup(commit), .to = str_dup(to)};
	if (!t->commit || !t->to)
		status = asc_err_nomem(e);
	if (status == ASC_OK) {
		const int asked = list_names(r, commit, &t->listing);

		status = git_check_answer(asked, &t->listing, e);
		if (status == ASC_OK && t->listing.len >= NAMES)
			status = asc_err_set(e, ASC_LIMIT,
					     "commit %.12s has more files than can "
					     "be read",
					     commit);
		else if (status == ASC_OK && asked != 0)
			status =
				asc_err_set(e, ASC_NOTFOUND,
					    "this clone lacks folders of commit %.12s, as partial "
					    "clones do: `git archive %.12s >/dev/null` brings them",
					    commit, commit);
	}
	if (status == ASC_OK)
		status = take_all(t, e);
	if (status)
		git_tree_close(t);
	else
		*out = t;
	return status;
}

void git_tree_close(struct git_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->list[i].target);
		free(t->list[i].own);
	}
	for (size_t i = 0; i < t->n_modules; i++) {
		git_repository_fini(&t->modules[i]->r);
		buf_fini(&t->modules[i]->listing);
		free(t->modules[i]);
	}
	buf_fini(&t->listing);
	free(t->by_name);
	free(t->list);
	free(t->commit);
	free(t->to);
	free(t);
}

/* ---- what is wanted ---- */

static bool want(struct entry *x)
{
	x->wanted = true;
	return true;
}

/* Place of the first path that is not before `path`, of the first `n` bytes of each. */
static size_t find_place(const struct git_tree *t, const char *path, size_t n)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(t->list[middle].path, path, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool git_tree_want(struct git_tree *t, const char *path)
{
	const size_t i = find_place(t, path, strlen(path) + 1);

	return i < t->n && strcmp(t->list[i].path, path) == 0 && want(&t->list[i]);
}

bool git_tree_is_wanted(const struct git_tree *t, const char *path)
{
	const size_t i = find_place(t, path, strlen(path) + 1);

	return i < t->n && strcmp(t->list[i].path, path) == 0 && t->list[i].wanted;
}

/* Wants what is below a folder or, with an end of names, in it. Not the entries of one name, "a"
 * and "a.c", but those of "a/". */
static bool want_below(struct git_tree *t, const char *folder, const char *end)
{
	const size_t n = strlen(folder);
	bool found = false;

	for (size_t i = find_place(t, folder, n); i < t->n; i++) {
		const char *path = t->list[i].path;

		if (strncmp(path, folder, n) != 0)
			break;
		if (n > 0 && path[n] != '/')
			continue;
		if (!end || (str_ends_with(path, end) && path_name(path) == path + n + (n > 0)))
			found = want(&t->list[i]);
	}
	return found;
}

bool git_tree_want_folder(struct git_tree *t, const char *path)
{
	return want_below(t, path, NULL);
}

bool git_tree_want_files(struct git_tree *t, const char *folder, const char *end)
{
	return want_below(t, folder, end);
}

bool git_tree_want_named(struct git_tree *t, const char *name)
{
	const char *last = path_name(name);
	const size_t n = strlen(name);
	size_t low = 0, high = t->n;
	bool found = false;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(path_name(t->by_name[middle]->path), last) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < t->n && strcmp(path_name(t->by_name[low]->path), last) == 0; low++) {
		const char *path = t->by_name[low]->path;
		const size_t length = strlen(path);

		if (length >= n && strcmp(path + length - n, name) == 0 &&
		    (length == n || path[length - n - 1] == '/'))
			found = want(t->by_name[low]);
	}
	return found;
}

/* ---- files ---- */

static enum asc_status make_folder_of(const char *path, struct asc_err *e)
{
	char *folder = path_folder(path);
	enum asc_status status = folder ? dir_make(folder, e) : asc_err_nomem(e);

	free(folder);
	return status;
}

/* Opens a file that is made now; its folder is made when it is not there. */
static int open_new(const char *path, mode_t mode, struct asc_err *e)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, mode);

	if (fd < 0 && errno == ENOENT && make_folder_of(path, e) == ASC_OK)
		fd = open(path, flags, mode);
	return fd;
}

/* True for a link's target that stays in the tree from a folder `depth` folders down. Folders ".."
 * count at its beginning alone, where they are those of the link's own place: behind a name they
 * are those of another link's. */
static bool is_target(const char *target, const struct entry *x)
{
	const char *rest = target;
	int depth = 0;

	for (const char *at = x->path; *at; at++)
		depth += *at == '/';
	while (strncmp(rest, "../", 3) == 0 || strcmp(rest, "..") == 0)
		rest += rest[2] ? 3 : 2;
	for (const char *at = rest; *at; at += strspn(at, "/")) {
		const size_t n = strcspn(at, "/");

		if (n == 2 && strncmp(at, "..", n) == 0)
			return false;
		at += n;
	}
	return *target && *target != '/' && git_stays_within(target, depth);
}

/* Keeps where a link leads, until all files are there. */
static enum asc_status take_link(struct entry *x, const char *data, size_t n, struct asc_err *e)
{
	if (n >= PATH_MAX || memchr(data, '\0', n)) {
		x->left = "a link that leads nowhere";
		return ASC_OK;
	}
	x->target = str_print("%.*s", (int)n, data);
	if (!x->target)
		return asc_err_nomem(e);
	if (!is_target(x->target, x)) {
		free(x->target);
		x->target = NULL;
		x->left = "a link out of the tree";
	}
	return ASC_OK;
}

static void note_written(struct git_tree *t, struct entry *x, enum asc_status status)
{
	x->done = status == ASC_OK;
	t->n_written += x->done;
}

static enum asc_status make_link(struct git_tree *t, struct entry *x, struct asc_err *e)
{
	char *path = path_join(t->to, x->path);
	enum asc_status status = path ? make_folder_of(path, e) : asc_err_nomem(e);

	if (status == ASC_OK && symlink(x->target, path) != 0)
		status = file_fail(e, "make link", path);
	note_written(t, x, status);
	free(path);
	return status;
}

static enum asc_status copy_all(int from, int to, const char *path, struct asc_err *e)
{
	char part[65536];
	ssize_t n;

	while ((n = read(from, part, sizeof part)) > 0)
		if (!file_write_all(to, part, (size_t)n))
			return file_fail(e, "write", path);
	return n < 0 ? file_fail(e, "read", path) : ASC_OK;
}

/* Opens the file that a pointer stands for, where Git LFS has it in the repository; -1: it does
 * not. */
static int open_object(const struct git_repository *r, const char *data, size_t n)
{
	char id[LFS_ID_SIZE];
	int64_t bytes;
	struct stat s;

	if (!lfs_pointer_parse(data, n, id, &bytes))
		return -1;
	char *path = str_print("%s/lfs/objects/%.2s/%.2s/%s", r->other ? r->other : r->entry, id,
			       id + 2, id);
	int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fd >= 0 && (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size != bytes)) {
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

static enum asc_status take_file(struct git_tree *t, struct entry *x, const char *data, size_t n,
				 struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (x->kind == KIND_LINK)
		return take_link(x, data, n, e);
	const bool is_pointer = lfs_pointer_is(data, n);
	const int object = is_pointer ? open_object(x->r, data, n) : -1;

	if (is_pointer && object < 0)
		x->left = "a pointer of Git LFS";
	char *path = path_join(t->to, x->path);
	const int fd = path ? open_new(path, x->kind == KIND_PROGRAM ? 0700 : 0600, e) : -1;

	if (!path)
		status = asc_err_nomem(e);
	else if (fd >= 0 && object >= 0)
		status = copy_all(object, fd, path, e);
	else if (fd < 0 || !file_write_all(fd, data, n))
		status = file_fail(e, "write", path);
	if (fd >= 0 && close(fd) != 0 && status == ASC_OK)
		status = file_fail(e, "write", path);
	if (object >= 0)
		close(object);
	note_written(t, x, status);
	free(path);
	return status;
}

/* ---- portions ---- */

static enum asc_status fail_missing(const struct git_tree *t, const struct entry *x,
				    struct asc_err *e)
{
	return asc_err_set(e, ASC_NOTFOUND,
			   "this clone lacks the content of %s, as partial clones do: `git archive "
			   "%.12s >/dev/null` brings it",
			   x->path, t->commit);
}

/* Takes one answer apart: "ID blob SIZE\n", as many bytes, "\n"; or "ID missing\n". Returns its
 * length; 0: it is cut. */
static size_t take_answer(struct git_tree *t, struct entry *x, const char *at, size_t length,
			  struct asc_err *e)
{
	const size_t id = strlen(x->id);
	const char *line = memchr(at, '\n', length), *number = at + id + strlen(" blob ");
	char *end = NULL;

	*e = (struct asc_err){0};
	if (!line)
		return 0;
	if (strncmp(at, x->id, id) == 0 && strncmp(at + id, " missing", 8) == 0) {
		fail_missing(t, x, e);
		return 1;
	}
	const unsigned long long n =
		strncmp(at, x->id, id) == 0 && strncmp(at + id, " blob ", 6) == 0
			? strtoull(number, &end, 10)
			: 0;

	if (end != line) {
		asc_err_set(e, ASC_PROTOCOL, "git gave no content of %s", x->path);
		return 1;
	}
	const size_t head = (size_t)(line + 1 - at);

	if (n >= length - head)
		return 0;
	(void)take_file(t, x, line + 1, (size_t)n, e);
	return head + (size_t)n + 1;
}

/* Writes a portion's files; those that the answer has not in full are asked for again. */
static enum asc_status write_portion(struct git_tree *t, struct entry *const *list, size_t n,
				     struct buf *ids, struct buf *answer, struct asc_err *e)
{
	static const char *const words[] = {"cat-file", "--batch", NULL};

	while (n > 0) {
		size_t at = 0, k = 0;

		buf_clear(ids);
		for (size_t i = 0; i < n; i++)
			buf_print(ids, "%s\n", list[i]->id);
		if (buf_check(ids, e))
			return e->status;
		const struct git_question q = {.words = words,
					       .input = buf_str(ids),
					       .most = ANSWER,
					       .limit_ns = limit_ns};
		const int status = git_ask(list[0]->r, &q, answer);

		if (git_check_answer(status, answer, e))
			return e->status;
		for (size_t length; k < n; k++, at += length) {
			length = take_answer(t, list[k], buf_str(answer) + at, answer->len - at, e);
			if (length == 0)
				break;
			if (e->status)
				return e->status;
		}
		/* Versions of git that know GIT_NO_LAZY_FETCH say so, others end. */
		if (k == 0 && answer->len < ANSWER)
			return fail_missing(t, list[0], e);
		if (k == 0) { /* alone too long */
			list[0]->left = "larger than 64 MiB";
			k = 1;
		}
		list += k;
		n -= k;
	}
	return ASC_OK;
}

enum asc_status git_tree_write(struct git_tree *t, struct asc_err *e)
{
	struct entry **list = calloc(t->n + 1, sizeof(struct entry *));
	struct buf ids = {0}, answer = {0};
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);
	size_t n = 0;

	for (size_t i = 0; list && i < t->n; i++) {
		struct entry *x = &t->list[i];

		if (!x->wanted || x->done || x->left)
			continue;
		if (x->kind != KIND_MODULE)
			list[n++] = x;
		else if (!x->listed)
			x->left = "a submodule";
	}
	for (size_t first = 0, k; status == ASC_OK && first < n; first += k) {
		size_t bytes = 0;

		/* A portion is of one repository. */
		for (k = 0; first + k < n && list[first + k]->r == list[first]->r; k++) {
			bytes += strlen(list[first + k]->id) + 1;
			if (bytes > PORTION)
				break;
		}
		status = write_portion(t, list + first, k, &ids, &answer, e);
	}
	for (size_t i = 0; status == ASC_OK && i < n; i++)
		if (list[i]->target)
			status = make_link(t, list[i], e);
	buf_fini(&answer);
	buf_fini(&ids);
	free(list);
	return status;
}

enum asc_status git_tree_each(struct git_tree *t, git_tree_see_fn *see, void *user,
			      struct asc_err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct entry *x = &t->list[i];

		if (!x->done || x->seen)
			continue;
		x->seen = true;
		if (see(user, x->path, e))
			return e->status;
	}
	return ASC_OK;
}

size_t git_tree_written(const struct git_tree *t)
{
	return t->n_written;
}

void git_tree_print_left(const struct git_tree *t, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->list[i].wanted && t->list[i].left;
	for (size_t i = 0, k = 0; k < n && k < LEFT; i++) {
		const struct entry *x = &t->list[i];

		if (!x->wanted || !x->left)
			continue;
		buf_print(out, "%s%s (%s)",
			  k == 0       ? ""
			  : k + 1 == n ? " and "
				       : ", ",
			  x->path, x->left);
		k++;
	}
	if (n > LEFT)
		buf_print(out, " and %zu more", n - LEFT);
}
