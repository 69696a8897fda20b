/* Roles of pointers by the flow of values.
 *
 * TTIR is in SSA form, one operation a line, and a region's lines stand between braces. Each value
 * has a node, an edge leads from a value to whatever may become that pointer, and along the edges
 * go sets of the kernel's arguments until nothing changes. Loads, stores and atomic operations are
 * then uses of the sets at their addresses. What is read from memory comes from no argument.
 *
 * Of the operations only those are named that touch memory or move values between regions: of all
 * others each result may come from each operand, which is true of those that make pointers from
 * pointers, and does no harm for numbers. */
#include "tuner/code/ttir_roles.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"

enum {
	MAX_DEPTH = 64,       /* of regions: Triton's front end nests some ten */
	MAX_OPERANDS = 1024,  /* of a line; a kernel has 64 arguments, a descriptor's have 11 */
	MAX_RESULTS = 64,     /* names before an equals sign */
	MAX_VALUES = 1 << 24, /* 128 MB of sets: a kernel that fills ten megabytes has a million */
	MAX_EDGES = 1 << 26,  /* 512 MB: a line may have each of its results from each operand */
	MAX_PASSES = 1000,    /* along all edges: a real kernel takes two to five */
	NONE = UINT32_MAX
};

struct span {
	const char *at;
	size_t n;
};

struct name { /* a value's, a block's or a function's; in this scope it stands for `value` */
	struct span text;
	uint32_t value; /* the first of `count` nodes; NONE: not seen in this scope */
};

struct use {
	uint32_t value;
	unsigned what;
};

enum region_kind { REGION_OTHER, REGION_FUNCTION, REGION_FOR, REGION_IF, REGION_BEFORE, REGION_DO };

struct region {
	enum region_kind kind;
	uint32_t results;   /* nodes of the operation; FUNCTION: of what it returns */
	uint32_t arguments; /* FOR, BEFORE, DO: nodes of what a round of the loop begins with */
	uint32_t condition; /* BEFORE, DO: nodes of what scf.condition passes on */
	size_t hidden;      /* names that the region hides, from here on */
};

struct reader {
	uint64_t *from; /* of each node: set of arguments */
	size_t n_values, values_capacity;
	struct edge {
		uint32_t from, to;
	} * edges;
	size_t n_edges, edges_capacity;
	struct use *uses;
	size_t n_uses, uses_capacity;
	struct name *names;
	size_t n_names, names_capacity;
	struct intern table;
	struct name *hidden; /* names as they were outside of the regions that are open */
	size_t n_hidden, hidden_capacity;
	struct region regions[MAX_DEPTH];
	size_t depth;
	struct ttir_roles *out;
	bool has_kernel;
	bool failed; /* out of memory */
	bool large;  /* more than MAX_VALUES values, or MAX_EDGES edges */
};

/* ---- nodes ---- */

static uint32_t new_values(struct reader *r, size_t n)
{
	const uint32_t first = (uint32_t)r->n_values;

	if (n > MAX_VALUES - r->n_values) {
		r->large = true;
		return NONE;
	}
	for (size_t i = 0; i < n; i++) {
		if (!array_room(&r->from, r->n_values, &r->values_capacity, sizeof *r->from)) {
			r->failed = true;
			return NONE;
		}
		r->from[r->n_values++] = 0;
	}
	return first;
}

static void add_edge(struct reader *r, uint32_t from, uint32_t to)
{
	/* A text that passes on more than there are results has no such node. */
	if (from >= r->n_values || to >= r->n_values)
		return;
	if (r->n_edges == MAX_EDGES)
		r->large = true;
	else if (!array_room(&r->edges, r->n_edges, &r->edges_capacity, sizeof *r->edges))
		r->failed = true;
	else
		r->edges[r->n_edges++] = (struct edge){from, to};
}

static void add_use(struct reader *r, uint32_t value, unsigned what)
{
	if (!array_room(&r->uses, r->n_uses, &r->uses_capacity, sizeof *r->uses))
		r->failed = true;
	else
		r->uses[r->n_uses++] = (struct use){value, what};
}

/* ---- names ---- */

struct wanted {
	const struct reader *r;
	struct span text;
};

static bool is_name(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const struct span *have = &w->r->names[id].text;

	return have->n == w->text.n && memcmp(have->at, w->text.at, have->n) == 0;
}

/* The name's entry; NULL when out of memory. */
static struct name *find_name(struct reader *r, struct span text)
{
	const struct wanted w = {r, text};
	const uint64_t hash = hash_bytes(text.at, text.n);
	uint32_t id = intern_find(&r->table, hash, is_name, &w);

