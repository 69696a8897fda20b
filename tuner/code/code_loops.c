/* A loop is a strongly connected part of the flow. Without the edges into its head it falls into
 * smaller ones, the loops within; one that falls apart altogether is innermost. Parts are found
 * with the algorithm of R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972, on all
 * levels of loops one after another. */
#include "tuner/code/code_loops.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_DEPTH = 32
}; /* levels of loops; what lies deeper counts as one loop: hostile code
      could have a level for each of its instructions */

/* A run of instructions that is entered at its first and left at its last. */
struct block {
	uint32_t first;       /* instruction */
	uint32_t n;           /* instructions */
	uint32_t to[2];       /* blocks that may follow; NONE */
	uint32_t part;        /* the loop of the level above that it is in; 0: no more in any */
	uint32_t loop;        /* the deepest loop found so far */
	uint32_t number, low; /* Tarjan's, of this level; number 0: not visited */
	uint8_t turn;         /* which of `to` is next */
	bool head;            /* edges within its part that lead to it are cut */
	bool stacked;
};

struct loop {
	uint32_t head; /* block */
	bool outer;    /* there are loops within */
};

enum { NONE = UINT32_MAX };

struct flow {
	struct block *blocks;
	uint32_t n_blocks;
	uint32_t *path, *stack; /* blocks: the search's way, Tarjan's stack */
	struct loop *loops;     /* [0] is the whole code, which is no loop */
	uint32_t n_loops;
};

/* Cuts the code into blocks; block_of has the block of each instruction. */
static void make_blocks(struct flow *f, const struct code_step *steps, uint32_t n,
			uint32_t *block_of)
{
	/* block_of marks the first instructions until they are numbered. */
	memset(block_of, 0, n * sizeof *block_of);
	block_of[0] = 1;
	for (uint32_t i = 0; i < n; i++) {
		const bool jumps = steps[i].target >= 0 && steps[i].target < n;

		if (jumps)
			block_of[steps[i].target] = 1;
		if ((jumps || !steps[i].next) && i + 1 < n)
			block_of[i + 1] = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (block_of[i])
			f->blocks[f->n_blocks++] = (struct block){.first = i, .part = 1};
		block_of[i] = f->n_blocks - 1;
	}
	for (uint32_t b = 0; b < f->n_blocks; b++) {
		const uint32_t end = b + 1 < f->n_blocks ? f->blocks[b + 1].first : n;
		const uint32_t last = end - 1;
		const struct code_step *s = &steps[last];
		const bool jumps = s->target >= 0 && s->target < n;

		f->blocks[b].n = end - f->blocks[b].first;
		f->blocks[b].to[0] = s->next && last + 1 < n ? b + 1 : NONE;
		f->blocks[b].to[1] = jumps ? block_of[s->target] : NONE;
	}
}

/* The block that an edge leads to, on this level; NONE: the edge leaves the part, or is cut. */
static uint32_t follow(const struct flow *f, const struct block *from, size_t edge)
{
	const uint32_t to = from->to[edge];

	if (to == NONE || f->blocks[to].part != from->part || f->blocks[to].head)
		return NONE;
	return to;
}

/* Notes the part that ends the stack, from block `root` on: a loop, unless it is one block without
 * an edge to itself. Returns the length of the stack without it. */
static uint32_t end_part(struct flow *f, uint32_t n_stack, uint32_t root)
{
	uint32_t begin = n_stack;

	do
		f->blocks[f->stack[--begin]].stacked = false;
	while (f->stack[begin] != root);
	struct block *r = &f->blocks[root];
	const bool alone = begin + 1 == n_stack;
	const bool again = follow(f, r, 0) == root || follow(f, r, 1) == root;
	/* The last line of code, an instruction that jumps to itself whatever happens. */
	const bool trap = r->to[0] == NONE && r->to[1] == root && r->n == 1;

	if (alone && (!again || trap)) {
		r->low = 0;
		return begin;
	}
	/* The search came in by `root`, so that is the head. */
	f->loops[r->loop].outer = true;
	f->loops[++f->n_loops] = (struct loop){.head = root};
	for (uint32_t i = begin; i < n_stack; i++) {
		f->blocks[f->stack[i]].loop = f->n_loops;
		f->blocks[f->stack[i]].low = f->n_loops; /* its part on the next level */
	}
	return begin;
}

