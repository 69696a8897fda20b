/* Devices that share a problem, on recorded results: who measures what, when each joins and leaves.
 * covers: evaluator_several.c evaluator_replay.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/recorded.h"
#include "tests/tap.h"
#include "tuner/base/log.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/worker/policy.h"

enum { DEVICES = 4, CONFIGS = 24, EVALUATION_NS = 10 };

static struct asc_err e;
static char said[4096];

static void say(void *user, enum log_level level, const char *text)
{
	(void)user, (void)level;
	(void)snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

/* ---- a device that fails ---- */

static struct evaluator_ops failing; /* evaluator_replay, until it has given so many results */
static int gives;

static enum asc_status fail_at_last(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				    struct asc_err *err)
{
	*out = NULL;
	if (gives == 0)
		return asc_err_set(err, ASC_CHILD, "it has fallen off the bus");
	const enum asc_status s = evaluator_replay.poll(v, timeout_ns, out, err);

	gives -= *out != NULL;
	return s;
}

/* ---- a host of devices ---- */

/* A configuration takes 10 ns to evaluate; that of index 0 is a kernel of 100 ns. */
struct host {
	double time_ns[DEVICES][CONFIGS], spent_ns[DEVICES][CONFIGS];
	enum result_status status[CONFIGS];
	struct recorded recorded[DEVICES];
	const struct recorded *arm[DEVICES];
	double now_ns;
	struct device_info info;
	struct session sessions[DEVICES], *list[DEVICES];
	struct session_peers peers;
	struct trial trials[CONFIGS];
	size_t done[DEVICES]; /* results of each device */
	double ended_ns;
};

static struct evaluator_target target_of(struct host *h, size_t i, size_t ahead)
{
	return (struct evaluator_target){.info = &h->info,
					 .recorded = &h->arm[i],
					 .ahead = ahead,
					 .recorded_ns = &h->now_ns,
					 .own = &evaluator_replay};
}

/* The first `n` devices: the problem is that of the first, the others are idle. */
static struct session *open_host(struct host *h, size_t n, size_t ahead)
{
	static const char *const names[DEVICES] = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"};

	*h = (struct host){0};
	said[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct evaluator_target t = target_of(h, i, ahead);

		for (size_t k = 0; k < CONFIGS; k++) {
			h->time_ns[i][k] = 100 + (double)k;
			h->spent_ns[i][k] = EVALUATION_NS;
		}
		h->recorded[i] = (struct recorded){.n = CONFIGS,
						   .time_ns = h->time_ns[i],
						   .spent_ns = h->spent_ns[i],
						   .status = h->status};
		h->arm[i] = &h->recorded[i];
		session_init(&h->sessions[i], i ? &evaluator_replay : &evaluator_several, &t,
			     &policy_default);
		h->sessions[i].name = names[i];
		h->sessions[i].peers = &h->peers;
		h->sessions[i].idle = i > 0;
		h->list[i] = &h->sessions[i];
	}
	h->peers = (struct session_peers){h->list, n};
	for (size_t k = 0; k < CONFIGS; k++)
		h->trials[k] = (struct trial){.id = k + 1, .index = k};
	return &h->sessions[0];
}

static enum asc_status begin(struct session *s)
{
	const struct evaluator_problem p = {.policy = policy_default};

	return session_begin(s, &p, &e);
}

static void close_host(struct host *h)
{
	for (size_t i = 0; i < h->peers.n; i++)
		session_fini(&h->sessions[i]);
	for (size_t k = 0; k < CONFIGS; k++)
		trial_fini(&h->trials[k]);
}

/* Submits trials from *next to `most`, as many as the devices want beside `pending`. */
static void submit(const struct session *s, struct host *h, size_t *next, size_t most,
		   size_t pending)
{
	while (*next < most && pending < s->ops->capacity(s->evaluator, false)) {
		struct trial *t = &h->trials[*next];

		if (s->ops->submit(s->evaluator, &t, 1, &e))
			return;
		++*next;
		pending++;
	}
}

