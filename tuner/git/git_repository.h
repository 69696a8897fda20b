/* A repository of git's, and questions to git about it. A repository is data of others, and git
 * runs what its configuration names, so that git is asked in one way alone:
 *
 * - in the sandbox, with the repository to read and nothing to write, and no child process;
 * - with the repository's own configuration and no other, with programs that this one names
 *   switched off (filters: git_repository_drop_filters()), and with none of the variables GIT_*
 *   that a hook has, which name another index or another repository;
 * - without locks: index, refs and working trees stay as they are.
 *
 * What git says is parsed as bytes of a stranger. Whether a repository may be asked about at all is
 * its caller's to know: a stranger's workload has none.
 *
 * The caller owns the storage: zeroed, git_repository_find(), git_repository_fini() whatever came
 * of it. */
#ifndef ASCTUNE_GIT_GIT_REPOSITORY_H
#define ASCTUNE_GIT_GIT_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

enum {
	GIT_ID_SIZE = 65, /* text of SHA-256, with its end */
	GIT_ANSWER = 4096 /* bytes of an answer: ids, a few names */
};

/* Words of a command line, each ended by NUL. */
struct git_words {
	struct buf text;
	size_t n;
};

void git_words_add(struct git_words *w, const char *word);

struct git_repository {
	char *folder;             /* that it was looked for from */
	char *root;               /* the first folder from there up with an entry `.git` */
	char *entry;              /* that entry */
	char *other;              /* where the repository is that a file `.git` names, or NULL */
	char *borrowed;           /* objects of another repository that it uses, or NULL */
	struct git_words filters; /* options that take the programs away that its settings name */
};

/* Finds the repository of a folder (absolute path), which belongs to the user or to root, or is one
 * of those that the user's configuration of git calls safe. ASC_ABSENT: there is none. */
enum asc_status git_repository_find(const char *folder, struct git_repository *out,
				    struct asc_err *e);
void git_repository_fini(struct git_repository *r);

/* Switches off the filters, which have any name: programs that git would run on a file to see
 * whether its content changed. ASC_CHILD where one cannot be switched off. */
enum asc_status git_repository_drop_filters(struct git_repository *r, struct asc_err *e);

struct git_question {
	const char *const *words;      /* after `git` and its options; NULL-terminated */
	const struct git_words *files; /* after these, or NULL */
	const char *input;             /* all of git's stdin, PIPE_BUF bytes at most, or NULL */
	size_t most;                   /* bytes of the answer; what is longer is cut to that */
	int64_t limit_ns;              /* 0: three seconds */
};

/* Asks git in the folder. Returns its exit status. -1: it did not answer, or memory has run out;
 * GIT_MISSING: there is no git. */
enum { GIT_MISSING = 127 };
int git_ask(const struct git_repository *r, const struct git_question *q, struct buf *answer);

/* Fails where git gave no answer: `status` is what git_ask() returned. */
enum asc_status git_check_answer(int status, const struct buf *answer, struct asc_err *e);

/* Takes an id of SHA-1 or SHA-256 and the end of its line, and nothing else. */
bool git_take_id(const char *answer, char id[GIT_ID_SIZE]);

/* Finds the commit that git calls `name`; false with an empty id where there is none. */
enum asc_status git_find_commit(const struct git_repository *r, const char *name,
				char id[GIT_ID_SIZE], struct asc_err *e);

/* The part of an absolute path below the root, "" for the root itself; NULL: it lies outside.
 * Borrowed. */
const char *git_below_root(const struct git_repository *r, const char *path);

/* True for a path that leads nowhere above the repository's root from a folder that is `depth`
 * folders below it. */
bool git_stays_within(const char *path, int depth);

#endif