	if (id == INTERN_NONE) {
		id = (uint32_t)r->n_names;
		if (!array_room(&r->names, r->n_names, &r->names_capacity, sizeof *r->names) ||
		    !intern_add(&r->table, hash, id)) {
			r->failed = true;
			return NULL;
		}
		r->names[r->n_names++] = (struct name){text, NONE};
	}
	return &r->names[id];
}

/* Gives a name a meaning until the region ends: MLIR uses a name again in a region beside. */
static void define(struct reader *r, struct span text, uint32_t value)
{
	struct name *name = find_name(r, text);

	if (!name)
		return;
	if (!array_room(&r->hidden, r->n_hidden, &r->hidden_capacity, sizeof *r->hidden)) {
		r->failed = true;
		return;
	}
	r->hidden[r->n_hidden++] = *name;
	name->value = value;
}

/* Nodes of a function or a block, which may be named before its lines: of what it is entered with,
 * and MAX_OPERANDS further on of what the function returns. */
static uint32_t get_place(struct reader *r, struct span text)
{
	const struct name *name = find_name(r, text);
	uint32_t value = name ? name->value : NONE;

	if (value != NONE || r->failed)
		return value;
	value = new_values(r, (size_t)2 * MAX_OPERANDS);
	if (value == NONE)
		return NONE;
	/* Blocks are the function's own. */
	if (*text.at == '^')
		define(r, text, value);
	else
		r->names[name - r->names].value = value;
	return value;
}

/* ---- lines ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_$.-", c);
}

/* The name at `at`, behind its first character: %x, ^bb0, @f, @"f". */
static struct span take_name(const char *at, const char *end)
{
	const char *p = at + 1;

	if (p < end && *p == '"') {
		p = memchr(p + 1, '"', (size_t)(end - p - 1));
		p = p ? p + 1 : end;
	} else {
		while (p < end && is_word(*p))
			p++;
	}
	return (struct span){at, (size_t)(p - at)};
}

/* The end of a string literal that begins at `at`. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

/* Node of an operand at `at`, %x or %x#1; *next is behind it. */
static uint32_t get_value(struct reader *r, const char *at, const char *end, const char **next)
{
	const struct span text = take_name(at, end);
	const struct name *name = find_name(r, text);
	uint32_t value = name ? name->value : NONE;

	*next = text.at + text.n;
	if (*next < end && **next == '#') {
		char *behind;
		const unsigned long k = strtoul(*next + 1, &behind, 10);

		*next = behind;
		if (value != NONE && k < MAX_OPERANDS && value + k < r->n_values)
			value += (uint32_t)k;
	}
	return value;
}

/* Nodes of the values between two places, strings left out; returns their number. */
static size_t get_values(struct reader *r, const char *at, const char *end, uint32_t *list)
{
	size_t n = 0;

	while (at < end) {
		if (*at == '"')
			at = skip_string(at, end);
		else if (*at == '%' && n < MAX_OPERANDS)
			list[n++] = get_value(r, at, end, &at);
		else
			at++;
	}
	return n;
}

static const char *find(struct span line, const char *word)
{
	return memmem(line.at, line.n, word, strlen(word));
}

static bool begins(struct span line, const char *word)
{
	return line.n >= strlen(word) && memcmp(line.at, word, strlen(word)) == 0;
}

/* ---- regions ---- */

static enum asc_status open_region(struct reader *r, struct region region, struct asc_err *e)
{
	if (r->depth == MAX_DEPTH)
		return asc_err_set(e, ASC_INPUT, "more than %d regions in one another", MAX_DEPTH);
	region.hidden = r->n_hidden;
	r->regions[r->depth++] = region;
	return ASC_OK;
}

static struct region close_region(struct reader *r)
{
	const struct region region = r->regions[--r->depth];

	while (r->n_hidden > region.hidden) {
		const struct name *was = &r->hidden[--r->n_hidden];
		struct name *name = find_name(r, was->text);

		if (name)
			name->value = was->value;
	}
	return region;
}

/* Reads a function's head: the public one's pointers and descriptors are what is asked for. */
static enum asc_status read_function(struct reader *r, struct span line, struct asc_err *e)
{
	const char *const end = line.at + line.n, *at = find(line, "@");
	const bool is_kernel = find(line, " public ") != NULL;
	uint32_t first, n = 0;
	struct span name;

