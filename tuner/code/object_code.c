#include "tuner/code/object_code.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/code_loops.h"

enum {
	WORD_SIZE = 24,
	MAX_OPERANDS = 6,
	CHAIN_LINES = 2000 /* a longer loop waits for more than one load */
};

int object_machine(const void *data, size_t n)
{
	Elf64_Ehdr head;

	if (n < sizeof head)
		return 0;
	memcpy(&head, data, sizeof head);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	return head.e_machine == EM_X86_64 || head.e_machine == EM_AARCH64 ? head.e_machine : 0;
}

/* ---- one instruction, taken apart ---- */

struct operand {
	const char *text; /* not ended: */
	size_t n;
	bool memory;
};

struct parsed {
	char word[WORD_SIZE]; /* mnemonic, without prefixes and x86's v of AVX */
	bool locked;
	struct operand operands[MAX_OPERANDS];
	size_t n;
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
	const size_t n = strlen(text), m = strlen(with);

	return n >= m && strcmp(text + n - m, with) == 0;
}

/* True where a text begins with one of a NULL-terminated list. */
static bool begins_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (begins(text, *list))
			return true;
	return false;
}

/* True where an operand has one of a NULL-terminated list of texts within. */
static bool has_any(const struct operand *o, const char *const *list)
{
	for (; *list; list++)
		if (memmem(o->text, o->n, *list, strlen(*list)))
			return true;
	return false;
}

/* Splits at commas outside of brackets, up to a comment or the name of a target. */
static void split_operands(const char *text, struct parsed *out)
{
	int depth = 0;
	const char *begin = text;

	for (;; text++) {
		const bool end = !*text || *text == '#' || begins(text, "//") || *text == '<';

		depth += *text == '(' || *text == '[' || *text == '{';
		depth -= *text == ')' || *text == ']' || *text == '}';
		if (!end && (*text != ',' || depth > 0))
			continue;
		while (begin < text && isspace((unsigned char)*begin))
			begin++;
		size_t n = (size_t)(text - begin);

		while (n > 0 && isspace((unsigned char)begin[n - 1]))
			n--;
		if (n > 0 && out->n < MAX_OPERANDS)
			out->operands[out->n++] = (struct operand){
				begin, n, memchr(begin, '(', n) || memchr(begin, '[', n)};
		if (end)
			return;
		begin = text + 1;
	}
}

static void parse(int machine, const char *text, struct parsed *out)
{
	static const char *const prefixes[] = {
		"lock", "rep",     "repz", "repnz", "repe", "repne",  "bnd",    "cs",    "ds",
		"es",   "notrack", "ss",   "fs",    "gs",   "data16", "addr32", "rex.W", NULL};
	size_t n;

	*out = (struct parsed){0};
	for (;;) {
		text += strspn(text, " \t");
		n = strcspn(text, " \t");
		(void)memcpy(out->word, text, n < WORD_SIZE ? n : WORD_SIZE - 1);
		out->word[n < WORD_SIZE ? n : WORD_SIZE - 1] = '\0';
		text += n;
		if (machine != EM_X86_64 || !str_is_in(out->word, prefixes))
			break;
		out->locked = out->locked || strcmp(out->word, "lock") == 0;
	}
	if (machine == EM_X86_64 && *out->word == 'v' && !begins(out->word, "ver"))
		memmove(out->word, out->word + 1, strlen(out->word));
	split_operands(text, out);
}

static const struct operand *last(const struct parsed *p)
{
	return &p->operands[p->n > 0 ? p->n - 1 : 0];
}

static bool has_memory(const struct parsed *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->operands[i].memory)
			return true;
	return false;
}

static bool has_operand(const struct parsed *p, const char *const *list)
{
	for (size_t i = 0; i < p->n; i++)
		if (has_any(&p->operands[i], list))
			return true;
	return false;
}

/* ---- x86-64, in the order of AT&T: the last operand is written ---- */

