#include "tuner/cmd/capture/capture_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/exchange/python_texts.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/owner.h"
#include "tuner/process/proc_user.h"

/* The recorder: Python, found by the name sitecustomize in each interpreter that starts with the
 * folder in PYTHONPATH. */
static const struct {
	const char *name, *text;
} recorder[] = {{".python/sitecustomize.py", capture_start},
		{".python/asctune_capture/_capture.py", capture_recorder},
		{".python/asctune_capture/_cut.py", capture_cut}};

/* Folders that the recorder writes into: below one of mode 0700, since tensors may be private. */
static const char *const folders[] = {"",     "records", "kernels",
				      "code", "data",    ".python/asctune_capture"};

/* True where records lie already. */
static bool has_records(const char *folder)
{
	char *path = path_join(folder, "records");
	DIR *d = path ? opendir(path) : NULL;
	bool found = false;

	for (struct dirent *i = NULL; d && (i = readdir(d));)
		found |= i->d_name[0] != '.';
	if (d)
		closedir(d);
	free(path);
	return found;
}

static enum asc_status write_options(const struct capture_options *o, struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {.out = &text};
	char *path = path_join(o->folder, "options.json");
	enum asc_status s = path ? ASC_OK : asc_err_nomem(e);

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "kernel", o->kernel);
	json_write_int(&w, "save_bytes", (int64_t)o->save_bytes);
	json_write_bool(&w, "widen", o->widen);
	json_write_string(&w, "reference", o->reference);
	json_write_end(&w, '}');
	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK)
		s = file_write(path, buf_str(&text), text.len, e);
	buf_fini(&text);
	free(path);
	return s;
}

/* Makes way for the recorder's Python, which the command runs: the folder has to be one that nobody
 * else can change, and whatever lies in .python already goes, as a module beside the recorder's
 * would be imported, too. */
static enum asc_status clear_python(const char *folder, struct asc_err *e)
{
	char *real = realpath(folder, NULL), *python = path_join(folder, ".python");
	enum asc_status s = python ? owner_check_links(folder, e) : asc_err_nomem(e);
	struct stat st;

	if (s == ASC_OK && real)
		s = owner_check_folder(real, e);
	if (s == ASC_OK && real)
		dir_remove(python);
	if (s == ASC_OK && real && lstat(python, &st) == 0)
		s = asc_err_set(e, ASC_IO, "%s is there, and cannot be removed", python);
	free(real);
	free(python);
	return s;
}

enum asc_status capture_folder_make(const struct capture_options *o, struct asc_err *e)
{
	if (has_records(o->folder))
		return asc_err_set(e, ASC_INPUT,
				   "%s has the records of a program already: capture into another "
				   "folder (-o), or remove this one",
				   o->folder);
	if (clear_python(o->folder, e))
		return e->status;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *path = path_join(o->folder, folders[i]);
		const enum asc_status s = path ? dir_make(path, e) : asc_err_nomem(e);

		free(path);
		if (s)
			return s;
	}
	for (size_t i = 0; i < sizeof recorder / sizeof *recorder; i++) {
		char *path = path_join(o->folder, recorder[i].name);
		const enum asc_status s =
			path ? file_write(path, recorder[i].text, strlen(recorder[i].text), e)
			     : asc_err_nomem(e);

		free(path);
		if (s)
			return s;
	}
	return write_options(o, e);
}

enum asc_status capture_folder_run(const struct capture_options *o, int *status, struct asc_err *e)
{
	const char *const before = getenv("PYTHONPATH");
	char *folder = path_absolute(o->folder, e), *capture = NULL, *path = NULL;
	enum asc_status s = ASC_OK;

	if (!folder)
		return e->status;
	if (strchr(folder, ':'))
		s = asc_err_set(e, ASC_INPUT,
				"%s: the path has a colon, which separates folders in PYTHONPATH: "
				"capture into another folder (-o)",
				folder);
	if (s == ASC_OK) {
		capture = str_print("ASCTUNE_CAPTURE=%s", folder);
		path = str_print("PYTHONPATH=%s/.python%s%s", folder, before && *before ? ":" : "",
				 before ? before : "");
		if (!capture || !path)
			s = asc_err_nomem(e);
	}
	if (s == ASC_OK)
		s = proc_run_user((const char *const *)o->command,
				  (const char *const[]){capture, path, NULL}, status, e);
	free(folder);
	free(capture);
	free(path);
	return s;
}