	if (!at || (is_kernel && r->has_kernel))
		return asc_err_set(e, ASC_INPUT, "expected one public function with a name");
	r->has_kernel |= is_kernel;
	name = take_name(at, end);
	first = get_place(r, name);
	if (first == NONE)
		return ASC_OK; /* the line's end says why */
	if (open_region(r, (struct region){REGION_FUNCTION, first + MAX_OPERANDS, NONE, NONE, 0},
			e))
		return e->status;
	for (at = name.at + name.n; n < MAX_OPERANDS; n++) {
		struct span text, type;

		while (at < end && *at != '%')
			at = *at == '"' ? skip_string(at, end) : at + 1;
		if (at >= end)
			break;
		text = take_name(at, end);
		at = text.at + text.n;
		type = (struct span){at, (size_t)(end - at)};
		define(r, text, first + n);
		if (!is_kernel || !(begins(type, ": !tt.ptr") || begins(type, ": !tt.tensordesc")))
			continue;
		if (r->out->n == TTIR_MAX_POINTERS)
			return asc_err_set(e, ASC_LIMIT, "the kernel has more than %d pointers",
					   TTIR_MAX_POINTERS);
		r->from[first + n] = UINT64_C(1) << r->out->n++;
	}
	return ASC_OK;
}

/* Opens the first region of an operation. What a loop begins with stands in pairs, %inner = %outer.
 */
static enum asc_status read_regions(struct reader *r, struct span line, uint32_t results,
				    struct asc_err *e)
{
	const char *const end = line.at + line.n, *at = line.at;
	struct region region = {REGION_OTHER, results, NONE, NONE, 0};

	if (begins(line, "scf.if"))
		region.kind = REGION_IF;
	else if (begins(line, "scf.for"))
		region.kind = REGION_FOR;
	else if (begins(line, "scf.while"))
		region.kind = REGION_BEFORE;
	if (open_region(r, region, e))
		return e->status;
	r->out->loops |= region.kind == REGION_FOR;
	if (region.kind != REGION_FOR && region.kind != REGION_BEFORE)
		return ASC_OK;
	region.arguments = new_values(r, MAX_OPERANDS);
	if (region.kind == REGION_BEFORE) {
		region.condition = new_values(r, MAX_OPERANDS);
	} else if ((at = find(line, "%"))) {
		define(r, take_name(at, end), NONE); /* the number of the round */
		at = find(line, "iter_args(");
	}
	for (uint32_t n = 0; at && n < MAX_OPERANDS && (at = memchr(at, '%', (size_t)(end - at)));
	     n++) {
		const struct span inner = take_name(at, end);
		uint32_t outer;

		at = memchr(inner.at + inner.n, '%', (size_t)(end - inner.at) - inner.n);
		if (!at)
			break;
		/* Before the inner name hides one that is the same. */
		outer = get_value(r, at, end, &at);
		define(r, inner, region.arguments + n);
		add_edge(r, outer, region.arguments + n);
		/* A loop may have no round. */
		if (region.kind == REGION_FOR && results != NONE)
			add_edge(r, outer, results + n);
	}
	region.hidden = r->regions[r->depth - 1].hidden;
	r->regions[r->depth - 1] = region;
	return ASC_OK;
}

/* A closing brace, and the region that may begin behind it: `} else {`, `} do {`, `}, {`. */
static enum asc_status read_brace(struct reader *r, struct span line, struct asc_err *e)
{
	struct region last;

	if (r->depth == 0)
		return asc_err_set(e, ASC_INPUT, "a brace that closes nothing");
	last = close_region(r);
	if (line.at[line.n - 1] != '{')
		return ASC_OK;
	if (last.kind == REGION_BEFORE)
		last.kind = REGION_DO;
	return open_region(r, last, e);
}

/* The head of a block: its names stand for what leads to it. */
static void read_block(struct reader *r, struct span line)
{
	const struct region *inner = &r->regions[r->depth - 1];
	const struct span label = take_name(line.at, line.at + line.n);
	const char *const end = line.at + line.n;
	uint32_t first, n = 0;

	if (inner->kind == REGION_FUNCTION)
		first = get_place(r, label);
	else
		first = inner->kind == REGION_DO ? inner->condition : new_values(r, MAX_OPERANDS);
	for (const char *at = label.at + label.n; at < end && n < MAX_OPERANDS && !r->failed;) {
		if (*at == '%') {
			const struct span text = take_name(at, end);

			at = text.at + text.n;
			define(r, text, first + n++);
		} else {
			at = *at == '"' ? skip_string(at, end) : at + 1;
		}
	}
}

/* ---- operations ---- */

/* Operations that do something with the memory at their first operand; the rest do nothing to any.
 */