static enum code_class classify_x86(const struct parsed *p)
{
	static const char *const control[] = {"j",     "call", "ret", "loop", "leave",   "endbr",
					      "enter", "ud",   "hlt", "int3", "syscall", NULL};
	static const char *const fences[] = {"mfence",  "lfence", "sfence", "pause",
					     "cmpxchg", "xadd",   NULL};
	static const char *const shuffles[] = {
		"shuf",       "unpck",    "perm",   "broadcast", "insert",    "extract",
		"movddup",    "movshdup", "movsl",  "movlh",     "movhl",     "align",
		"expand",     "compress", "pshuf",  "punpck",    "pack",      "palign",
		"pbroadcast", "pinsr",    "pextr",  "pblend",    "blend",     "pmovmsk",
		"movmsk",     "pslldq",   "psrldq", "pexpand",   "pcompress", NULL};
	static const char *const vectors[] = {"%xmm", "%ymm", "%zmm", NULL};
	static const char *const packed[] = {"ps", "pd", "ph", "bf16", NULL};
	static const char *const single[] = {"ss", "sd", "sh", NULL};
	static const char *const integers[] = {"popcnt", "pext", "pdep", "adc", "sbb", NULL};
	const char *w = p->word;
	const bool wide = has_operand(p, vectors);

	if (strcmp(w, "(bad)") == 0 || *w == '.' || !*w)
		return CODE_UNKNOWN;
	if (p->locked || begins_any(w, fences) || (begins(w, "xchg") && has_memory(p)))
		return CODE_SYNCHRONISE;
	if (begins(w, "nop") || begins(w, "zero") || begins(w, "xchg"))
		return CODE_NONE;
	if (begins_any(w, control))
		return CODE_CONTROL;
	if (begins(w, "prefetch") || begins(w, "gather") || begins(w, "pgather") ||
	    begins(w, "lddqu"))
		return CODE_LOAD;
	if (begins(w, "scatter") || begins(w, "pscatter") || begins(w, "stos"))
		return CODE_STORE;
	if (begins(w, "maskmov") || begins(w, "pmaskmov"))
		return last(p)->memory ? CODE_STORE : CODE_LOAD;
	if (begins(w, "push"))
		return CODE_STORE;
	if (begins(w, "pop") && !begins(w, "popcnt"))
		return CODE_LOAD;
	if (begins(w, "cvt") || (wide && begins(w, "pmov") && !begins(w, "pmovmsk")))
		return CODE_CONVERT;
	/* One number to all places: a load, where it comes from memory. */
	if (wide && (begins(w, "broadcast") || begins(w, "pbroadcast") || begins(w, "movddup")) &&
	    has_memory(p))
		return CODE_LOAD;
	if (wide && begins_any(w, shuffles))
		return last(p)->memory ? CODE_STORE : CODE_SHUFFLE;
	if (begins(w, "mov") || begins(w, "lods"))
		return last(p)->memory ? CODE_STORE : has_memory(p) ? CODE_LOAD : CODE_INTEGER;
	if (begins(w, "tdp"))
		return CODE_VECTOR;
	if (wide && *w == 'p' && !begins_any(w, integers))
		return CODE_VECTOR;
	for (size_t i = 0; packed[i] && wide; i++)
		if (ends(w, packed[i]))
			return CODE_VECTOR;
	for (size_t i = 0; single[i] && wide; i++)
		if (ends(w, single[i]))
			return CODE_SCALAR;
	/* x87, for long double. */
	if (*w == 'f')
		return begins(w, "fld") && has_memory(p)   ? CODE_LOAD
		       : begins(w, "fst") && has_memory(p) ? CODE_STORE
							   : CODE_SCALAR;
	return CODE_INTEGER;
}

static bool follow_x86(const struct parsed *p, struct code_step *out)
{
	const char *w = p->word;
	const bool jumps = *w == 'j' || begins(w, "loop");
	const bool always = begins(w, "jmp");

	out->next = !(always || begins(w, "ret") || begins(w, "ud") || strcmp(w, "hlt") == 0);
	return jumps;
}

/* ---- aarch64: the first operand is written, unless it is stored ---- */

static enum code_class classify_arm(const struct parsed *p)
{
	static const char *const control[] = {"cbz", "cbnz", "tbz", "tbnz", "bl", "br",
					      "ret", "b.",   "svc", "brk",  NULL};
	static const char *const fences[] = {"dmb", "dsb",   "isb",  "yield", "ldx",
					     "stx", "ldax",  "stlx", "cas",   "ldadd",
					     "swp", "ldset", NULL};
	static const char *const nothing[] = {"nop", "hint", "bti", "paci", "auti", "udf", NULL};
	static const char *const converts[] = {"fcvt", "scvtf", "ucvtf", "sxtl",  "uxtl",
					       "xtn",  "sshll", "ushll", "fjcvt", NULL};
	static const char *const shuffles[] = {"dup", "ext", "zip",  "uzp",  "trn",    "tbl", "tbx",
					       "ins", "rev", "umov", "smov", "splice", NULL};
	static const char *const vectors[] = {".4s", ".2d", ".8h", ".16b", ".2s", ".4h",
					      ".8b", ".s",  ".d",  ".h",   ".b",  NULL};
	const char *w = p->word;
	const bool wide = has_operand(p, vectors);