static struct trial *poll_one(const struct session *s)
{
	struct trial *t = NULL;

	/* Once more: it may want more trials first. */
	if (s->ops->poll(s->evaluator, INT64_MAX, &t, &e))
		return NULL;
	return t || !s->ops->poll(s->evaluator, INT64_MAX, &t, &e) ? t : NULL;
}

/* Searches configurations `from` to `most`; returns how many results there were. */
static size_t search(const struct session *s, struct host *h, size_t from, size_t most)
{
	size_t next = from, n = 0;

	for (;;) {
		struct trial *t = NULL;

		submit(s, h, &next, most, next - from - n);
		if (next - from == n || s->ops->poll(s->evaluator, INT64_MAX, &t, &e))
			return n;
		if (!t) /* a device has joined */
			continue;
		n++;
		h->ended_ns = h->now_ns;
		h->done[t->device]++;
	}
}

static size_t count_ok(const struct host *h)
{
	size_t n = 0;

	for (size_t k = 0; k < CONFIGS; k++)
		n += h->trials[k].result.status == RESULT_OK &&
		     h->trials[k].result.n_samples == 1 &&
		     h->trials[k].result.time.median == 100 + (double)k;
	return n;
}

/* ---- tests ---- */

static void test_alone(void)
{
	struct host h;
	struct session *s = open_host(&h, 1, 2);

	tap_int(begin(s), ASC_OK, "one device");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "has all trials");
	tap_real(h.ended_ns, CONFIGS * EVALUATION_NS, 0, "one after the other");
	close_host(&h);
}

static void test_shared(void)
{
	struct host h;
	struct session *s = open_host(&h, 2, 2);
	struct result best = {.n_samples = 0};

	tap_int(begin(s), ASC_OK, "two devices");
	tap_int(s->ops->capacity(s->evaluator, false), 2, "one begins alone");
	tap_int((long long)s->ops->devices(s->evaluator), 1, "it is the only one");
	tap_int(search(s, &h, 0, 1), 1, "with the first configuration");
	tap_real(h.ended_ns, EVALUATION_NS, 0, "which the other measures in the same moment");
	tap_int(s->ops->incumbent(s->evaluator, &best, &e), ASC_OK, "it is the incumbent");
	tap_int(search(s, &h, 1, CONFIGS), CONFIGS - 1, "each configuration is measured once");
	tap_int(count_ok(&h), CONFIGS, "with its own time");
	/* 10 ns for the first on both: 23 are left for two. */
	tap_real(h.ended_ns, (1 + 12) * EVALUATION_NS, 0, "in half the time");
	tap_int(h.done[0], 1 + 12, "half of them by one");
	tap_int(h.done[1], 11, "half by the other");
	tap_int((long long)s->ops->devices(s->evaluator), 2, "two measure");
	tap_ok(h.sessions[1].lent_to == s && h.sessions[1].busy, "which is busy with it");
	tap_str(said, "", "nothing is said");
	session_end(s);
	tap_ok(!h.sessions[1].lent_to && !h.sessions[1].busy, "until the problem ends");
	tap_int(begin(s), ASC_OK, "the next problem");
	tap_int(s->ops->capacity(s->evaluator, false), 2, "begins alone, too");
	close_host(&h);
}

