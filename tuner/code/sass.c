#include "tuner/code/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mnemonics that end a run of instructions. CALL comes back, and threads of a warp that meet again
 * (BSYNC) go on behind it: the next instruction follows both. */
static const struct {
	const char *mnemonic;
	enum sass_flow flow;
} flows[] = {{"BRA", SASS_BRANCH}, {"EXIT", SASS_END}, {"RET", SASS_END},
	     {"KILL", SASS_END},   {"BRX", SASS_JUMP}, {"BRXU", SASS_JUMP},
	     {"JMP", SASS_JUMP},   {"JMX", SASS_JUMP}, {"JMXU", SASS_JUMP}};

/* One line of the text: encoding, mnemonic, class, capabilities. */
struct row {
	unsigned encoding;
	struct sass_opcode opcode;
	bool here;   /* seen at the capability itself */
	bool beside; /* seen at one of its generation: 86 beside 80 */
};

static const char *read_row(const char *line, int capability, struct row *out)
{
	char class[32];
	int used = 0;
	enum code_class found = CODE_UNKNOWN;

	*out = (struct row){.encoding = SASS_OPCODES};
	if (sscanf(line, "%x %15s %31s%n", &out->encoding, out->opcode.mnemonic, class, &used) == 3)
		(void)code_class_parse(class, strlen(class), &found);
	out->opcode.class = (uint8_t)found;
	for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
		if (strcmp(flows[i].mnemonic, out->opcode.mnemonic) == 0)
			out->opcode.flow = (uint8_t)flows[i].flow;
	for (line += used; *line && *line != '\n';) {
		char *end;
		const long seen = strtol(line, &end, 10);

		out->here = out->here || seen == capability;
		out->beside = out->beside || seen / 10 == capability / 10;
		if (end == line)
			break;
		line = end;
	}
	return strchrnul(line, '\n');
}

bool sass_table_init(struct sass_table *t, int capability)
{
	bool known = false;
	uint8_t rank[SASS_OPCODES] = {0};

	memset(t, 0, sizeof *t);
	t->capability = capability;
	for (size_t i = 0; i < SASS_OPCODES; i++)
		t->opcodes[i].class = CODE_UNKNOWN;
	for (const char *line = sass_opcodes; *line; line += *line == '\n') {
		struct row r;

		if (*line == '#') {
			line = strchrnul(line, '\n');
			continue;
		}
		line = read_row(line, capability, &r);
		known = known || r.beside;
		/* An encoding seldom means something else in another generation; where it does, the
		 * row of this capability goes before one of its generation, and that before others:
		 * of these two rows know nothing of it. */
		const uint8_t here = r.here ? 3 : r.beside ? 2 : 1;

		if (r.encoding >= SASS_OPCODES || here < rank[r.encoding])
			continue;
		if (here == 1 && rank[r.encoding] == 1) {
			t->opcodes[r.encoding] = (struct sass_opcode){.class = CODE_UNKNOWN};
			continue;
		}
		t->opcodes[r.encoding] = r.opcode;
		rank[r.encoding] = here;
	}
	for (size_t i = 0; i < SASS_OPCODES && !known; i++)
		t->opcodes[i] = (struct sass_opcode){.class = CODE_UNKNOWN};
	return known;
}

const struct sass_opcode *sass_find(const struct sass_table *t, const uint64_t words[2])
{
	return &t->opcodes[words[0] & (SASS_OPCODES - 1)];
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
	/* 0x547, by a predicate of the whole warp, has its place elsewhere. */
	if (o->flow == SASS_BRANCH && (words[0] & 0xfff) != 0x947)
		return false;
	return o->flow != SASS_BRANCH || (words[1] >> 23 & 0xf) == 7;
}

void sass_follow(const struct sass_table *t, const uint64_t words[2], int64_t i,
		 struct code_step *out)
{
	const struct sass_opcode *o = sass_find(t, words);

	*out = (struct code_step){.target = -1,
				  .next = o->flow == SASS_NEXT || !is_always(o, words)};
	if (o->flow != SASS_BRANCH)
		return;
	const int64_t bytes = branch_bytes(t, words);

	if (bytes % SASS_BYTES == 0)
		out->target = i + 1 + bytes / SASS_BYTES;
}