static const struct {
	const char *name;
	unsigned what;
} memory[] = {{"tt.load", TTIR_LOADS},
	      {"tt.descriptor_load", TTIR_LOADS},
	      {"tt.descriptor_gather", TTIR_LOADS},
	      {"tt.experimental_descriptor_load", TTIR_LOADS},
	      {"tt.experimental_descriptor_gather", TTIR_LOADS},
	      {"tt.store", TTIR_STORES},
	      {"tt.descriptor_store", TTIR_STORES},
	      {"tt.descriptor_scatter", TTIR_STORES},
	      {"tt.experimental_descriptor_store", TTIR_STORES},
	      {"tt.experimental_descriptor_scatter", TTIR_STORES},
	      {"tt.descriptor_reduce", TTIR_UPDATES},
	      {"tt.atomic_rmw", TTIR_UPDATES},
	      {"tt.atomic_cas", TTIR_UPDATES}};

static bool is_called(struct span line, const char *name)
{
	return begins(line, name) && (line.n == strlen(name) || !is_word(line.at[strlen(name)]));
}

/* Passes values on to the node `to` and those that follow. */
static void pass(struct reader *r, const uint32_t *list, size_t n, uint32_t to)
{
	for (size_t i = 0; i < n && to != NONE; i++)
		add_edge(r, list[i], to + (uint32_t)i);
}

/* What leaves a region, or a block of a function. False: the operation is none that does. */
static bool read_leaving(struct reader *r, struct span line, const uint32_t *list, size_t n)
{
	const struct region *inner = &r->regions[r->depth - 1], *function = inner;
	const char *const end = line.at + line.n;

	if (is_called(line, "scf.yield")) {
		if (inner->kind == REGION_FOR || inner->kind == REGION_DO)
			pass(r, list, n, inner->arguments);
		if (inner->kind == REGION_FOR || inner->kind == REGION_IF)
			pass(r, list, n, inner->results);
	} else if (is_called(line, "scf.condition") && n > 0) {
		pass(r, list + 1, n - 1, inner->condition);
		pass(r, list + 1, n - 1, inner->results);
	} else if (is_called(line, "tt.return")) {
		while (function > r->regions && function->kind != REGION_FUNCTION)
			function--;
		pass(r, list, n, function->results);
	} else if (is_called(line, "cf.br") || is_called(line, "cf.cond_br")) {
		for (const char *at = line.at; (at = memchr(at, '^', (size_t)(end - at)));) {
			const struct span label = take_name(at, end);
			const uint32_t place = get_place(r, label);
			const char *close = NULL;

			at = label.at + label.n;
			if (at < end && *at == '(')
				close = memchr(at, ')', (size_t)(end - at));
			/* At most as many as the line has, which fitted the list. */
			if (close) {
				uint32_t to[MAX_OPERANDS];

				pass(r, to, get_values(r, at, close, to), place);
			}
		}
	} else {
		return false;
	}
	return true;
}

static void read_operation(struct reader *r, struct span line, uint32_t results, size_t n_results)
{
	uint32_t list[MAX_OPERANDS];
	const size_t n = get_values(r, line.at, line.at + line.n, list);

	if (r->depth == 0 || read_leaving(r, line, list, n))
		return;
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
		if (is_called(line, memory[i].name)) {
			if (n > 0 && list[0] != NONE)
				add_use(r, list[0], memory[i].what);
			return; /* what is read comes from no argument */
		}
	if (is_called(line, "tt.call")) {
		const char *at = find(line, "@");
		const uint32_t place = at ? get_place(r, take_name(at, line.at + line.n)) : NONE;

		pass(r, list, n, place);
		for (size_t i = 0; i < n_results && i < MAX_OPERANDS && place != NONE; i++)
			add_edge(r, place + MAX_OPERANDS + (uint32_t)i, results + (uint32_t)i);
		return;
	}
	/* The assembler's text of the user may do either. */
	if (is_called(line, "tt.elementwise_inline_asm"))
		for (size_t i = 0; i < n; i++)
			if (list[i] != NONE)
				add_use(r, list[i], TTIR_LOADS | TTIR_STORES);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_results; k++)
			add_edge(r, list[i], results + (uint32_t)k);
}

/* The names that a line gives to its results, `%a, %b:2 = `; *line begins behind them afterwards.
 */
