#include "tuner/cmd/gate/gate_files.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/base_flags.h"
#include "tuner/cmd/gate/workload_likeness.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/workload/workload.h"

bool gate_is_own(enum asc_status status)
{
	return status == ASC_INPUT || status == ASC_NOTFOUND || status == ASC_IO ||
	       status == ASC_LIMIT;
}

void file_pairs_fini(struct file_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < GATE_TREES; k++)
			free(p->list[i].paths[k]);
		free(p->list[i].real);
	}
	free(p->list);
}

/* Path by which a file of the head is known, whatever it was named by: its folder without links,
 * and its name; a heap string, NULL out of memory. */
static char *find_real(const char *path)
{
	struct asc_err none;
	char *folder = path_folder(path), *above = folder ? path_absolute(folder, &none) : NULL;
	char *real = above ? path_join(above, path_name(path)) : folder ? str_dup(path) : NULL;

	free(folder);
	free(above);
	return real;
}

/* Adds a file, once, though it may be of several of the paths. `other`: path of the same file in
 * the other tree, or NULL; `own`: it is of a path itself, rather than beside one. */
static enum asc_status add_file(struct file_pairs *p, enum gate_tree tree, const char *path,
				const char *other, bool own, struct asc_err *e)
{
	char *real = tree == GATE_HEAD ? find_real(path) : NULL;

	if (tree == GATE_HEAD && !real)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++)
		if (tree == GATE_HEAD ? str_is_same(p->list[i].real, real)
				      : str_is_same(p->list[i].paths[GATE_BASE], path)) {
			p->list[i].beside &= !own;
			free(real);
			return ASC_OK;
		}
	for (size_t i = 0; other && i < p->n; i++)
		if (str_is_same(p->list[i].paths[!tree], other)) {
			p->list[i].paths[tree] = str_dup(path);
			return p->list[i].paths[tree] ? ASC_OK : asc_err_nomem(e);
		}
	if (!array_room(&p->list, p->n, &p->room, sizeof *p->list)) {
		free(real);
		return asc_err_nomem(e);
	}
	p->list[p->n] = (struct file_pair){.real = real, .beside = !own};
	p->list[p->n].paths[tree] = str_dup(path);
	return p->list[p->n++].paths[tree] ? ASC_OK : asc_err_nomem(e);
}

/* Adds the workloads of the base that are beside a path, and that the head does not have: the
 * head's file may be one of them under another name. */
static enum asc_status add_beside(const char *path, const char *there, struct file_pairs *out,
				  struct asc_err *e)
{
	char *here = path_folder(path), *folder = path_folder(there);
	struct workload_files files = {0};
	enum asc_status status = here && folder ? ASC_OK : asc_err_nomem(e);
	struct asc_err none;

	if (status == ASC_OK && workload_files_find(folder, &files, &none) == ASC_NOMEM)
		status = asc_err_nomem(e);
	for (size_t i = 0; status == ASC_OK && i < files.n; i++) {
		char *same = path_join(here, path_name(files.paths[i]));

		if (!same)
			status = asc_err_nomem(e);
		else if (!file_exists(same))
			status = add_file(out, GATE_BASE, files.paths[i], NULL, false, e);
		free(same);
	}
	workload_files_fini(&files);
	free(folder);
	free(here);
	return status;
}

/* Adds the files of one path, of both trees. A tree that has none of them is no failure: they are
 * new, or gone. */
static enum asc_status add_files(const struct gate *g, const char *path, struct file_pairs *out,
				 struct asc_err *e)
{
	char *there = base_checkout_path(g->checkout, path);
	struct workload_files files[GATE_TREES] = {{0}};
	enum asc_status status = there ? ASC_OK : asc_err_nomem(e);
	struct asc_err none;

	if (status == ASC_OK && workload_files_find(there, &files[GATE_BASE], &none) == ASC_NOMEM)
		status = asc_err_nomem(e);
	if (status == ASC_OK && workload_files_find(path, &files[GATE_HEAD], e) &&
	    (e->status != ASC_NOTFOUND || files[GATE_BASE].n == 0))
		status = e->status;
	for (size_t i = 0; status == ASC_OK && i < files[GATE_HEAD].n; i++)
		status = add_file(out, GATE_HEAD, files[GATE_HEAD].paths[i], NULL, true, e);
	for (size_t i = 0; status == ASC_OK && i < files[GATE_BASE].n; i++) {
		/* A folder's files have the same names on both sides, a file its own. */
		char *beside = strcmp(files[GATE_BASE].paths[i], there) == 0
				       ? str_dup(path)
				       : path_join(path, path_name(files[GATE_BASE].paths[i]));

		status = beside ? add_file(out, GATE_BASE, files[GATE_BASE].paths[i], beside, true,
					   e)
				: asc_err_nomem(e);
		free(beside);
	}
	if (status == ASC_OK && files[GATE_BASE].n == 0 && !dir_exists(path))
		status = add_beside(path, there, out, e);
	for (size_t k = 0; k < GATE_TREES; k++)
		workload_files_fini(&files[k]);
	free(there);
	return status;
}

