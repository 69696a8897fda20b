#include "tuner/code/object_code.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/code/code_listing.h"
#include "tuner/code/code_loops.h"
#include "tuner/code/elf_file.h"
#include "tuner/code/object_instruction.h"

enum { CHAIN_LINES = 2000 }; /* a longer loop waits for more than one load */

int object_machine(const void *data, size_t n)
{
	const int machine = elf_machine(data, n);

	return machine == EM_X86_64 || machine == EM_AARCH64 ? machine : 0;
}

/* Finds the line at an address; -1: there is none. */
static int64_t find_line(const struct code_line *lines, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lines[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && lines[low].address == address ? (int64_t)low : -1;
}

/* ---- loads that wait for themselves ---- */

/* A line's facts beside its class. */
struct uses {
	uint64_t reads, writes, addresses; /* sets of general registers, a bit each */
	int64_t width_bits;                /* of vector registers; 0: none */
	bool memory, call;
};

/* The register that a name is, or is a part of: %eax of %rax, w3 of x3; -1: no general one. */
static int find_register(int machine, const char *name, size_t n)
{
	static const char *const old[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	static const char *const low[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};

	if (machine == EM_AARCH64 && n > 1 && (*name == 'x' || *name == 'w') &&
	    isdigit((unsigned char)name[1])) {
		const long number = strtol(name + 1, NULL, 10);

		return number < 31 ? (int)number : -1;
	}
	if (machine != EM_X86_64)
		return -1;
	if (n > 1 && *name == 'r' && isdigit((unsigned char)name[1]))
		return (int)(strtol(name + 1, NULL, 10) & 15);
	for (int i = 0; i < 8; i++) {
		const bool wide = n == 3 && (*name == 'r' || *name == 'e');

		if ((n == strlen(low[i]) && memcmp(name, low[i], n) == 0) ||
		    (n == 2 && memcmp(name, old[i], 2) == 0) ||
		    (wide && memcmp(name + 1, old[i], 2) == 0))
			return i;
	}
	return -1;
}

static uint64_t find_registers(int machine, const struct object_operand *o)
{
	uint64_t set = 0;

	for (size_t i = 0; i < o->n;) {
		size_t n = 0;

		while (i + n < o->n && isalnum((unsigned char)o->text[i + n]))
			n++;
		const int r = n ? find_register(machine, o->text + i, n) : -1;

		if (r >= 0)
			set |= UINT64_C(1) << r;
		i += n ? n : 1;
	}
	return set;
}

static void find_uses(int machine, const struct object_instruction *p, struct uses *out)
{
	const bool x86 = machine == EM_X86_64;
	const size_t written =
		object_is_any(p->word, "cmp test ucomi comi push j cb tb st") || p->n == 0
			? OBJECT_MAX_OPERANDS
		: x86 ? p->n - 1
		      : 0;
	/* Two-operand arithmetic of x86 reads what it writes. */
	const bool reads_too = x86 && p->n < 3 && !object_is_any(p->word, "mov lea pop set cvt ld");
	uint64_t first = 0;

	*out = (struct uses){0};
	for (size_t i = 0; i < p->n; i++) {
		const uint64_t set = find_registers(machine, &p->operands[i]);

		if (p->operands[i].memory)
			out->addresses |= set;
		else if (i == written || (!x86 && i == 1 && object_is_any(p->word, "ldp")))
			out->writes |= set;
		if (p->operands[i].memory || i != written || reads_too)
			out->reads |= set;
		first = i == 0 ? set : first;
	}
	/* xor %eax,%eax is a way to write 0. */
	if (x86 && p->n == 2 && object_is_any(p->word, "xor") && first == out->writes)
		out->reads = 0;
}

/* Counts the loads of a loop, lines from `begin` to `end`, whose address depends on what they
 * loaded the time before. Branches within are taken for granted: all lines run, in their order. */
static int64_t count_chained(const struct code_line *lines, size_t begin, size_t end,
			     const struct uses *uses)
{
	const size_t n = end - begin;
	int64_t chained = 0;

	for (size_t load = begin; load < end; load++) {
		uint64_t of_it = uses[load].writes;

		if (lines[load].is.loop != lines[begin].is.loop || !uses[load].addresses || !of_it)
			continue;
		for (size_t k = 1; k < n && of_it; k++) {
			const size_t i = begin + (load - begin + k) % n;

			if (lines[i].is.loop != lines[begin].is.loop)
				continue;
			if (uses[i].reads & of_it)
				of_it |= uses[i].writes;
			else
				of_it &= ~uses[i].writes;
		}
		chained += (uses[load].addresses & of_it) != 0;
	}
	return chained;
}

/* One innermost loop: its lines, and how many of them are of a class. */
struct loop_lines {
	size_t begin, last;
	int64_t vector, scalar, control;
};

enum { REST_JUMPS = 4 /* jumps of a loop that is no mere loop; of others one or two */ };

/* Counts what concerns loops as a whole: loads that wait for themselves, and arithmetic on what
 * loops of vectors leave over. */
static enum asc_status count_loops(const struct code_line *lines, size_t n, const struct uses *uses,
				   struct code_counts *out, struct asc_err *e)
{
	struct loop_lines *loops = calloc((size_t)out->loops + 1, sizeof *loops);
	bool wide = false; /* there is a loop of vectors */
	uint32_t seen = 0;

	if (!loops)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		struct loop_lines *l = &loops[lines[i].is.loop];

		if (lines[i].is.loop > seen) /* they are numbered in their order */
			l->begin = i;
		seen = lines[i].is.loop > seen ? lines[i].is.loop : seen;
		l->last = i;
		l->vector += lines[i].is.class == CODE_VECTOR;
		l->scalar += lines[i].is.class == CODE_SCALAR;
		l->control += lines[i].is.class == CODE_CONTROL;
	}
	for (const struct loop_lines *l = loops + 1; l <= loops + out->loops; l++) {
		if (l->last - l->begin < CHAIN_LINES)
			out->loop_chained += count_chained(lines, l->begin, l->last + 1, uses);
		wide |= l->vector > 0 && l->vector >= l->scalar;
	}
	/* The last elements are done in a loop without vectors, or one by one with a jump behind
	 * each. */
	for (const struct loop_lines *l = loops + 1; l <= loops + out->loops && wide; l++)
		if (l->vector == 0 || l->control > REST_JUMPS)
			out->loop_rest += l->scalar;
	free(loops);
	return ASC_OK;
}

/* ---- all of them ---- */

/* Finds what a line is, but for its loop. */
static void examine(int machine, struct code_line *lines, size_t n, size_t i,
		    struct code_step *step, struct uses *uses, int64_t *jumps)
{
	struct object_instruction p;
	uint64_t address;

	object_parse(machine, lines[i].text, &p);
	step->target = -1;
	if (object_follow(machine, &p, step)) {
		if (object_read_target(&p, &address))
			step->target = find_line(lines, n, address);
		else
			++*jumps;
	}
	lines[i].is = (struct code_instruction){.class = (uint8_t)object_classify(machine, &p)};
	find_uses(machine, &p, uses);
	const enum code_class class = (enum code_class)lines[i].is.class;
	const bool lea = object_is_any(p.word, "lea");

	if (class == CODE_VECTOR)
		uses->width_bits = object_width_bits(&p);
	uses->memory = object_has_memory(&p) && !lea && class != CODE_NONE && class != CODE_CONTROL;
	uses->call = object_is_any(p.word, machine == EM_X86_64 ? "call" : "bl");
	/* Only loads have an address that is waited for. */
	if (class == CODE_STORE || lea)
		uses->addresses = 0;
}

enum asc_status object_decode(int machine, struct code_line *lines, size_t n,
			      struct code_counts *out, struct asc_err *e)
{
	struct code_step *steps = calloc(n + 1, sizeof *steps);
	uint32_t *loop_of = calloc(n + 1, sizeof *loop_of);
	struct uses *uses = calloc(n + 1, sizeof *uses);
	size_t n_loops;
	enum asc_status s = steps && loop_of && uses ? ASC_OK : asc_err_nomem(e);

	*out = (struct code_counts){.kind = CODE_CPU,
				    .known = true,
				    .registers = -1,
				    .stack_bytes = -1,
				    .shared_bytes = -1,
				    .bytes = -1,
				    .spills = -1,
				    .loop_spills = -1};
	for (size_t i = 0; i < n && s == ASC_OK; i++)
		examine(machine, lines, n, i, &steps[i], &uses[i], &out->jumps);
	if (s == ASC_OK)
		s = code_loops_find(steps, n, loop_of, &n_loops, e);
	for (size_t i = 0; i < n && s == ASC_OK; i++) {
		lines[i].is.loop = loop_of[i];
		if (loop_of[i] && uses[i].width_bits > out->width_bits)
			out->width_bits = uses[i].width_bits;
		out->loop_memory += loop_of[i] && uses[i].memory;
		out->loop_calls += loop_of[i] && uses[i].call;
		code_counts_add(out, &lines[i].is);
	}
	if (s == ASC_OK)
		s = count_loops(lines, n, uses, out, e);
	free(steps);
	free(loop_of);
	free(uses);
	return s;
}
