/* What the test's kernel does wrong; FAULT in faults.json is one of these numbers. */
#ifndef ASCTUNE_TESTS_UNIT_EVALUATOR_FAULTS_H
#define ASCTUNE_TESTS_UNIT_EVALUATOR_FAULTS_H

enum { FORGED_ID = 4242 /* trial of those that forge */ };

enum fault {
	NOTHING,
	SEGFAULT,
	ABORT,
	EXIT,
	LOOP,
	WRONG,
	NOT_A_NUMBER,
	BEYOND,
	INPUT,
	COMPILE,
	FLOOD,
	CLOSE,
	CUT,
	LATE,
	SLOW,
	DRIFT,
	IDLE,
	THREAD, /* leaves one that goes on writing */
	TIMER,
	FORK,
	SPOIL, /* leaves what kills VICTIM and makes references wrong */
	VICTIM,
	FRESH,  /* nothing, and built by one test only */
	BETRAY, /* dies when it is launched after RIVAL */
	RIVAL,
	STRAY,   /* writes where it must not when it is launched after RIVAL */
	MISLED,  /* is wrong where SPOIL was launched */
	COPY,    /* copies the reference, where it finds that in its memory */
	FORGE,   /* sends a result of its own, of launches that were not announced */
	BOAST,   /* announces them, which took longer than it had time for */
	TWICE,   /* announces them, and goes on to its true result */
	PEAKS,   /* sends peaks that nobody asked for, after bytes on stderr */
	LACKS,   /* says in each process that the machine lacks memory */
	NAMES,   /* sends a metric whose name is too long */
	OPENS,   /* says that its device is open */
	ACCUSES, /* says that a trial of before was wrong after all */
	POSES,   /* says that a trial of before is launched, and does not return */
	STILL,   /* has the clock stand still (x86-64) */
	HALVES,  /* has the clock run at half its rate (x86-64), and works for a while */
	ADDRESS, /* keeps the answer of its first launch on inputs at an address */
	KEEPS,   /* keeps its answers by what its inputs hold */
	WORKS    /* takes as long as KEEPS does for an answer that it has not, always */
};

#endif
