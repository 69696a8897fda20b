#include "tuner/workload/sources/sources.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/owner.h"
#include "tuner/workload/sources/include_scan.h"

/* Files that a kernel's source may read, found without a compiler. A key over them must change
 * when any of them does: a file too many costs a build that was not needed, a file too few a wrong
 * result.
 *
 * 1. Begin with the source, the files that flags name, and the headers that flags include first
 *    (walk_begin). The folders to look in come from the flags and the environment (source_places).
 * 2. For each file read which names its text may include, whatever its conditions say (source_get,
 *    include_scan). Texts are kept by the file's identity: most kernels of a night share their
 *    headers.
 * 3. Add every file of these names, in every folder that has one (add_named), until nothing is
 *    added.
 * 4. Where a macro names the file, add what its definitions in any file so far may mean
 *    (add_macro). Names come first: they may lead to the definition.
 * 5. Where no text says what is read, add every source below the folders (add_all).
 *
 * The first failure ends the walk: it is set in walk.failure, and nothing is added behind it. */

/* Bounds of one walk. 20000 files are more than any toolkit's headers; a folder that is no project
 * (a home, /) must end in a message. Folders 8 deep and macros that stand for macros 8 times are
 * beyond what sources do, and end what goes in a circle. */
enum { MAX_FILES = 20000, MAX_FILE_BYTES = 64 << 20, MAX_DEPTH = 8, MAX_MACROS = 8 };

/* ---- files as they were when they were read ---- */

struct source {
	struct source *next;
	struct stat seen;
	char key[HASH_TEXT_SIZE];
	char *words; /* words of include_scan(), then an empty one; NULL: only the key was asked */
	unsigned noted; /* number of the newest watch that notes it */
};

static struct source *known;

/* True for unchanged content, as far as times and size show. */
static bool is_as_seen(const struct source *s, const struct stat *now)
{
	return s->seen.st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       s->seen.st_mtim.tv_nsec == now->st_mtim.tv_nsec && s->seen.st_size == now->st_size &&
	       s->seen.st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       s->seen.st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

static bool is_python(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".py") == 0;
}

static enum asc_status source_read(struct source *s, const char *path, bool words,
				   struct asc_err *e)
{
	struct buf text = {0}, found = {0};
	enum asc_status status = file_read(path, MAX_FILE_BYTES, &text, e);

	if (status == ASC_OK) {
		struct hash h;
		hash_init(&h);
		hash_add(&h, buf_str(&text), text.len);
		status = hash_end(&h, s->key, e);
	}
	if (status == ASC_OK && words) {
		if (is_python(path))
			import_scan(buf_str(&text), &found);
		else
			include_scan(buf_str(&text), text.len, &found);
		buf_add_char(&found, '\0');
		status = buf_check(&found, e);
		/* Taken after a failure as well: the caller frees it. */
		s->words = buf_take(&found);
	}
	buf_fini(&found);
	buf_fini(&text);
	return status;
}

/* Finds a file by its identity, not by its name: `../a/x.h` has many. */
static struct source *source_find(const struct stat *now, bool words)
{
	struct source *s = known;

	/* A changed file is another source: a walk may still point to its earlier content. */
	while (s && (s->seen.st_ino != now->st_ino || s->seen.st_dev != now->st_dev ||
		     !is_as_seen(s, now) || (words && !s->words)))
		s = s->next;
	return s;
}

/* Keeps the earlier content, since a walk may be in the middle of it. */
static struct source *source_add(const char *path, const struct stat *now, bool words,
				 struct asc_err *e)
{
	struct source *s = calloc(1, sizeof *s);

	if (!s) {
		asc_err_nomem(e);
		return NULL;
	}
	s->seen = *now;
	if (source_read(s, path, words, e)) {
		free(s->words);
		free(s);
		return NULL;
	}
	s->next = known;
	known = s;
	return s;
}