/* Devices that measure the first configuration beside the own one. */
static void test_first(void)
{
	struct host h;
	struct session *s = open_host(&h, 3, 2);

	h.spent_ns[1][0] = 4;
	h.spent_ns[2][0] = 25;
	tap_int(begin(s), ASC_OK, "one is ready sooner, one later");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration is measured once");
	/* From 10 ns on two have 23 to do, from 25 on the third helps: 8, 8 and 7. */
	tap_real(h.ended_ns, 25 + 7 * EVALUATION_NS, 0, "none waits for the one that is late");
	tap_ok(h.done[0] == 1 + 8 && h.done[1] == 8 && h.done[2] == 7, "all share: %zu, %zu, %zu",
	       h.done[0], h.done[1], h.done[2]);
	tap_str(said, "", "nothing is said");
	close_host(&h);

	s = open_host(&h, 3, 2);
	h.spent_ns[1][0] = 4;
	h.spent_ns[2][0] = 25;
	h.status[0] = RESULT_CRASHED;
	tap_int(begin(s), ASC_OK, "where it fails");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration has its result");
	tap_ok(h.done[1] >= 7 && h.done[2] >= 6,
	       "devices are compared by one that passes: %zu, %zu", h.done[1], h.done[2]);
	tap_str(said, "", "nothing is said of one that fails on all");
	close_host(&h);

	s = open_host(&h, 2, 2);
	h.spent_ns[1][0] = 4;
	h.time_ns[1][0] = 112;
	tap_int(begin(s), ASC_OK, "one that is ready sooner, and slower");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration is measured once");
	tap_int(h.done[1], 0, "none on that one");
	tap_str(said,
		"cuda:1 does not share the problem: its first configuration takes 112 ns there, "
		"100 ns on cuda:0\n",
		"said once");
	close_host(&h);
}

/* A device that has joined takes none on, one that does not share neither. */
static void test_joined(void)
{
	struct host h;
	struct session *s = open_host(&h, 3, 2);

	for (size_t i = 1; i < 3; i++) {
		const struct evaluator_target t = target_of(&h, i, 2);

		session_init(&h.sessions[i], &evaluator_several, &t, &policy_default);
		h.sessions[i].name = i == 1 ? "cuda:1" : "cuda:2";
		h.sessions[i].peers = &h.peers;
		h.sessions[i].idle = true;
	}
	h.time_ns[2][0] = 500;
	tap_int(begin(s), ASC_OK, "three devices that may have problems of their own");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration is measured once");
	tap_int(h.done[0] + h.done[1], CONFIGS, "by two of them");
	tap_str(said,
		"cuda:2 does not share the problem: its first configuration takes 500 ns there, "
		"100 ns on cuda:0\n",
		"the third is compared once");
	tap_ok(!h.sessions[2].busy, "and is free");
	close_host(&h);
}

/* ---- a device that builds before it measures ---- */

static struct evaluator_ops building; /* evaluator_replay, whose trials are built at first */
static struct trial *built;           /* the last of them */

static enum asc_status submit_unbuilt(struct evaluator *v, struct trial *const *list, size_t n,
				      struct asc_err *err)
{
	const enum asc_status s = evaluator_replay.submit(v, list, n, err);

	built = list[n - 1];
	built->state = TRIAL_BUILDING;
	return s;
}

static void test_set_up(void)
{
	struct host h;
	struct session *s = open_host(&h, 2, 2);
	struct trial *t = &h.trials[0], *out;

	building = evaluator_replay;
	building.submit = submit_unbuilt;
	s->target.own = &building;
	tap_int(begin(s), ASC_OK, "a device that builds first");
	tap_ok(!s->ops->submit(s->evaluator, &t, 1, &e) &&
		       !s->ops->poll(s->evaluator, 0, &out, &e) && !out,
	       "has no result");
	tap_ok(!h.sessions[1].busy, "no other one joins before it measures");
	t->state = TRIAL_SENT;
	tap_ok(!s->ops->poll(s->evaluator, 0, &out, &e) && !out, "while it measures");
	tap_ok(h.sessions[1].busy && h.sessions[1].lent_to == s, "the other joins");
	t->state = TRIAL_BUILT; /* taken back, to be measured in another worker */
	tap_ok(s->ops->cancel(s->evaluator, t) || poll_one(s) == t, "it is taken");
	close_host(&h);
}

/* With many asked for at once, the one with most gives those that wait to others. */
static void test_moved(void)
{
	struct host h;
	struct session *s = open_host(&h, 4, CONFIGS);

	tap_int(begin(s), ASC_OK, "four devices, all trials asked for at once");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each is measured once");
	tap_int(count_ok(&h), CONFIGS, "with its own time");
	/* The best is 10, then 23 for four: 6 turns. */
	tap_ok(h.ended_ns <= 10 + 7 * EVALUATION_NS, "all are busy to the end: %g ns", h.ended_ns);
	close_host(&h);
}

