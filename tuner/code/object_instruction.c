#include "tuner/code/object_instruction.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

/* ---- taken apart ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True where an operand has one of a NULL-terminated list of texts within. */
static bool has_any(const struct object_operand *o, const char *const *list)
{
	for (; *list; list++)
		if (memmem(o->text, o->n, *list, strlen(*list)))
			return true;
	return false;
}

/* Splits at commas outside of brackets, up to a comment or the name of a target. */
static void split_operands(const char *text, struct object_instruction *out)
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
		if (n > 0 && out->n < OBJECT_MAX_OPERANDS)
			out->operands[out->n++] = (struct object_operand){
				begin, n, memchr(begin, '(', n) || memchr(begin, '[', n)};
		if (end)
			return;
		begin = text + 1;
	}
}

void object_parse(int machine, const char *text, struct object_instruction *out)
{
	static const char *const prefixes[] = {
		"lock", "rep",     "repz", "repnz", "repe", "repne",  "bnd",    "cs",    "ds",
		"es",   "notrack", "ss",   "fs",    "gs",   "data16", "addr32", "rex.W", NULL};
	size_t n;

	*out = (struct object_instruction){0};
	for (;;) {
		text += strspn(text, " \t");
		n = strcspn(text, " \t");
		(void)memcpy(out->word, text, n < OBJECT_WORD_SIZE ? n : OBJECT_WORD_SIZE - 1);
		out->word[n < OBJECT_WORD_SIZE ? n : OBJECT_WORD_SIZE - 1] = '\0';
		text += n;
		if (machine != EM_X86_64 || !str_is_in(out->word, prefixes))
			break;
		out->locked = out->locked || strcmp(out->word, "lock") == 0;
	}
	if (machine == EM_X86_64 && *out->word == 'v' && !begins(out->word, "ver"))
		memmove(out->word, out->word + 1, strlen(out->word));
	split_operands(text, out);
}

static const struct object_operand *last(const struct object_instruction *p)
{
	return &p->operands[p->n > 0 ? p->n - 1 : 0];
}

bool object_has_memory(const struct object_instruction *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->operands[i].memory)
			return true;
	return false;
}

static bool has_operand(const struct object_instruction *p, const char *const *list)
{
	for (size_t i = 0; i < p->n; i++)
		if (has_any(&p->operands[i], list))
			return true;
	return false;
}

/* ---- what it does ---- */

bool object_is_any(const char *word, const char *list)
{
	const size_t length = strlen(word);

	for (size_t n; *list; list += n) {
		list += strspn(list, " ");
		n = strcspn(list, " ");
		const char kind = *list;
		const size_t skip = kind == '*' || kind == '=';
		const char *text = list + skip;
		const size_t m = n - skip;

		if (m <= length && (kind != '=' || m == length) &&
		    memcmp(kind == '*' ? word + length - m : word, text, m) == 0)
			return true;
	}
	return false;
}

/* Rules, of which the first that holds decides. `words` as of object_is_any(), "" for all. */
enum when {
	ALWAYS,
	WIDE,   /* with a vector register */
	MEMORY, /* with an operand in memory */
	BOTH
};
enum { MOVE = CODE_CLASS_COUNT }; /* a load, a store or neither, by its operands */

struct rule {
	const char *words;
	enum when when;
	int class;
};

/* AT&T's order: the last operand is written. */
static const struct rule x86[] = {
	{"(bad) .", ALWAYS, CODE_UNKNOWN},
	{"mfence lfence sfence pause cmpxchg xadd", ALWAYS, CODE_SYNCHRONISE},
	{"xchg", MEMORY, CODE_SYNCHRONISE},
	{"nop zero xchg", ALWAYS, CODE_NONE},
	{"j call ret loop leave endbr enter ud hlt int3 syscall", ALWAYS, CODE_CONTROL},
	{"prefetch gather pgather lddqu lods", ALWAYS, CODE_LOAD},
	{"scatter pscatter stos", ALWAYS, CODE_STORE},
	{"maskmov pmaskmov", ALWAYS, MOVE},
	{"popcnt pext pdep", ALWAYS, CODE_INTEGER},
	{"push", ALWAYS, CODE_STORE},
	{"pop", ALWAYS, CODE_LOAD},
	{"cvt", ALWAYS, CODE_CONVERT},
	{"pmovmsk movmsk", WIDE, CODE_SHUFFLE},
	{"pmov", WIDE, CODE_CONVERT},
	/* One number to all places: a load, where it comes from memory. */
	{"broadcast pbroadcast movddup", BOTH, CODE_LOAD},
	{"shuf unpck perm broadcast insert extract movddup movshdup movsl movlh movhl align expand "
	 "compress blend pshuf punpck pack palign pbroadcast pinsr pextr pblend pslldq psrldq "
	 "pexpand pcompress",
	 WIDE, CODE_SHUFFLE},
	{"mov", ALWAYS, MOVE},
	{"tdp", ALWAYS, CODE_VECTOR},
	{"p", WIDE, CODE_VECTOR},
	{"*ps *pd *ph *bf16", WIDE, CODE_VECTOR},
	{"*ss *sd *sh", WIDE, CODE_SCALAR},
	/* x87, for long double. */
	{"fld", MEMORY, CODE_LOAD},
	{"fst", MEMORY, CODE_STORE},
	{"f", ALWAYS, CODE_SCALAR},
	{NULL, ALWAYS, CODE_INTEGER}};