/* Reads the file as it is now, with its words where they are asked for, or gives NULL. */
static struct source *source_get(const char *path, bool words, struct asc_err *e)
{
	struct stat now;

	if (stat(path, &now) != 0) {
		file_fail(e, "read", path);
		return NULL;
	}
	/* A pipe or a terminal would block, and a folder has no text. */
	if (!S_ISREG(now.st_mode)) {
		asc_err_set(e, ASC_IO, "cannot read %s: it is not a regular file", path);
		return NULL;
	}
	struct source *s = source_find(&now, words);
	return s ? s : source_add(path, &now, words, e);
}

enum asc_status sources_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	const struct source *s = source_get(path, false, e);

	if (!s)
		return e->status;
	memcpy(key, s->key, sizeof s->key);
	return ASC_OK;
}

/* ---- what is watched ---- */

struct note {
	struct note *next;
	unsigned watch; /* that noted it */
	char *path;
	char key[HASH_TEXT_SIZE];
};

static struct note *notes;
static unsigned watch, last_watch;
static bool notes_none;

void sources_watch(void)
{
	/* Sources of earlier watches are noted again: each keeps the number of the one that noted
	 * it. */
	for (struct note **at = &notes; *at;) {
		struct note *n = *at;

		if (n->watch != watch) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		free(n->path);
		free(n);
	}
	watch = ++last_watch;
}

void sources_watch_again(unsigned number)
{
	watch = number;
}

void sources_note(bool on)
{
	notes_none = !on;
}

unsigned sources_watches(void)
{
	return watch;
}

static enum asc_status note_add(const char *path, struct source *s, struct asc_err *e)
{
	struct note *n = notes;

	if (notes_none || s->noted == watch)
		return ASC_OK;
	s->noted = watch;
	/* The first key of a path is kept: a later one differs only where the file has changed
	 * meanwhile. */
	while (n && (n->watch != watch || strcmp(n->path, path) != 0))
		n = n->next;
	if (n)
		return ASC_OK;
	n = calloc(1, sizeof *n);
	char *copy = n ? str_dup(path) : NULL;
	if (!copy) {
		free(n);
		return asc_err_nomem(e);
	}
	*n = (struct note){.next = notes, .watch = watch, .path = copy};
	memcpy(n->key, s->key, sizeof n->key);
	notes = n;
	return ASC_OK;
}

const char *sources_find_changed(void)
{
	char key[HASH_TEXT_SIZE];
	struct asc_err e;

	for (const struct note *n = notes; n; n = n->next)
		if (n->watch == watch &&
		    (sources_key(n->path, key, &e) || strcmp(key, n->key) != 0))
			return n->path;
	return NULL;
}

/* ---- a source and all that it may include ---- */

struct place { /* a file in the folder by which it was found */
	const struct source *source;
	char *path, *folder;
	dev_t device; /* identity of the folder, which has many names */
	ino_t inode;
};

struct walk {
	struct asc_err *failure; /* set: the walk has ended, nothing is added any more */
	struct place *list;
	size_t n, room;
	struct source_places places;
	char *top;          /* the folder of the source */
	const char *within; /* folder that no file may lie outside of, or NULL */
	bool all;           /* everything below the folders has been added */
};

static bool has_place(const struct walk *w, const struct place *p)
{
	/* Folders are compared by identity: `a/../a` must not be walked again and again. */
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].source == p->source && w->list[i].inode == p->inode &&
		    w->list[i].device == p->device)
			return true;
	return false;
}

static void place_fini(struct place *p)
{
	free(p->path);
	free(p->folder);
}

/* Refuses what lies outside, and a file that compilers read in place of the text. */
static enum asc_status check_within(const struct walk *w, const char *path, struct asc_err *e)
{
	static const char *const suffixes[] = {".gch", ".pch"};
	enum asc_status s = ASC_OK;

