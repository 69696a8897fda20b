#include "tuner/base/sources.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/include_scan.h"
#include "tuner/base/source_places.h"

enum { MAX_FILES = 20000, MAX_FILE_BYTES = 64 << 20, MAX_DEPTH = 8, MAX_MACROS = 8 };

/* ---- files as they were when they were read ---- */

struct source {
	struct source *next;
	struct stat seen;
	char key[HASH_TEXT_SIZE];
	char *words;    /* of include_scan(), then an empty one */
	unsigned noted; /* the newest watch that has a note of it */
};

static struct source *known;

static bool is_as_seen(const struct source *s, const struct stat *now)
{
	return s->seen.st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       s->seen.st_mtim.tv_nsec == now->st_mtim.tv_nsec && s->seen.st_size == now->st_size &&
	       s->seen.st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       s->seen.st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

static enum asc_status make_key(struct source *s, const struct buf *text, struct asc_err *e)
{
	struct hash *h = hash_new();

	if (!h)
		return asc_err_nomem(e);
	hash_add(h, buf_str(text), text->len);
	hash_print(h, s->key);
	hash_free(h);
	return ASC_OK;
}

static enum asc_status source_read(struct source *s, const char *path, struct asc_err *e)
{
	struct buf text = {0}, words = {0};
	enum asc_status status = file_read(path, MAX_FILE_BYTES, &text, e);

	if (status == ASC_OK)
		status = make_key(s, &text, e);
	if (status == ASC_OK) {
		include_scan(buf_str(&text), &words);
		buf_add_char(&words, '\0');
		status = buf_check(&words, e);
	}
	s->words = buf_take(&words);
	buf_fini(&words);
	buf_fini(&text);
	return status;
}

/* By what the file is, not by its name: `../a/x.h` has many. */
static struct source *source_find(const struct stat *now)
{
	struct source *s = known;

	while (s && (s->seen.st_ino != now->st_ino || s->seen.st_dev != now->st_dev ||
		     !is_as_seen(s, now)))
		s = s->next;
	return s;
}

/* What was read before stays, since a walk may be in the middle of it. */
static struct source *source_add(const char *path, const struct stat *now, struct asc_err *e)
{
	struct source *s = calloc(1, sizeof *s);

	if (!s) {
		asc_err_nomem(e);
		return NULL;
	}
	s->seen = *now;
	if (source_read(s, path, e)) {
		free(s->words);
		free(s);
		return NULL;
	}
	s->next = known;
	known = s;
	return s;
}

/* The file as it is now, or NULL. */
static struct source *source_get(const char *path, struct asc_err *e)
{
	struct stat now;

	if (stat(path, &now) != 0) {
		file_fail(e, "read", path);
		return NULL;
	}
	if (!S_ISREG(now.st_mode)) {
		asc_err_set(e, ASC_IO, "cannot read %s: it is not a regular file", path);
		return NULL;
	}
	struct source *s = source_find(&now);
	return s ? s : source_add(path, &now, e);
}

enum asc_status sources_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	const struct source *s = source_get(path, e);

	if (!s)
		return e->status;
	memcpy(key, s->key, sizeof s->key);
	return ASC_OK;
}

/* ---- what is watched ---- */

struct note {
	struct note *next;
	char *path;
	char key[HASH_TEXT_SIZE];
};

static struct note *notes;
static unsigned watch;

void sources_watch(void)
{
	watch++;
	while (notes) {
		struct note *next = notes->next;
		free(notes->path);
		free(notes);
		notes = next;
	}
}

static enum asc_status note_add(const char *path, struct source *s, struct asc_err *e)
{
	struct note *n = notes;

	if (s->noted == watch)
		return ASC_OK;
	s->noted = watch;
	while (n && strcmp(n->path, path) != 0)
		n = n->next;
	if (n)
		return ASC_OK;
	n = calloc(1, sizeof *n);
	char *copy = n ? str_dup(path) : NULL;
	if (!copy) {
		free(n);
		return asc_err_nomem(e);
	}
	*n = (struct note){.next = notes, .path = copy};
	memcpy(n->key, s->key, sizeof n->key);
	notes = n;
	return ASC_OK;
}

const char *sources_find_changed(void)
{
	char key[HASH_TEXT_SIZE];
	struct asc_err e;

	for (const struct note *n = notes; n; n = n->next)
		if (sources_key(n->path, key, &e) || strcmp(key, n->key) != 0)
			return n->path;
	return NULL;
}

/* ---- a source and all that it may include ---- */

