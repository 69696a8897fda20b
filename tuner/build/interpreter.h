/* A Python interpreter of the user's: which program it is, and what its children read. It is asked
 * by running a text in it, outside of the sandbox: its answer has the folders that a sandbox needs.
 *
 * The caller owns the storage: zeroed, then interpreter_fini(). */
#ifndef ASCTUNE_BUILD_INTERPRETER_H
#define ASCTUNE_BUILD_INTERPRETER_H

#include "tuner/base/err.h"

struct json_doc;
struct json_node;

struct interpreter {
	char *executable;   /* absolute path; heap */
	char *python;       /* "CPython 3.11.7"; heap */
	const char **reads; /* folders of the interpreter and its packages, those that are being
			       edited too; NULL-terminated, heap */
};

/* Runs `PROGRAM -B -c TEXT WORD...`, NULL-terminated words, and takes the JSON document that it
 * prints. ASC_ABSENT, with the program's name, where there is none or it does not answer so. */
enum asc_status interpreter_ask(const char *program, const char *text, const char *const *words,
				struct json_doc **out, struct asc_err *e);

/* Reads the member "interpreter" of an answer, interpreter_facts() of tuner/python/interpreter.py.
 */
enum asc_status interpreter_read(const struct json_node *facts, struct interpreter *out,
				 struct asc_err *e);
void interpreter_fini(struct interpreter *i);

/* Lists of texts, NULL-terminated; *out is the caller's, also after a failure. */
enum asc_status interpreter_read_texts(const struct json_node *texts, const char ***out,
				       struct asc_err *e);
void interpreter_free_texts(const char **list);

/* The setting of a variable of this process with the name of an interpreter, and of those by which
 * that is found, as one heap string: an answer holds as long as it does not change. NULL: out of
 * memory. */
char *interpreter_setting(const char *variable);

#endif
