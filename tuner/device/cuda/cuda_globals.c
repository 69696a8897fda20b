#include "tuner/device/cuda/cuda_globals.h"

#include <stdio.h>

#include "tuner/code/cubin_code.h"

/* Notes the first thing that is not put back. */
static void note_kept(struct cuda_globals *g, const char *what)
{
	if (!*g->kept)
		(void)snprintf(g->kept, sizeof g->kept,
			       "%s keeps its contents from launch to launch", what);
}

/* Finds the piece of a section that begins at that address; 0: the only one of the section. NULL:
 * there is none. */
static struct cuda_piece *find_piece(struct cuda_globals *g, unsigned number, cuda_address section)
{
	struct cuda_piece *found = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct cuda_piece *p = &g->pieces[i];

		if (p->number != number || (section != 0 && p->section != section))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

/* Adds a variable to the piece that it lies in; what lies between two variables of a piece belongs
 * to no other one. `section`: where its section would begin by its address; 0: the driver does not
 * find the variable, and its section is where another one of it was found. */
static void add_variable(struct cuda_globals *g, const struct cubin_global *v, cuda_address section)
{
	struct cuda_piece *p = find_piece(g, v->section, section);

	if (!p && (section == 0 || g->n == CUDA_MAX_PIECES)) {
		note_kept(g, v->name);
		return;
	}
	if (!p) {
		p = &g->pieces[g->n++];
		*p = (struct cuda_piece){section, v->at, v->at, v->section, v->zero};
	}
	p->begin = v->at < p->begin ? v->at : p->begin;
	p->end = v->at + v->bytes > p->end ? v->at + v->bytes : p->end;
}

/* Finds the pieces: of variables that the driver knows first, which say where sections lie. */
static enum asc_status find_pieces(struct device *d, struct CUmod_st *module, const struct cubin *c,
				   struct cuda_globals *g, struct asc_err *e)
{
	struct cubin_global v;
	cuda_address at;
	size_t bytes;

	for (int unknown = 0; unknown < 2; unknown++)
		for (size_t k = 0; cubin_next_global(c, &k, &v);) {
			const unsigned rc = d->cu->module_global(&at, &bytes, module, v.name);

			if (rc != 0 && rc != CUDA_ERROR_NO_SYMBOL)
				return cuda_check(d, rc, "cuModuleGetGlobal", e);
			if ((rc != 0) == unknown)
				add_variable(g, &v, rc == 0 ? at - v.at : 0);
		}
	return ASC_OK;
}

static size_t piece_bytes(const struct cuda_piece *p)
{
	return (size_t)(p->end - p->begin);
}

size_t cuda_globals_bytes(const struct cuda_globals *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->n; i++)
		bytes += piece_bytes(&g->pieces[i]);
	return bytes;
}

/* Copies the pieces that do not begin as zeros, to `first` or back. */
static enum asc_status copy_pieces(struct device *d, const struct cuda_globals *g, bool back,
				   struct asc_err *e)
{
	cuda_address kept = g->first;

	for (size_t i = 0; i < g->n; i++) {
		const struct cuda_piece *p = &g->pieces[i];
		const cuda_address at = p->section + p->begin;
		const size_t n = piece_bytes(p);

		if (p->zero)
			continue;
		if (cuda_check(d, d->cu->copy(back ? at : kept, back ? kept : at, n, d->stream),
			       "cuMemcpyDtoDAsync", e))
			return e->status;
		kept += n;
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
	if (find_pieces(d, module, &c, out, e))
		return e->status;
	for (size_t i = 0; i < out->n; i++)
		bytes += out->pieces[i].zero ? 0 : piece_bytes(&out->pieces[i]);
	if (bytes == 0)
		return ASC_OK;
	if (cuda_check(d, d->cu->alloc(&out->first, bytes), "cuMemAlloc", e))
		return asc_err_wrap(e, "memory for what variables of the module begin with");
	/* From the device: the file's bytes have no addresses yet. */
	return copy_pieces(d, out, false, e) ? e->status : cuda_wait(d, "a copy of variables", e);
}

enum asc_status cuda_globals_restore(struct device *d, const struct cuda_globals *g,
				     struct asc_err *e)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct cuda_piece *p = &g->pieces[i];

		if (p->zero &&
		    cuda_check(d, d->cu->set(p->section + p->begin, 0, piece_bytes(p), d->stream),
			       "cuMemsetD8Async", e))
			return e->status;
	}
	return copy_pieces(d, g, true, e);
}

void cuda_globals_free(struct device *d, struct cuda_globals *g)
{
	if (g->first)
		(void)d->cu->free(g->first);
	*g = (struct cuda_globals){0};
}