/* Opens a file of one tree. With --untrusted the head's is a stranger's, and the base's is not: it
 * was looked at when it was merged. */
static enum asc_status open_file(struct gate *g, enum gate_tree tree, const char *path,
				 struct workload **out, struct asc_err *e)
{
	struct workload *w = NULL;
	const bool untrusted = tree == GATE_HEAD && g->options->untrusted;
	enum asc_status status =
		workload_file_open(path, untrusted, g->on->target.info.simulated, &w, e);

	if (status == ASC_OK && tree == GATE_BASE)
		status = base_flags_move(g->checkout, w, e);
	if (status == ASC_OK && g->options->trust)
		status = trusted_check(w, e);
	if (status == ASC_OK)
		status = target_use_verdicts(&g->on->target, w, e);
	if (status == ASC_OK)
		status = target_add_problems(w, &g->options->problems, e);
	if (status)
		workload_close(w);
	else
		*out = g->workloads[g->n_workloads++] = w;
	return status;
}

/* Opens all files. One of the head that cannot be opened fails the kernels that the base has in it;
 * one of the base is said, and is none; one of neither is said, and a failure where there is no
 * other. */
static enum asc_status open_files(struct gate *g, struct file_pairs *p, struct asc_err *e)
{
	const struct asc_err *first = NULL; /* of a file that neither tree can read */

	g->workloads = calloc(2 * p->n + 1, sizeof(struct workload *));
	if (!g->workloads)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		struct file_pair *f = &p->list[i];

		if (f->paths[GATE_HEAD] &&
		    open_file(g, GATE_HEAD, f->paths[GATE_HEAD], &f->workloads[GATE_HEAD],
			      &f->fault) &&
		    (!gate_is_own(f->fault.status) || !f->paths[GATE_BASE])) {
			*e = f->fault;
			return e->status;
		}
		if (!f->paths[GATE_BASE] || open_file(g, GATE_BASE, f->paths[GATE_BASE],
						      &f->workloads[GATE_BASE], e) == ASC_OK)
			continue;
		if (e->status == ASC_NOMEM)
			return e->status;
		if (f->fault.status) { /* neither: there is no kernel that could fail */
			first = first ? first : &f->fault;
			continue;
		}
		base_checkout_cut(g->checkout, e->text);
		log_print(LOG_NOTE, "in the base, %s", e->text);
	}
	if (g->n_workloads == 0 && first) {
		*e = *first;
		return e->status;
	}
	for (size_t i = 0; first && i < p->n; i++)
		if (p->list[i].fault.status && !p->list[i].workloads[GATE_BASE])
			log_print(LOG_WARN, "%s; the base's cannot be read either: not compared",
				  p->list[i].fault.text);
	return ASC_OK;
}

static bool is_new(const struct file_pair *f)
{
	return f->workloads[GATE_HEAD] && !f->workloads[GATE_BASE];
}

static bool is_gone(const struct file_pair *f)
{
	return f->workloads[GATE_BASE] && !f->workloads[GATE_HEAD] && !f->fault.status;
}

static void join(struct file_pair *new, struct file_pair *gone)
{
	new->workloads[GATE_BASE] = gone->workloads[GATE_BASE];
	gone->workloads[GATE_BASE] = NULL;
}

/* Joins a file that is new with one that is gone where both are of one workload, or where one is
 * the other under another name. */
static enum asc_status join_renamed(struct file_pairs *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->n && is_new(&p->list[i]); k++)
			if (is_gone(&p->list[k]) &&
			    strcmp(p->list[k].workloads[GATE_BASE]->name,
				   p->list[i].workloads[GATE_HEAD]->name) == 0)
				join(&p->list[i], &p->list[k]);
	for (size_t i = 0; i < p->n; i++) {
		double most = WORKLOAD_ALIKE, alike;
		size_t best = p->n;

		for (size_t k = 0; k < p->n && is_new(&p->list[i]); k++) {
			if (!is_gone(&p->list[k]))
				continue;
			if (workload_likeness(p->list[k].workloads[GATE_BASE],
					      p->list[i].workloads[GATE_HEAD], &alike, e))
				return e->status;
			if (alike >= most) {
				most = alike;
				best = k;
			}
		}
		if (best < p->n)
			join(&p->list[i], &p->list[best]);
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].beside)
			p->list[i].workloads[GATE_BASE] = NULL;
	return ASC_OK;
}

enum asc_status file_pairs_open(struct gate *g, const char *const *paths, size_t n,
				struct file_pairs *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < n; i++)
		status = add_files(g, paths[i], out, e);
	if (status == ASC_OK)
		status = open_files(g, out, e);
	return status ? status : join_renamed(out, e);
}