struct place { /* a file in the folder by which it was found */
	const struct source *source;
	char *folder;
	dev_t device; /* of the folder, which has many names */
	ino_t inode;
};

struct walk {
	struct hash *hash;
	struct place *list;
	size_t n, room;
	struct source_places places;
	char *top; /* the folder of the source */
	bool all;  /* everything below the folders has been added */
};

static bool has_place(const struct walk *w, const struct place *p)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].source == p->source && w->list[i].inode == p->inode &&
		    w->list[i].device == p->device)
			return true;
	return false;
}

static enum asc_status append_place(struct walk *w, const struct place *p, struct asc_err *e)
{
	if (w->n == MAX_FILES)
		return asc_err_set(e, ASC_LIMIT, "%s: more than %d files may include each other",
				   p->folder, MAX_FILES);
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 32;
		struct place *list = realloc(w->list, room * sizeof *list);
		if (!list)
			return asc_err_nomem(e);
		w->list = list;
		w->room = room;
	}
	w->list[w->n++] = *p;
	hash_add_str(w->hash, p->source->key);
	return ASC_OK;
}

static enum asc_status walk_add(struct walk *w, const char *path, struct asc_err *e)
{
	struct source *source = source_get(path, e);
	struct place p = {.source = source};
	struct stat st;

	if (!source || note_add(path, source, e))
		return e->status;
	p.folder = path_folder(path);
	if (!p.folder)
		return asc_err_nomem(e);
	if (stat(p.folder, &st) == 0) {
		p.device = st.st_dev;
		p.inode = st.st_ino;
	}
	if (has_place(w, &p)) {
		free(p.folder);
		return ASC_OK;
	}
	enum asc_status s = append_place(w, &p, e);
	if (s)
		free(p.folder);
	return s;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum asc_status add_in(struct walk *w, const char *folder, const char *name,
			      struct asc_err *e)
{
	char *path = path_join(folder, name);
	enum asc_status s = ASC_OK;

	if (!path)
		return asc_err_nomem(e);
	if (is_file(path))
		s = walk_add(w, path, e);
	free(path);
	return s;
}

/* Wherever it is found, not only where it is found first: another compiler, or #include_next, may
 * look elsewhere, and what comes to lie in front of it changes the key. */
static enum asc_status add_named(struct walk *w, const char *folder, const char *name,
				 struct asc_err *e)
{
	const struct buf *folders = &w->places.folders;
	enum asc_status s = add_in(w, folder, name, e);

	if (*name == '/')
		return s;
	if (s == ASC_OK)
		s = add_in(w, w->top, name, e);
	for (size_t at = 0; at < folders->len && s == ASC_OK; at += strlen(folders->data + at) + 1)
		s = add_in(w, folders->data + at, name, e);
	return s;
}

/* ---- headers that macros name ---- */

static bool is_source_name(const char *name)
{
	static const char *const ends[] = {".h",   ".hh",  ".hpp", ".hxx", ".cuh", ".inl",
					   ".inc", ".c",   ".cc",  ".cpp", ".cxx", ".cu",
					   ".ipp", ".tpp", ".def", NULL};
	const char *dot = strrchr(name, '.');
	size_t i = 0;

	while (dot && ends[i] && strcmp(ends[i], dot) != 0)
		i++;
	return dot && ends[i];
}

/* In the order of names, so that the key does not depend on the file system. */
static enum asc_status add_below(struct walk *w, const char *folder, int depth, struct asc_err *e)
{
	struct dirent **list = NULL;
	int n = depth < MAX_DEPTH ? scandir(folder, &list, NULL, alphasort) : 0;
	enum asc_status s = ASC_OK;

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		struct stat st;
		char *path = path_join(folder, name);

		if (!path)
			s = asc_err_nomem(e);
		else if (s == ASC_OK && *name != '.' && lstat(path, &st) == 0 &&
			 S_ISDIR(st.st_mode))
			s = add_below(w, path, depth + 1, e);
		else if (s == ASC_OK && is_source_name(name) && is_file(path))
			s = walk_add(w, path, e);
		free(path);
		free(list[i]);
	}
	free(list);
	return s;
}

static enum asc_status add_all(struct walk *w, struct asc_err *e)
{
	const struct buf *folders = &w->places.folders;

	if (w->all)
		return ASC_OK;
	w->all = true;
	enum asc_status s = add_below(w, w->top, 0, e);
	for (size_t at = 0; at < folders->len && s == ASC_OK; at += strlen(folders->data + at) + 1)
		s = add_below(w, folders->data + at, 0, e);
	return s;
}