static void test_unequal(void)
{
	struct host h;
	struct session *s = open_host(&h, 3, 2);

	h.time_ns[1][0] = 112; /* other moments make up for a tenth */
	tap_int(begin(s), ASC_OK, "three devices, one slower");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration is measured once");
	tap_int(h.done[1], 0, "none on that one");
	tap_ok(h.done[2] > 8, "the third shares");
	tap_str(said,
		"cuda:1 does not share the problem: its first configuration takes 112 ns there, "
		"100 ns on cuda:0\n",
		"said once");
	tap_ok(!h.sessions[1].busy, "it is free for another problem");
	close_host(&h);

	s = open_host(&h, 2, 2);
	h.status[1] = RESULT_WRONG;
	h.status[0] = RESULT_CRASHED;
	tap_int(begin(s), ASC_OK, "where the default fails");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration has its result");
	tap_ok(h.done[1] > 8, "devices are compared by the first that passes");
	close_host(&h);
}

static void test_wanted_back(void)
{
	struct host h;
	struct session *s = open_host(&h, 2, 8);
	size_t next = 1, n = 1;

	tap_int(begin(s), ASC_OK, "a device that is wanted back");
	(void)search(s, &h, 0, 1);
	submit(s, &h, &next, 2, 0);
	tap_ok(poll_one(s) != NULL, "has joined");
	submit(s, &h, &next, 9, 0);
	tap_ok(next == 9 && h.sessions[1].busy, "and is busy");
	h.sessions[1].idle = false;
	while (n < next - 1 && poll_one(s))
		n++;
	tap_int(n, next - 1, "its trials are the other's");
	tap_ok(!h.sessions[1].busy && !h.sessions[1].lent_to, "it is free at once");
	tap_ok(!s->ops->poll(s->evaluator, INT64_MAX, &(struct trial *){NULL}, &e),
	       "and is not taken again");
	tap_ok(!h.sessions[1].busy, "while it is not idle");
	close_host(&h);
}

static void test_failing(void)
{
	struct host h;
	struct session *s = open_host(&h, 2, 8);
	size_t next = 1, n = 0, tried = 0;
	struct trial *t;

	failing = evaluator_replay;
	failing.poll = fail_at_last;
	gives = 2; /* the first configuration, and one more */
	h.sessions[1].ops = &failing;
	tap_int(begin(s), ASC_OK, "a device that fails");
	(void)search(s, &h, 0, 1);
	for (;;) {
		/* One device has room for what both have. */
		submit(s, &h, &next, n + 7 < CONFIGS ? n + 7 : CONFIGS, next - 1 - n);
		for (size_t k = 1; k < next; k++) /* the replayed ones know no worker */
			if (h.trials[k].result.n_samples == 0) {
				h.trials[k].sent = 1;
				h.trials[k].sent_ns = (int64_t)k;
			}
		t = next - 1 > n ? poll_one(s) : NULL;
		if (!t)
			break;
		n++;
		tried += !trial_is_undecided(t);
	}
	tap_int(n, CONFIGS - 1, "all trials come back");
	tap_int(tried, CONFIGS - 2, "one of them not tried");
	tap_str(said,
		"cuda:1 measures nothing more of the problem: it has fallen off the bus; the "
		"others go on\n",
		"said once");
	tap_ok(!h.sessions[1].busy, "it has no part any more");
	session_end(s);
	h.sessions[1].idle = false;

	h.sessions[0].ops->close(h.sessions[0].evaluator);
	h.sessions[0].evaluator = NULL;
	h.sessions[0].target.own = &failing;
	gives = 1;
	tap_int(begin(s), ASC_OK, "the own device fails");
	for (size_t k = 0; k < CONFIGS; k++)
		trial_fini(&h.trials[k]);
	tap_int(search(s, &h, 0, CONFIGS), 1, "behind one result");
	tap_int(e.status, ASC_CHILD, "that is the problem's failure");
	close_host(&h);
}