	if (!path_is_within(path, w->within))
		return asc_err_set(e, ASC_INPUT, "reads %s, which is not in %s", path, w->within);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && s == ASC_OK; i++) {
		/* GCC and clang read x.h.gch or x.h.pch in place of x.h, and its text says nothing
		 * about that. */
		char *compiled = str_print("%s%s", path, suffixes[i]);
		if (!compiled)
			return asc_err_nomem(e);
		if (file_exists(compiled))
			s = asc_err_set(e, ASC_INPUT, "has a precompiled header, %s", compiled);
		free(compiled);
	}
	return s;
}

static enum asc_status place_add(struct walk *w, const char *path, struct asc_err *e)
{
	/* Before the file is read: what lies outside is not even opened. */
	if (w->within && check_within(w, path, e))
		return e->status;
	struct source *source = source_get(path, true, e);
	struct place p = {.source = source};
	struct stat st;

	if (!source || note_add(path, source, e))
		return e->status;
	p.path = str_dup(path);
	p.folder = path_folder(path);
	if (p.folder && stat(p.folder, &st) == 0) {
		p.device = st.st_dev;
		p.inode = st.st_ino;
	}
	if (!p.path || !p.folder) {
		place_fini(&p);
		return asc_err_nomem(e);
	}
	/* One file in two folders is two places: what it includes is looked for beside it. */
	enum asc_status s = ASC_OK;
	const bool known_place = has_place(w, &p);
	if (!known_place && w->n == MAX_FILES)
		s = asc_err_set(e, ASC_LIMIT, "%s: more than %d files may include each other",
				p.folder, MAX_FILES);
	else if (!known_place && !array_room(&w->list, w->n, &w->room, sizeof *w->list))
		s = asc_err_nomem(e);
	if (s || known_place)
		place_fini(&p);
	else
		w->list[w->n++] = p;
	return s;
}