static void read_results(struct span *line, struct span *names, size_t *counts, size_t *n)
{
	const char *const end = line->at + line->n, *at = line->at;

	*n = 0;
	while (at < end && *at == '%' && *n < MAX_RESULTS) {
		char *behind;

		names[*n] = take_name(at, end);
		at = names[*n].at + names[*n].n;
		counts[*n] = 1;
		if (at < end && *at == ':') {
			counts[*n] = strtoul(at + 1, &behind, 10);
			at = behind;
		}
		if (counts[*n] > MAX_OPERANDS)
			counts[*n] = MAX_OPERANDS;
		(*n)++;
		while (at < end && (*at == ',' || *at == ' '))
			at++;
	}
	if (*n > 0 && at + 1 < end && *at == '=') {
		line->n -= (size_t)(at + 2 - line->at);
		line->at = at + 2;
	}
}

/* One line: nothing, a brace, the head of a function or block, or an operation. */
static enum asc_status read_line(struct reader *r, struct span line, struct asc_err *e)
{
	struct span names[MAX_RESULTS];
	size_t counts[MAX_RESULTS], n = 0, n_results = 0;
	uint32_t results = NONE;

	while (line.n > 0 && isspace((unsigned char)*line.at))
		line.at++, line.n--;
	/* Places in the source are named at the end of a line, and may have any text. */
	for (const char *loc; (loc = find(line, " loc(")) && line.at[line.n - 1] == ')' &&
			      !memchr(loc, '%', (size_t)(line.at + line.n - loc));)
		line.n = (size_t)(loc - line.at);
	while (line.n > 0 && isspace((unsigned char)line.at[line.n - 1]))
		line.n--;
	if (line.n == 0 || *line.at == '#')
		return ASC_OK;
	if (*line.at == '}')
		return read_brace(r, line, e);
	if (begins(line, "tt.func"))
		return read_function(r, line, e);
	if (*line.at == '^') {
		if (r->depth > 0)
			read_block(r, line);
		return ASC_OK;
	}
	read_results(&line, names, counts, &n);
	for (size_t i = 0; i < n; i++)
		n_results += counts[i];
	if (n > 0)
		results = new_values(r, n_results);
	for (size_t i = 0, at = 0; i < n && !r->failed; at += counts[i++])
		/* One that stands for no result has no node. */
		define(r, names[i], counts[i] > 0 ? results + (uint32_t)at : NONE);
	if (line.n > 0 && line.at[line.n - 1] == '{')
		return read_regions(r, line, results, e);
	read_operation(r, line, results, n_results);
	return ASC_OK;
}

/* ---- the whole ---- */

/* Moves sets along the edges until none changes. */
static enum asc_status flow(struct reader *r, struct asc_err *e)
{
	bool changed = true;

	for (int pass = 0; changed; pass++) {
		changed = false;
		/* Lines mostly lead down, so that one pass carries a set far. */
		for (size_t i = 0; i < r->n_edges; i++) {
			const uint64_t set = r->from[r->edges[i].from];
			uint64_t *to = &r->from[r->edges[i].to];

			changed |= (*to | set) != *to;
			*to |= set;
		}
		if (pass == MAX_PASSES)
			return asc_err_set(e, ASC_INPUT, "its flow does not settle");
	}
	return ASC_OK;
}

enum asc_status ttir_read_roles(const char *text, size_t len, struct ttir_roles *out,
				struct asc_err *e)
{
	struct reader r = {.out = out};
	const char *const end = text + len;
	enum asc_status s = ASC_OK;

	*out = (struct ttir_roles){0};
	for (const char *at = text; at < end && s == ASC_OK;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		stop = stop ? stop : end;
		s = read_line(&r, (struct span){at, (size_t)(stop - at)}, e);
		at = stop + 1;
		if (s == ASC_OK && r.failed)
			s = asc_err_nomem(e);
		if (s == ASC_OK && r.large)
			s = asc_err_set(e, ASC_LIMIT,
					"more than %d values, or %d ways between them", MAX_VALUES,
					MAX_EDGES);
	}
	if (s == ASC_OK && (!r.has_kernel || r.depth != 0))
		s = asc_err_set(e, ASC_INPUT, "expected a whole module with a public function");
	if (s == ASC_OK)
		s = flow(&r, e);
	for (size_t i = 0; i < r.n_uses && s == ASC_OK; i++) {
		const uint64_t set = r.from[r.uses[i].value];

		out->follows_data |= set == 0;
		for (size_t k = 0; k < out->n; k++)
			if (set >> k & 1)
				out->uses[k] |= r.uses[i].what;
	}
	free(r.from);
	free(r.edges);
	free(r.uses);
	free(r.names);
	free(r.hidden);
	intern_fini(&r.table);
	return s;
}