static enum asc_status add_macro(struct walk *w, const char *folder, const char *name, int depth,
				 struct asc_err *e);

/* `value` is "NAME", <NAME>, another macro, or what only a compiler can work out. */
static enum asc_status add_value(struct walk *w, const char *folder, const char *value, int depth,
				 struct asc_err *e)
{
	struct buf words = {0};
	char *line = str_print("#include %s", value);
	enum asc_status s = ASC_OK;

	if (!line)
		return asc_err_nomem(e);
	include_scan(line, &words);
	if (words.failed)
		s = asc_err_nomem(e);
	else if (words.len && words.data[0] == INCLUDE_NAME)
		s = add_named(w, folder, words.data + 1, e);
	else if (words.len && words.data[0] == INCLUDE_MACRO)
		s = add_macro(w, folder, words.data + 1, depth, e);
	else
		s = add_all(w, e);
	buf_fini(&words);
	free(line);
	return s;
}

/* Adds what the definitions in `words` say of a macro. */
static enum asc_status add_defined(struct walk *w, const char *words, const char *folder,
				   const char *name, int depth, bool *found, struct asc_err *e)
{
	size_t n = strlen(name);
	enum asc_status s = ASC_OK;

	for (; *words && s == ASC_OK; words += strlen(words) + 1)
		if (*words == INCLUDE_DEFINE && strncmp(words + 1, name, n) == 0 &&
		    words[1 + n] == '=') {
			*found = true;
			s = add_value(w, folder, words + 2 + n, depth + 1, e);
		}
	return s;
}

static enum asc_status add_macro(struct walk *w, const char *folder, const char *name, int depth,
				 struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool found = false;

	if (depth < MAX_MACROS)
		s = add_defined(w, buf_str(&w->places.words), folder, name, depth, &found, e);
	for (size_t i = 0; i < w->n && depth < MAX_MACROS && s == ASC_OK; i++)
		s = add_defined(w, w->list[i].source->words, folder, name, depth, &found, e);
	return s == ASC_OK && !found ? add_all(w, e) : s;
}

/* ---- the walk ---- */

static enum asc_status add_names_of(struct walk *w, const char *words, const char *folder,
				    struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (; *words && s == ASC_OK; words += strlen(words) + 1)
		if (*words == INCLUDE_NAME)
			s = add_named(w, folder, words + 1, e);
		else if (*words == INCLUDE_BYTES)
			s = add_named(w, "", words + 1, e);
	return s;
}

static enum asc_status add_macros_of(struct walk *w, const char *words, const char *folder,
				     struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (; *words && s == ASC_OK; words += strlen(words) + 1)
		if (*words == INCLUDE_MACRO)
			s = add_macro(w, folder, words + 1, 0, e);
		else if (*words == INCLUDE_OPAQUE)
			s = add_all(w, e);
	return s;
}

/* Until nothing is added: names first, since macros may be defined in what they include. */
static enum asc_status walk_all(struct walk *w, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	size_t named = 0, before;

	do {
		before = w->n;
		for (; named < w->n && s == ASC_OK; named++)
			s = add_names_of(w, w->list[named].source->words, w->list[named].folder, e);
		for (size_t i = 0; i < w->n && s == ASC_OK; i++)
			s = add_macros_of(w, w->list[i].source->words, w->list[i].folder, e);
	} while (s == ASC_OK && w->n > before);
	return s;
}

static enum asc_status walk_begin(struct walk *w, const char *path, const char *const *flags,
				  struct asc_err *e)
{
	struct source_places *p = &w->places;
	enum asc_status s = ASC_OK;

	source_places_add(p, flags);
	buf_add_char(&p->words, '\0');
	w->top = path_folder(path);
	if (!w->top || p->folders.failed || p->words.failed || p->files.failed)
		return asc_err_nomem(e);
	s = walk_add(w, path, e);
	for (size_t at = 0; at < p->files.len && s == ASC_OK; at += strlen(p->files.data + at) + 1)
		s = walk_add(w, p->files.data + at, e);
	return s == ASC_OK ? add_names_of(w, buf_str(&p->words), "", e) : s;
}

enum asc_status sources_hash(const char *path, const char *const *flags, struct hash *h,
			     struct asc_err *e)
{
	struct walk w = {.hash = h};
	enum asc_status s = walk_begin(&w, path, flags, e);

	if (s == ASC_OK)
		s = walk_all(&w, e);
	for (size_t i = 0; i < w.n; i++)
		free(w.list[i].folder);
	free(w.list);
	free(w.top);
	source_places_fini(&w.places);
	return s;
}
