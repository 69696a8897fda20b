#include "tuner/cmd/build/build_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/build/builder.h"
#include "tuner/build/verdict.h"
#include "tuner/cmd/build/built_kernel.h"
#include "tuner/cmd/terminal/output.h"
#include "tuner/device/device.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/workload/binding/binding.h"

#define MARK "\"asctune_build\""

enum { KEY_SHOWN = 16 }; /* characters of a digest in a name: 64 bits */

/* Appends a part of a file's name: names of workloads may have any characters. */
static void add_name(struct buf *out, const char *name)
{
	if (out->len > 0)
		buf_add_char(out, '-');
	for (; *name; name++)
		buf_add_char(out,
			     isalnum((unsigned char)*name) || strchr("._-", *name) ? *name : '_');
}

/* Name of the file of a kernel's artifact; "" where there is none. */
static void print_artifact_name(const struct build_event *event, const struct built_kernel *k,
				struct buf *out)
{
	const struct artifact *a = &k->build->artifact;

	if (!a->path || !*a->key)
		return;
	add_name(out, event->binding->workload->name);
	add_name(out, event->trial->implementation->name);
	buf_print(out, "-%.*s%s", KEY_SHOWN, a->key, k->build->builder->suffix);
}

/* Copies an artifact, unless the file is there: its name has the key of all that decides it. */
static enum asc_status copy_artifact(const char *folder, const char *name, const char *artifact,
				     struct asc_err *e)
{
	char *path = path_join(folder, name);
	struct buf bytes = {0};
	enum asc_status s = path ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK && !file_exists(path)) {
		s = file_read(artifact, 0, &bytes, e);
		if (s == ASC_OK)
			s = file_write(path, buf_str(&bytes), bytes.len, e);
	}
	buf_fini(&bytes);
	free(path);
	return s;
}

static void write_problem(const struct problem *p, struct json_writer *w)
{
	json_write_string(w, "problem", p->name);
	json_write_begin(w, "dims", '{');
	for (size_t i = 0; i < p->n_dims; i++)
		json_write_value(w, p->dims[i].name, p->dims[i].value);
	json_write_end(w, '}');
	json_write_begin(w, "dtypes", '{');
	for (size_t i = 0; i < p->n_dtypes; i++)
		json_write_string(w, p->dtypes[i].name, dtype_name(p->dtypes[i].dtype));
	json_write_end(w, '}');
}

/* Writes a kernel, and what its compiler says of it, which is an object of JSON already. */
static enum asc_status write_kernel(const struct built_kernel *k, const char *file,
				    struct json_writer *w, struct asc_err *e)
{
	const char *metadata = k->plan ? k->plan->metadata : k->build->artifact.metadata;
	struct json_doc *doc = NULL;

	json_write_begin(w, NULL, '{');
	json_write_string(w, "file", *file ? file : NULL);
	built_kernel_write_facts(k, w);
	built_kernel_write_launch(k, w);
	if (metadata && json_open_text("metadata", metadata, strlen(metadata), &doc, e))
		return e->status;
	if (doc)
		json_write_node(w, "metadata", json_root(doc));
	json_close(doc);
	json_write_end(w, '}');
	return ASC_OK;
}

static enum asc_status write_kernels(const char *folder, const struct build_event *event,
				     const struct built_kernel *kernels, struct json_writer *w,
				     struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	json_write_begin(w, "kernels", '[');
	for (size_t i = 0; i < event->n_kernels && s == ASC_OK; i++) {
		struct buf name = {0};

		print_artifact_name(event, &kernels[i], &name);
		s = buf_check(&name, e);
		if (s == ASC_OK && name.len)
			s = copy_artifact(folder, buf_str(&name), kernels[i].build->artifact.path,
					  e);
		if (s == ASC_OK)
			s = write_kernel(&kernels[i], buf_str(&name), w, e);
		buf_fini(&name);
	}
	json_write_end(w, ']');
	return s;
}

/* Makes the path of a configuration's file: heap string. */
static enum asc_status make_path(const char *folder, const struct build_event *event, char **out,
				 struct asc_err *e)
{
	const struct trial *t = event->trial;
	struct buf name = {0}, config = {0};
	char digest[HASH_TEXT_SIZE];
	struct hash h;

	config_print(&t->config, t->names, &config);
	hash_init(&h);
	hash_add_str(&h, buf_str(&config));
	enum asc_status s = hash_end(&h, digest, e);

	add_name(&name, event->binding->workload->name);
	add_name(&name, event->binding->problem->name);
	add_name(&name, t->implementation->name);
	buf_print(&name, "-%.*s.json", KEY_SHOWN, s ? "" : digest);
	if (s == ASC_OK && (buf_check(&config, e) || buf_check(&name, e)))
		s = e->status;
	*out = s ? NULL : path_join(folder, buf_str(&name));
	buf_fini(&name);
	buf_fini(&config);
	return s ? s : *out ? ASC_OK : asc_err_nomem(e);
}

enum asc_status build_files_write(const char *folder, const struct evaluator_target *target,
				  const struct build_event *event,
				  const struct built_kernel *kernels, struct asc_err *e)
{
	const struct trial *t = event->trial;
	struct buf line = {0}, text = {0};
	struct json_writer w = {&line, false};
	char *path = NULL;

	if (!t || !build_event_is_built(event))
		return ASC_OK;
	json_write_begin(&w, NULL, '{');
	json_write_int(&w, "asctune_build", 1);
	json_write_string(&w, "status", result_status_name(event->status));
	json_write_string(&w, "workload", event->binding->workload->name);
	write_problem(event->binding->problem, &w);
	json_write_string(&w, "implementation", t->implementation->name);
	json_write_begin(&w, "config", '{');
	for (size_t i = 0; i < t->config.n; i++)
		json_write_value(&w, t->names[i], t->config.values[i]);
	json_write_end(&w, '}');
	json_write_string(&w, "device", target->device->name);
	json_write_string(&w, "arch", target->info->arch);
	json_write_string(&w, "toolchain", event->search->toolchain);
	enum asc_status s = write_kernels(folder, event, kernels, &w, e);

	json_write_end(&w, '}');
	if (s == ASC_OK)
		s = make_path(folder, event, &path, e);
	if (s == ASC_OK)
		s = buf_check(&line, e);
	if (s == ASC_OK) {
		json_print_lines(buf_str(&line), &text);
		s = buf_check(&text, e);
	}
	if (s == ASC_OK)
		s = output_write(path, MARK, buf_str(&text), text.len, e);
	buf_fini(&line);
	buf_fini(&text);
	free(path);
	return s;
}