/* Devices that fail while they measure the first configuration. */
static void test_failing_first(void)
{
	struct host h;
	struct session *s = open_host(&h, 3, 2);

	failing = evaluator_replay;
	failing.poll = fail_at_last;
	gives = 0;
	h.sessions[1].ops = &failing;
	tap_int(begin(s), ASC_OK, "a device that fails at once");
	tap_int(search(s, &h, 0, CONFIGS), CONFIGS, "each configuration has its result");
	tap_ok(h.done[1] == 0 && h.done[2] > 8, "from the two others");
	tap_str(said,
		"cuda:1 measures nothing more of the problem: it has fallen off the bus; the "
		"others go on\n",
		"said once");
	tap_ok(!h.sessions[1].busy && !h.sessions[1].lent_to, "it has no part");
	close_host(&h);

	s = open_host(&h, 2, 2);
	s->target.own = &failing;
	tap_int(begin(s), ASC_OK, "the own device fails at once");
	tap_int(search(s, &h, 0, CONFIGS), 0, "there is no result");
	tap_int(e.status, ASC_CHILD, "that is the problem's failure");
	session_end(s);
	tap_ok(!h.sessions[1].busy && !h.sessions[1].lent_to, "the other is free");
	close_host(&h);
}

static void test_rounds(void)
{
	struct host h;
	struct session *s = open_host(&h, 3, 8);

	tap_int(begin(s), ASC_OK, "rounds");
	(void)search(s, &h, 0, 12);
	tap_ok(h.sessions[2].busy, "behind a search of three devices");
	for (size_t k = 12; k < 16; k++)
		h.trials[k].purpose = TRIAL_ROUNDS;
	tap_int(search(s, &h, 12, 16), 4, "have their results");
	for (size_t k = 12; k < 16; k++)
		tap_int(h.trials[k].device, 0, "of one device");
	tap_ok(!h.sessions[1].busy && !h.sessions[2].busy, "the others are free");
	(void)search(s, &h, 16, CONFIGS);
	tap_ok(!h.sessions[1].busy, "to the end");
	close_host(&h);
}

/* Two problems: an idle device goes where fewer are. */
static void test_two_problems(void)
{
	struct host h;
	struct session *s = open_host(&h, 4, 2), *other = &h.sessions[1];
	const struct evaluator_target t = target_of(&h, 1, 2);
	struct trial mine = {.id = 1, .index = 3}, *list = &mine;

	session_init(other, &evaluator_several, &t, &policy_default);
	other->name = "cuda:1";
	other->peers = &h.peers;
	h.sessions[3].idle = false;
	tap_ok(!begin(s) && !begin(other), "two problems, four devices");
	(void)search(s, &h, 0, 1);
	tap_ok(!other->ops->submit(other->evaluator, &list, 1, &e) && poll_one(other) == &mine,
	       "both have a result");
	(void)search(s, &h, 1, 3);
	tap_ok(h.sessions[2].lent_to == s, "the first takes the third");
	h.sessions[3].idle = true;
	(void)search(s, &h, 3, 5);
	tap_ok(!h.sessions[3].lent_to, "it leaves the fourth");
	mine.index = 4;
	tap_ok(!other->ops->submit(other->evaluator, &list, 1, &e) && poll_one(other) == &mine &&
		       h.sessions[3].lent_to == other,
	       "to the other problem");
	session_end(other);
	session_end(s);
	trial_fini(&mine);
	close_host(&h);
}

int main(void)
{
	log_set_sink(say, NULL);
	test_alone();
	test_shared();
	test_first();
	test_joined();
	test_set_up();
	test_moved();
	test_unequal();
	test_wanted_back();
	test_failing();
	test_failing_first();
	test_rounds();
	test_two_problems();
	return tap_done();
}