	if (*w == '.' || !*w)
		return CODE_UNKNOWN;
	if (begins_any(w, nothing))
		return CODE_NONE;
	if (begins_any(w, fences))
		return CODE_SYNCHRONISE;
	if (strcmp(w, "b") == 0 || begins_any(w, control))
		return CODE_CONTROL;
	if (begins(w, "ld") || begins(w, "prfm"))
		return CODE_LOAD;
	if (begins(w, "st"))
		return CODE_STORE;
	if (begins_any(w, converts))
		return CODE_CONVERT;
	if (begins(w, "fmov"))
		return CODE_INTEGER;
	if (wide && begins_any(w, shuffles))
		return CODE_SHUFFLE;
	if (wide && begins(w, "mov"))
		return CODE_SHUFFLE;
	if (wide)
		return CODE_VECTOR;
	return *w == 'f' ? CODE_SCALAR : CODE_INTEGER;
}

static bool follow_arm(const struct parsed *p, struct code_step *out)
{
	static const char *const maybe[] = {"b.", "cbz", "cbnz", "tbz", "tbnz", NULL};
	const char *w = p->word;
	const bool always = strcmp(w, "b") == 0;

	out->next = !(always || strcmp(w, "br") == 0 || begins(w, "ret") || begins(w, "udf"));
	return always || begins_any(w, maybe);
}

/* ---- both ---- */

/* The width of an instruction's vector registers, in bits; 0: it has none, or SVE's, whose width
 * the processor decides. */
static int64_t find_width(const struct parsed *p)
{
	static const struct {
		const char *const names[5];
		int64_t bits;
	} widths[] = {{{"%zmm", NULL}, 512},
		      {{"%ymm", NULL}, 256},
		      {{"%xmm", NULL}, 128},
		      {{".4s", ".2d", ".8h", ".16b", NULL}, 128},
		      {{".2s", ".4h", ".8b", NULL}, 64}};

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		if (has_operand(p, widths[i].names))
			return widths[i].bits;
	return 0;
}