/* Finds the parts that can be reached from a block. */
static void search(struct flow *f, uint32_t from, uint32_t *visited)
{
	uint32_t n_path = 0, n_stack = 0;

	f->path[n_path++] = from;
	while (n_path > 0) {
		const uint32_t at = f->path[n_path - 1];
		struct block *b = &f->blocks[at];

		if (b->number == 0) {
			b->number = b->low = ++*visited;
			b->turn = 0;
			b->stacked = true;
			f->stack[n_stack++] = at;
		}
		if (b->turn < 2) {
			const uint32_t to = follow(f, b, b->turn++);

			if (to == NONE)
				continue;
			if (f->blocks[to].number == 0)
				f->path[n_path++] = to;
			else if (f->blocks[to].stacked && f->blocks[to].number < b->low)
				b->low = f->blocks[to].number;
			continue;
		}
		n_path--;
		const uint32_t low = b->low;

		if (low == b->number)
			n_stack = end_part(f, n_stack, at);
		else if (n_path > 0 && low < f->blocks[f->path[n_path - 1]].low)
			f->blocks[f->path[n_path - 1]].low = low;
	}
}

/* Finds the loops within those of the level above, from `since` on; returns the number of the first
 * one found, which is none where it is above n_loops. */
static uint32_t search_level(struct flow *f, uint32_t since)
{
	const uint32_t before = f->n_loops;
	uint32_t visited = 0;

	for (uint32_t b = 0; b < f->n_blocks; b++)
		f->blocks[b].number = 0;
	/* A loop is entered at its head. The whole code is at its begin, and what is entered from
	 * elsewhere, by a call or an indirect branch, at its first block. */
	for (uint32_t l = since; l <= before && since > 0; l++)
		search(f, f->loops[l].head, &visited);
	for (uint32_t b = 0; b < f->n_blocks && since == 0; b++)
		if (f->blocks[b].number == 0)
			search(f, b, &visited);
	for (uint32_t b = 0; b < f->n_blocks; b++)
		f->blocks[b].part = f->blocks[b].number ? f->blocks[b].low : 0;
	for (uint32_t l = before + 1; l <= f->n_loops; l++)
		f->blocks[f->loops[l].head].head = true;
	return before + 1;
}

enum asc_status code_loops_find(const struct code_step *steps, size_t n, uint32_t *loop_of,
				size_t *n_loops, struct asc_err *e)
{
	struct flow f = {0};
	enum asc_status s = ASC_OK;

	*n_loops = 0;
	if (n == 0)
		return ASC_OK;
	if (n >= NONE / 2)
		return asc_err_set(e, ASC_LIMIT, "has %zu instructions", n);
	f.blocks = malloc(n * sizeof *f.blocks);
	f.path = malloc(n * sizeof *f.path);
	f.stack = malloc(n * sizeof *f.stack);
	/* Each loop of a level has a head of its own, which is no head again: n at most. */
	f.loops = calloc(n + 1, sizeof *f.loops);
	if (!f.blocks || !f.path || !f.stack || !f.loops) {
		s = asc_err_nomem(e);
		goto out;
	}
	make_blocks(&f, steps, (uint32_t)n, loop_of);
	uint32_t since = 0;

	for (int depth = 0; depth < MAX_DEPTH && since <= f.n_loops; depth++)
		since = search_level(&f, since);
	/* Numbers in the order of the code, for the innermost ones alone. */
	for (size_t i = 0; i < n; i++) {
		const struct block *b = &f.blocks[loop_of[i]];

		loop_of[i] = b->loop && !f.loops[b->loop].outer ? b->loop : 0;
	}
	memset(f.path, 0, n * sizeof *f.path);
	for (size_t i = 0; i < n; i++) {
		if (!loop_of[i])
			continue;
		uint32_t *number = &f.path[loop_of[i] - 1];

		if (!*number)
			*number = (uint32_t)++ * n_loops;
		loop_of[i] = *number;
	}
out:
	free(f.blocks);
	free(f.path);
	free(f.stack);
	free(f.loops);
	return s;
}