/* The first operand is written, unless it is stored. */
static const struct rule arm[] = {
	{".", ALWAYS, CODE_UNKNOWN},
	{"nop hint bti paci auti udf", ALWAYS, CODE_NONE},
	{"dmb dsb isb yield ldx stx ldax stlx cas ldadd swp ldset", ALWAYS, CODE_SYNCHRONISE},
	{"=b b. bl br cbz cbnz tbz tbnz ret svc brk", ALWAYS, CODE_CONTROL},
	{"ld prfm", ALWAYS, CODE_LOAD},
	{"st", ALWAYS, CODE_STORE},
	{"fcvt scvtf ucvtf sxtl uxtl xtn sshll ushll fjcvt", ALWAYS, CODE_CONVERT},
	{"fmov", ALWAYS, CODE_INTEGER},
	{"dup ext zip uzp trn tbl tbx ins rev umov smov splice mov", WIDE, CODE_SHUFFLE},
	{"", WIDE, CODE_VECTOR},
	{"f", ALWAYS, CODE_SCALAR},
	{NULL, ALWAYS, CODE_INTEGER}};

static bool holds(const struct rule *r, const struct object_instruction *p, bool wide)
{
	if (((r->when == WIDE || r->when == BOTH) && !wide) ||
	    ((r->when == MEMORY || r->when == BOTH) && !object_has_memory(p)))
		return false;
	return !*r->words || object_is_any(p->word, r->words);
}

enum code_class object_classify(int machine, const struct object_instruction *p)
{
	static const char *const x86_vectors[] = {"%xmm", "%ymm", "%zmm", NULL};
	static const char *const arm_vectors[] = {".4s", ".2d", ".8h", ".16b", ".2s", ".4h",
						  ".8b", ".s",  ".d",  ".h",   ".b",  NULL};
	const bool is_x86 = machine == EM_X86_64;
	const bool wide = has_operand(p, is_x86 ? x86_vectors : arm_vectors);
	const struct rule *r = is_x86 ? x86 : arm;

	if (!*p->word)
		return CODE_UNKNOWN;
	if (p->locked)
		return CODE_SYNCHRONISE;
	while (r->words && !holds(r, p, wide))
		r++;
	if (is_x86 && r->class == CODE_SHUFFLE && last(p)->memory)
		return CODE_STORE;
	if (r->class == MOVE)
		return last(p)->memory        ? CODE_STORE
		       : object_has_memory(p) ? CODE_LOAD
					      : CODE_INTEGER;
	return (enum code_class)r->class;
}

bool object_follow(int machine, const struct object_instruction *p, struct code_step *out)
{
	const bool is_x86 = machine == EM_X86_64;

	out->next = !object_is_any(p->word, is_x86 ? "jmp ret ud =hlt" : "=b =br ret udf");
	return object_is_any(p->word, is_x86 ? "j loop" : "=b =br b. cbz cbnz tbz tbnz");
}

int64_t object_width_bits(const struct object_instruction *p)
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

bool object_read_target(const struct object_instruction *p, uint64_t *address)
{
	char text[OBJECT_WORD_SIZE], *end;
	const struct object_operand *o = last(p);

	if (p->n == 0 || o->n >= sizeof text || !isxdigit((unsigned char)*o->text))
		return false;
	memcpy(text, o->text, o->n);
	text[o->n] = '\0';
	*address = strtoull(text, &end, 16);
	return *end == '\0';
}