/* Address that the last operand names; false: it is none. */
static bool read_target(const struct parsed *p, uint64_t *address)
{
	char text[WORD_SIZE], *end;
	const struct operand *o = last(p);

	if (p->n == 0 || o->n >= sizeof text || !isxdigit((unsigned char)*o->text))
		return false;
	memcpy(text, o->text, o->n);
	text[o->n] = '\0';
	*address = strtoull(text, &end, 16);
	return *end == '\0';
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

/* What is kept of a line beside its class. */
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

static uint64_t find_registers(int machine, const struct operand *o)
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

static void find_uses(int machine, const struct parsed *p, struct uses *out)
{
	static const char *const none[] = {"cmp", "test", "ucomi", "comi", "push",
					   "j",   "cb",   "tb",    "st",   NULL};
	static const char *const only[] = {"mov", "lea", "pop", "set", "cvt", "ld", NULL};
	const bool x86 = machine == EM_X86_64;
	const size_t written = begins_any(p->word, none) || p->n == 0 ? MAX_OPERANDS
			       : x86                                  ? p->n - 1
								      : 0;
	/* Two-operand arithmetic of x86 reads what it writes. */
	const bool reads_too = x86 && p->n < 3 && !begins_any(p->word, only);
	uint64_t first = 0;

	*out = (struct uses){0};
	for (size_t i = 0; i < p->n; i++) {
		const uint64_t set = find_registers(machine, &p->operands[i]);

		if (p->operands[i].memory)
			out->addresses |= set;
		else if (i == written || (!x86 && i == 1 && begins(p->word, "ldp")))
			out->writes |= set;
		if (p->operands[i].memory || i != written || reads_too)
			out->reads |= set;
		first = i == 0 ? set : first;
	}
	/* xor %eax,%eax is a way to write 0. */
	if (x86 && p->n == 2 && begins(p->word, "xor") && first == out->writes)
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

/* ---- all of them ---- */

enum { REST_JUMPS = 4 /* jumps of a loop that is no mere loop; of others one or two */ };

enum asc_status object_decode(int machine, struct code_line *lines, size_t n,
			      struct code_counts *out, struct asc_err *e)
{
	const bool x86 = machine == EM_X86_64;
	struct code_step *steps = calloc(n + 1, sizeof *steps);
	uint32_t *loop_of = calloc(n + 1, sizeof *loop_of);
	struct uses *uses = calloc(n + 1, sizeof *uses);
	struct range {
		size_t begin, last;
		int64_t vector, scalar, control;   /* instructions of these classes */
	} *ranges = calloc(n + 1, sizeof *ranges); /* lines of each loop */
	bool wide = false;                         /* there is a loop of vectors */
	enum asc_status s = ASC_OK;
	size_t n_loops;

	*out = (struct code_counts){.kind = CODE_CPU,
				    .known = true,
				    .registers = -1,
				    .stack_bytes = -1,
				    .shared_bytes = -1,
				    .spills = -1,
				    .loop_spills = -1};
	if (!steps || !loop_of || !uses || !ranges) {
		s = asc_err_nomem(e);
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		struct parsed p;
		uint64_t address;

		parse(machine, lines[i].text, &p);
		steps[i].target = -1;
		const bool jumps = x86 ? follow_x86(&p, &steps[i]) : follow_arm(&p, &steps[i]);

		if (jumps && read_target(&p, &address))
			steps[i].target = find_line(lines, n, address);
		else if (jumps && x86)
			out->jumps++;
		out->jumps += !x86 && strcmp(p.word, "br") == 0;
		lines[i].is = (struct code_instruction){
			.class = (uint8_t)(x86 ? classify_x86(&p) : classify_arm(&p))};
		find_uses(machine, &p, &uses[i]);
		if (lines[i].is.class == CODE_VECTOR)
			uses[i].width_bits = find_width(&p);
		uses[i].memory = has_memory(&p) && !begins(p.word, "lea") &&
				 lines[i].is.class != CODE_NONE &&
				 lines[i].is.class != CODE_CONTROL;
		uses[i].call = x86 ? begins(p.word, "call") : begins(p.word, "bl");
		/* Only loads have an address that is waited for. */
		if (lines[i].is.class == CODE_STORE || begins(p.word, "lea"))
			uses[i].addresses = 0;
	}
	s = code_loops_find(steps, n, loop_of, &n_loops, e);
	for (size_t i = 0; i < n && s == ASC_OK; i++) {
		lines[i].is.loop = loop_of[i];
		if (loop_of[i] && uses[i].width_bits > out->width_bits)
			out->width_bits = uses[i].width_bits;
		out->loop_memory += loop_of[i] && uses[i].memory;
		out->loop_calls += loop_of[i] && uses[i].call;
		/* Loops are numbered in their order: this is the first line of another one. */
		if (loop_of[i] > out->loops)
			ranges[loop_of[i]].begin = i;
		ranges[loop_of[i]].last = i;
		ranges[loop_of[i]].vector += lines[i].is.class == CODE_VECTOR;
		ranges[loop_of[i]].scalar += lines[i].is.class == CODE_SCALAR;
		ranges[loop_of[i]].control += lines[i].is.class == CODE_CONTROL;
		code_counts_add(out, &lines[i].is);
	}
	for (size_t l = 1; l <= n_loops && s == ASC_OK; l++)
		if (ranges[l].last - ranges[l].begin < CHAIN_LINES)
			out->loop_chained +=
				count_chained(lines, ranges[l].begin, ranges[l].last + 1, uses);
	for (size_t l = 1; l <= n_loops && s == ASC_OK; l++)
		wide |= ranges[l].vector > 0 && ranges[l].vector >= ranges[l].scalar;
	/* The last elements are done in a loop without vectors, or one by one with a jump behind
	 * each. */
	for (size_t l = 1; l <= n_loops && s == ASC_OK && wide; l++)
		out->loop_rest += ranges[l].vector == 0 || ranges[l].control > REST_JUMPS
					  ? ranges[l].scalar
					  : 0;
out:
	free(steps);
	free(loop_of);
	free(uses);
	free(ranges);
	return s;
}
