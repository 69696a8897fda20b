#include "tuner/device/cuda/cuda_globals.h"

#include <stdio.h>

#include "tuner/code/cubin_code.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/device_buffer.h"

/* Notes the first thing that is not put back. */
static void note_kept(struct cuda_globals *g, const char *what)
{
	if (!*g->kept)
		(void)snprintf(g->kept, sizeof g->kept,
			       "%s keeps its contents from launch to launch", what);
}

/* Finds the variables where the driver has placed them. */
static enum asc_status find_variables(struct device *d, struct CUmod_st *module,
				      const struct cubin *c, struct cuda_globals *g,
				      struct asc_err *e)
{
	struct cubin_global v;
	cuda_address at;
	size_t bytes;

	for (size_t k = 0; cubin_next_global(c, &k, &v);) {
		const unsigned rc = d->cu->module_global(&at, &bytes, module, v.name);

		if (rc != 0 && rc != CUDA_ERROR_NO_SYMBOL)
			return cuda_check(d, rc, "cuModuleGetGlobal", e);
		if (rc != 0 || g->n == CUDA_MAX_GLOBALS)
			note_kept(g, v.name);
		else
			g->list[g->n++] = (struct cuda_global){at, bytes, v.zero};
	}
	return ASC_OK;
}

size_t cuda_globals_bytes(const struct cuda_globals *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->n; i++)
		bytes += g->list[i].bytes;
	return bytes;
}

/* Copies those that do not begin as zeros, to `first` or back. */
static enum asc_status copy_first(struct device *d, const struct cuda_globals *g, bool back,
				  struct asc_err *e)
{
	cuda_address kept = cuda_buffer_address(g->first);

	for (size_t i = 0; i < g->n; i++) {
		const struct cuda_global *v = &g->list[i];

		if (v->zero)
			continue;
		if (cuda_check(d,
			       d->cu->copy(back ? v->at : kept, back ? kept : v->at, v->bytes,
					   d->stream),
			       "cuMemcpyDtoDAsync", e))
			return e->status;
		kept += v->bytes;
	}
	return ASC_OK;
}

enum asc_status cuda_globals_take(struct device *d, struct CUmod_st *module, const void *image,
				  size_t n, struct cuda_globals *out, struct asc_err *e)
{
	struct cubin c;
	struct asc_err no_cubin;
	size_t bytes = 0;

	if (cubin_open(image, n, &c, &no_cubin))
		return ASC_OK;
	if (cubin_calls(&c, "malloc"))
		note_kept(out, "the device's heap, which the code has memory from,");
	if (find_variables(d, module, &c, out, e))
		return e->status;
	for (size_t i = 0; i < out->n; i++)
		bytes += out->list[i].zero ? 0 : out->list[i].bytes;
	if (bytes == 0)
		return ASC_OK;
	if (cuda_buffer_alloc(d, bytes, &out->first, e))
		return asc_err_wrap(e, "memory for what variables of the module begin with");
	out->next = d->globals;
	d->globals = out;
	/* From the device: the file's bytes have no addresses yet. */
	return copy_first(d, out, false, e) ? e->status
					    : device_buffer_protect(d, out->first, true, e);
}

enum asc_status cuda_globals_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				  enum device_harm *harms, struct asc_err *e)
{
	enum { AT_ONCE = 16 };
	struct device_buffer *first[AT_ONCE];
	enum device_harm found[AT_ONCE];

	d->falsified = false;
	for (const struct cuda_globals *g = d->globals; g;) {
		size_t some = 0;

		for (; g && some < AT_ONCE; g = g->next)
			first[some++] = g->first;
		if (device_buffer_look(d, first, some, found, e))
			return e->status;
		for (size_t i = 0; i < some; i++)
			d->falsified |= found[i] != DEVICE_UNHARMED;
	}
	return device_buffer_look(d, buffers, n, harms, e);
}

bool cuda_globals_falsified(const struct device *d)
{
	return d->falsified;
}

enum asc_status cuda_globals_restore(struct device *d, const struct cuda_globals *g,
				     struct asc_err *e)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct cuda_global *v = &g->list[i];

		if (v->zero &&
		    cuda_check(d, d->cu->set(v->at, 0, v->bytes, d->stream), "cuMemsetD8Async", e))
			return e->status;
	}
	return copy_first(d, g, true, e);
}

void cuda_globals_free(struct device *d, struct cuda_globals *g)
{
	struct cuda_globals **at = &d->globals;

	while (*at && *at != g)
		at = &(*at)->next;
	if (*at)
		*at = g->next;
	device_buffer_release(d, g->first);
	*g = (struct cuda_globals){0};
}