static void walk_add(struct walk *w, const char *path)
{
	if (!path)
		asc_err_nomem(w->failure);
	else if (!w->failure->status)
		(void)place_add(w, path, w->failure);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void add_in(struct walk *w, const char *folder, const char *name)
{
	char *path = path_join(folder, name);

	if (!path || is_file(path))
		walk_add(w, path);
	free(path);
}

/* Refuses a name with a folder ".." that is not in the including file's own folder: it may lead out
 * of a folder of the compiler's. That of an angle bracket is never looked for in the own one. */
static void check_climb(struct walk *w, const char *folder, const char *name, bool quoted)
{
	char *path = path_join(folder, name);

	if (!w->failure->status && (!path || !quoted || !is_file(path)))
		asc_err_set(w->failure, ASC_INPUT, "reads %s, which may not be in %s", name,
			    w->within);
	free(path);
}

/* Adds a file from every folder that has it, not only the first: another compiler, or
 * #include_next, may look elsewhere, and a file that appears in front of it changes the key. */
static void add_named(struct walk *w, const char *folder, const char *name)
{
	const struct buf *folders = &w->places.folders;

	add_in(w, folder, name);
	if (*name == '/' && w->within && !w->failure->status)
		(void)check_within(w, name, w->failure); /* whether it is there or not */
	/* An absolute path is looked for nowhere else. */
	if (*name == '/')
		return;
	add_in(w, w->top, name);
	for (size_t at = 0; at < folders->len; at += strlen(folders->data + at) + 1)
		add_in(w, folders->data + at, name);
}

static bool is_name(char kind)
{
	return kind == INCLUDE_NAME || kind == INCLUDE_CLIMB || kind == INCLUDE_BYTES;
}

/* Adds the files of a word that is a name (include_scan.h). */
static void add_word(struct walk *w, const char *folder, const char *word)
{
	const char *name = word + 1;

	/* Before it is looked for: a name that climbs out of one folder may end in another one. */
	if (w->within && include_climbs(name, strlen(name)))
		check_climb(w, folder, name, *word == INCLUDE_NAME);
	add_named(w, *word == INCLUDE_BYTES ? "" : folder, name);
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

/* Lists a folder in the order of names, so that the key does not depend on the file system. */
static void add_below(struct walk *w, const char *folder, int depth)
{
	struct dirent **list = NULL;
	int n = depth < MAX_DEPTH ? scandir(folder, &list, NULL, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		struct stat st;
		/* Hidden folders are left out, and links to folders not followed: they may lead
		 * back. */
		char *path = path_join(folder, name);

		if (path && *name != '.' && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
			add_below(w, path, depth + 1);
		else if (!path || (is_source_name(name) && is_file(path)))
			walk_add(w, path);
		free(path);
		free(list[i]);
	}
	free(list);
}

static void add_all(struct walk *w)
{
	const struct buf *folders = &w->places.folders;

	if (w->all)
		return;
	/* Once is enough, however many texts are opaque. */
	w->all = true;
	if (w->within && !w->failure->status)
		asc_err_set(w->failure, ASC_INPUT, "includes a file that its text does not name");
	add_below(w, w->top, 0);
	for (size_t at = 0; at < folders->len; at += strlen(folders->data + at) + 1)
		add_below(w, folders->data + at, 0);
}

static void add_macro(struct walk *w, const char *folder, const char *name, int depth);

/* Adds the file of a macro's value: "NAME", <NAME>, another macro, or a text that only a compiler
 * can evaluate. */
static void add_value(struct walk *w, const char *folder, const char *value, int depth)
{
	struct buf words = {0};
	/* The value is read by the same scanner, as if it stood in the directive. */
	char *line = str_print("#include %s", value);

	if (line)
		include_scan(line, strlen(line), &words);
	if (!line || words.failed)
		asc_err_nomem(w->failure);
	else if (words.len && is_name(words.data[0]))
		add_word(w, folder, words.data);
	else if (words.len && words.data[0] == INCLUDE_MACRO)
		add_macro(w, folder, words.data + 1, depth);
	else
		add_all(w);
	buf_fini(&words);
	free(line);
}

/* Adds the files of the definitions of a macro in `words`; false: none. */
static bool add_defined(struct walk *w, const char *words, const char *folder, const char *name,
			int depth)
{
	size_t n = strlen(name);
	bool found = false;

	for (; *words; words += strlen(words) + 1)
		if (*words == INCLUDE_DEFINE && strncmp(words + 1, name, n) == 0 &&
		    words[1 + n] == '=') {
			found = true;
			add_value(w, folder, words + 2 + n, depth + 1);
		}
	return found;
}

static void add_macro(struct walk *w, const char *folder, const char *name, int depth)
{
	/* Every definition counts: conditions choose one of them, and they are not evaluated
	 * here. */
	bool found = depth < MAX_MACROS &&
		     add_defined(w, buf_str(&w->places.words), folder, name, depth);

	for (size_t i = 0; i < w->n && depth < MAX_MACROS; i++)
		found |= add_defined(w, w->list[i].source->words, folder, name, depth);
	if (!found)
		add_all(w);
}

/* ---- the walk ---- */

static void add_names_of(struct walk *w, const char *words, const char *folder)
{
	for (; *words; words += strlen(words) + 1)
		if (is_name(*words))
			add_word(w, folder, words);
		else if (*words == INCLUDE_IMPORT)
			add_in(w, folder, words + 1);
}

/* Walks until nothing is added: names first, since macros may be defined in the files that they
 * include. */
static void walk_all(struct walk *w)
{
	size_t named = 0, before;

	do {
		before = w->n;
		for (; named < w->n; named++)
			add_names_of(w, w->list[named].source->words, w->list[named].folder);
		/* All files again, not only the new ones: these may define what an old one
		 * names. */
		for (size_t i = 0; i < w->n; i++) {
			const char *folder = w->list[i].folder, *words = w->list[i].source->words;
			for (; *words; words += strlen(words) + 1)
				if (*words == INCLUDE_MACRO)
					add_macro(w, folder, words + 1, 0);
				else if (*words == INCLUDE_OPAQUE)
					add_all(w);
		}
	} while (w->n > before);
}

static void walk_begin(struct walk *w, const char *path, const char *const *flags,
		       const char *within, struct asc_err *failure)
{
	struct source_places *p = &w->places;

	*w = (struct walk){.failure = failure, .top = path_folder(path), .within = within};
	source_places_add(p, flags);
	/* A check of what an untrusted workload reads must not depend on the environment. */
	if (!within)
		source_places_add_environment(p);
	/* An empty word ends the list, as in a source's. */
	buf_add_char(&p->words, '\0');
	walk_add(w,
		 p->folders.failed || p->words.failed || p->files.failed || !w->top ? NULL : path);
	for (size_t at = 0; at < p->files.len; at += strlen(p->files.data + at) + 1)
		walk_add(w, p->files.data + at);
	if (failure->status)
		return;
	/* No file names these headers: like compilers, look in the current folder first. */
	add_names_of(w, buf_str(&p->words), "");
	walk_all(w);
}

static void walk_end(struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		place_fini(&w->list[i]);
	free(w->list);
	free(w->top);
	source_places_fini(&w->places);
}

void sources_hash(const char *path, const char *const *flags, struct hash *h)
{
	struct walk w;

	walk_begin(&w, path, flags, NULL, &h->failure);
	/* Keys alone: the same sources in another folder make the same kernel. */
	for (size_t i = 0; i < w.n; i++)
		hash_add_str(h, w.list[i].source->key);
	walk_end(&w);
}

enum asc_status sources_key_all(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	struct hash h;
	struct walk w;

	hash_init(&h);
	walk_begin(&w, path, NULL, NULL, &h.failure);
	for (size_t i = 0; i < w.n; i++)
		hash_add_str(&h, w.list[i].source->key);
	const enum asc_status status = hash_end(&h, key, e);

	if (status == ASC_OK && w.n == 1)
		memcpy(key, w.list[0].source->key, HASH_TEXT_SIZE);
	walk_end(&w);
	return status;
}

/* Path below `folder` where the file lies in it. */
static const char *path_below(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

enum asc_status sources_write(const char *path, const char *const *flags, const char *folder,
			      struct json_writer *out, struct asc_err *e)
{
	struct asc_err failure = {0};
	struct walk w;

	walk_begin(&w, path, flags, NULL, &failure);
	json_write_begin(out, NULL, '{');
	for (size_t i = 0; i < w.n; i++)
		json_write_string(out, path_below(w.list[i].path, folder), w.list[i].source->key);
	json_write_end(out, '}');
	walk_end(&w);
	if (failure.status)
		*e = failure;
	return failure.status;
}

enum asc_status sources_list(const char *path, const char *const *flags, struct buf *out,
			     struct asc_err *e)
{
	struct asc_err failure = {0};
	struct walk w;

	walk_begin(&w, path, flags, NULL, &failure);
	for (size_t i = 0; i < w.n; i++)
		buf_add(out, w.list[i].path, strlen(w.list[i].path) + 1);
	walk_end(&w);
	if (!failure.status)
		return buf_check(out, e);
	*e = failure;
	return failure.status;
}

enum asc_status sources_check_within(const char *path, const char *const *flags, const char *folder,
				     struct asc_err *e)
{
	struct asc_err failure = {0};
	struct walk w;

	walk_begin(&w, path, flags, folder, &failure);
	walk_end(&w);
	if (failure.status)
		*e = failure;
	return failure.status;
}

enum asc_status sources_check_owners(const char *path, const char *const *flags, struct asc_err *e)
{
	struct asc_err failure = {0};
	struct walk w;

	walk_begin(&w, path, flags, NULL, &failure);
	for (size_t i = 0; i < w.n && !failure.status; i++)
		(void)owner_check_file(w.list[i].path, &failure);
	walk_end(&w);
	if (failure.status)
		*e = failure;
	return failure.status;
}
