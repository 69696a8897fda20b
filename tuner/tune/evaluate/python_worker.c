#include "tuner/tune/evaluate/python_worker.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/build/build_texts.h"
#include "tuner/build/worker_python.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/workload/workload.h"

bool python_worker_runs(const struct implementation *i)
{
	size_t k = 0;

	while (k < i->n_calls && !callable_is_of(&i->calls[k], "python"))
		k++;
	return k < i->n_calls;
}

/* Variables of the process, below the folder `%s` where they have one. Threads of a pool that spin
 * would be beside the samples of another implementation; a compiler that has processes of its own
 * would leave them behind. */
static const char *const settings[PYTHON_WORKER_VARIABLES] = {
	"XDG_CACHE_HOME=%s/cache",
	"TORCHINDUCTOR_CACHE_DIR=%s/inductor",
	"TORCH_EXTENSIONS_DIR=%s/torch_extensions",
	"TRITON_CACHE_DIR=%s/triton",
	"CUDA_CACHE_PATH=%s/cuda",
	"FLASHINFER_WORKSPACE_BASE=%s/flashinfer",
	"VLLM_CACHE_ROOT=%s/vllm",
	"VLLM_CONFIG_ROOT=%s/vllm_config",
	"VLLM_NO_USAGE_STATS=1",
	"HF_HUB_OFFLINE=1",
	"OMP_WAIT_POLICY=passive",
	"TORCHINDUCTOR_COMPILE_THREADS=1",
};

bool python_worker_sets(const char *variable)
{
	const size_t len = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < PYTHON_WORKER_VARIABLES; i++)
		if (strncmp(variable, settings[i], len) == 0)
			return true;
	return false;
}

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Joins a list and `n` more; NULL when out of memory. */
static const char **join(const char *const *list, const char *const *more, size_t n)
{
	const size_t had = count(list);
	const char **all = calloc(had + n + 1, sizeof *all);

	for (size_t i = 0; all && i < had; i++)
		all[i] = list[i];
	for (size_t i = 0; all && i < n; i++)
		all[had + i] = more[i];
	return all;
}

/* Names and makes the folder of caches: libraries write there what they compile for this
 * interpreter and this model of device. What a stranger's workload has written is read by nobody
 * else. */
static enum asc_status find_caches(struct python_worker *w, const struct evaluator_target *t,
				   const struct interpreter *python, const char *own,
				   struct asc_err *e)
{
	char name[HASH_TEXT_SIZE];
	struct hash h;

	if (sandbox_is_required())
		w->caches = str_dup(own);
	else {
		hash_init(&h);
		hash_add_str(&h, python->executable);
		hash_add_str(&h, python->python);
		hash_add_str(&h, t->device->name);
		hash_add_str(&h, t->info ? t->info->model : "");
		if (hash_end(&h, name, e))
			return e->status;
		w->caches = str_print("%s/python/%s", t->cache, name);
	}
	return w->caches ? dir_make(w->caches, e) : asc_err_nomem(e);
}

static enum asc_status make_argv(struct python_worker *w, const struct worker_python *python,
				 const char *places, struct asc_err *e)
{
	const char *const head[] = {python->interpreter.executable,
				    "-B",
				    "-c",
				    w->text,
				    "serve",
				    python->library,
				    NULL};
	size_t n = count(head);
	char *rest = NULL;

	w->places = str_dup(places);
	if (!w->text || !w->places)
		return asc_err_nomem(e);
	for (const char *at = places; *at; at++)
		n += *at == '\n';
	w->argv = calloc(n + 1, sizeof *w->argv);
	if (!w->argv)
		return asc_err_nomem(e);
	for (n = 0; head[n]; n++)
		w->argv[n] = head[n];
	for (char *place = strtok_r(w->places, "\n", &rest); place;
	     place = strtok_r(NULL, "\n", &rest))
		w->argv[n++] = place;
	return ASC_OK;
}

static enum asc_status init(struct python_worker *w, const struct evaluator_target *t,
			    const char *places, const char *own, const char *const *reads,
			    const char *const *variables, struct asc_err *e)
{
	const char *more[PYTHON_WORKER_VARIABLES];
	const struct worker_python *python;

	if (worker_python_get(&python, e) || find_caches(w, t, &python->interpreter, own, e))
		return e->status;
	w->text = str_print("%s\n%s\n%s", interpreter_text, python_call_text, python_worker_text);
	if (make_argv(w, python, places, e))
		return e->status;
	for (size_t i = 0; i < PYTHON_WORKER_VARIABLES; i++) {
		const char *folder = strstr(settings[i], "%s");

		more[i] = w->own[i] = folder ? str_print("%.*s%s%s", (int)(folder - settings[i]),
							 settings[i], w->caches, folder + 2)
					     : str_dup(settings[i]);
		if (!more[i])
			return asc_err_nomem(e);
	}
	w->variables = join(variables, more, PYTHON_WORKER_VARIABLES);
	const char **with_library = join(reads, (const char *[]){python->library}, 1);
	w->reads = with_library ? join(with_library, python->interpreter.reads,
				       count(python->interpreter.reads))
				: NULL;
	free(with_library);
	w->writes[0] = w->caches;
	return w->variables && w->reads ? ASC_OK : asc_err_nomem(e);
}

enum asc_status python_worker_init(struct python_worker *out, const struct evaluator_target *t,
				   const char *places, const char *own, const char *const *reads,
				   const char *const *variables, struct asc_err *e)
{
	*out = (struct python_worker){0};
	if (init(out, t, places, own, reads, variables, e) == ASC_OK)
		return ASC_OK;
	python_worker_fini(out);
	return e->status;
}

void python_worker_fini(struct python_worker *w)
{
	for (size_t i = 0; i < PYTHON_WORKER_VARIABLES; i++)
		free(w->own[i]);
	free(w->argv);
	free(w->reads);
	free(w->variables);
	free(w->text);
	free(w->places);
	free(w->caches);
	*w = (struct python_worker){0};
}
