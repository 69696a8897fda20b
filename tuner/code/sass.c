#include "tuner/code/sass.h"

#include <string.h>

#include "tuner/base/buf.h"

static const struct sass_opcode unknown = {.mnemonic = "", .class = CODE_UNKNOWN};

/* How much a row says of a capability: a generation has its encodings in common, 86 those of 80.
 * Others mostly agree with it. */
enum rank { RANK_NONE, RANK_OTHER, RANK_BESIDE, RANK_HERE };

static enum rank find_rank(const struct sass_opcode *row, int capability)
{
	enum rank best = RANK_OTHER;

	for (const uint8_t *c = row->capabilities; *c; c++) {
		if (*c == capability)
			return RANK_HERE;
		if (*c / 10 == capability / 10)
			best = RANK_BESIDE;
	}
	return best;
}

bool sass_table_init(struct sass_table *t, int capability)
{
	uint8_t ranks[SASS_ENCODINGS] = {RANK_NONE};
	bool known = false;

	t->capability = capability;
	for (size_t i = 0; i < SASS_ENCODINGS; i++)
		t->opcodes[i] = &unknown;
	for (size_t i = 0; i < sass_n_opcodes; i++)
		known = known || find_rank(&sass_opcodes[i], capability) > RANK_OTHER;
	for (size_t i = 0; i < sass_n_opcodes && known; i++) {
		const struct sass_opcode *row = &sass_opcodes[i];
		const enum rank rank = find_rank(row, capability);
		uint8_t *so_far = &ranks[row->encoding];

		/* Where an encoding is one instruction in some generations and another one in
		 * others, neither row says what it is in a further one. */
		if (rank > *so_far)
			t->opcodes[row->encoding] = row;
		else if (rank == RANK_OTHER && *so_far == RANK_OTHER)
			t->opcodes[row->encoding] = &unknown;
		*so_far = rank > *so_far ? (uint8_t)rank : *so_far;
	}
	return known;
}

const struct sass_opcode *sass_find(const struct sass_table *t, const uint64_t words[2])
{
	return t->opcodes[words[0] & (SASS_ENCODINGS - 1)];
}

/* Where control goes from an instruction. CALL comes back, and threads of a warp that meet again
 * (BSYNC) go on behind it: the next instruction follows both. */
enum flow { FLOW_NEXT, FLOW_BRANCH, FLOW_END };

bool sass_is_indirect(const struct sass_opcode *o)
{
	static const char *const indirect[] = {"BRX", "BRXU", "JMP", "JMX", "JMXU", NULL};

	return o->class == CODE_CONTROL && str_is_in(o->mnemonic, indirect);
}

static enum flow find_flow(const struct sass_opcode *o)
{
	static const char *const ends[] = {"EXIT", "RET", "KILL", NULL};

	if (o->class != CODE_CONTROL)
		return FLOW_NEXT;
	if (strcmp(o->mnemonic, "BRA") == 0)
		return FLOW_BRANCH;
	return str_is_in(o->mnemonic, ends) || sass_is_indirect(o) ? FLOW_END : FLOW_NEXT;
}

/* Bits `low` to `high` of an instruction, of one word, as a signed number. */
static int64_t signed_bits(uint64_t word, unsigned low, unsigned high)
{
	return (int64_t)(word << (63 - high)) >> (63 - high + low);
}

/* The distance of a branch, in bytes from the instruction behind it. The places of its bits were
 * found by comparison with the labels of nvdisasm 13.5. */
static int64_t branch_bytes(const struct sass_table *t, const uint64_t words[2])
{
	if (t->capability < 90) { /* bits 32 to 81 */
		const uint64_t low = words[0] >> 32;

		return (int64_t)((uint64_t)signed_bits(words[1], 0, 17) << 32 | low);
	}
	/* Bits 16 to 23, and 34 to 63 above these; in instructions of 4 bytes. */
	return 4 *
	       (int64_t)((uint64_t)signed_bits(words[0], 34, 63) << 8 | (words[0] >> 16 & 0xff));
}

/* True for an instruction that all threads carry out: bits 12 to 15 are its predicate, and a branch
 * has another one in bits 87 to 90. 7 is the one that always holds. */
static bool is_always(const struct sass_opcode *o, const uint64_t words[2])
{
	if ((words[0] >> 12 & 0xf) != 7)
		return false;
	if (find_flow(o) != FLOW_BRANCH)
		return true;
	/* 0x547, by a predicate of the whole warp, has its place elsewhere. */
	return o->encoding == 0x947 && (words[1] >> 23 & 0xf) == 7;
}

void sass_follow(const struct sass_table *t, const uint64_t words[2], int64_t i,
		 struct code_step *out)
{
	const struct sass_opcode *o = sass_find(t, words);
	const enum flow flow = find_flow(o);

	*out = (struct code_step){.target = -1, .next = flow == FLOW_NEXT || !is_always(o, words)};
	if (flow != FLOW_BRANCH)
		return;
	const int64_t bytes = branch_bytes(t, words);

	if (bytes % SASS_BYTES == 0)
		out->target = i + 1 + bytes / SASS_BYTES;
}
