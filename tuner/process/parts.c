#include "tuner/process/parts.h"

#include <unistd.h>

#include "tuner/process/thread.h"

/* Runs the next part until there is none, or one has failed. */
static void *work(void *user)
{
	struct parts_hand *h = user;
	struct parts *p = h->all;
	size_t part;

	while (!h->status && (part = atomic_fetch_add(&p->next, 1)) < p->n) {
		h->status = p->run(p->user, part, &h->failure);
		if (h->status)
			atomic_store(&p->next, p->n);
	}
	return NULL;
}

void parts_begin(struct parts *p, size_t n, parts_fn *run, void *user)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	p->run = run;
	p->user = user;
	p->n = n;
	atomic_init(&p->next, 0);
	p->n_hands = processors > 1 ? (size_t)processors : 1;
	p->n_hands = p->n_hands < PARTS_MOST_HANDS ? p->n_hands : PARTS_MOST_HANDS;
	p->n_hands = p->n_hands < n ? p->n_hands : n;
	for (size_t i = 0; i < p->n_hands; i++) {
		struct parts_hand *h = &p->hands[i];

		h->all = p;
		h->status = ASC_OK;
		h->running = i > 0 && thread_start(&h->thread, NULL, work, h) == 0;
	}
}

enum asc_status parts_end(struct parts *p, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	if (p->n_hands > 0)
		(void)work(&p->hands[0]);
	for (size_t i = 0; i < p->n_hands; i++) {
		struct parts_hand *h = &p->hands[i];

		if (h->running)
			(void)pthread_join(h->thread, NULL);
		if (h->status && !s) {
			*e = h->failure;
			s = h->status;
		}
	}
	return s;
}

enum asc_status parts_run(size_t n, parts_fn *run, void *user, struct asc_err *e)
{
	struct parts p;

	parts_begin(&p, n, run, user);
	return parts_end(&p, e);
}

/* ---- elements ---- */

enum { SPAN = 1 << 18 /* elements that a thread passes over in a row */ };

struct passing {
	void (*pass)(void *user, size_t begin, size_t end);
	void *user;
	size_t n;
};

static enum asc_status pass_span(void *user, size_t part, struct asc_err *e)
{
	const struct passing *p = user;
	const size_t begin = part * SPAN;

	(void)e;
	p->pass(p->user, begin, p->n - begin < SPAN ? p->n : begin + SPAN);
	return ASC_OK;
}

void parts_pass(size_t n, void (*pass)(void *user, size_t begin, size_t end), void *user)
{
	struct passing all = {pass, user, n};
	struct asc_err none;

	(void)parts_run((n + SPAN - 1) / SPAN, pass_span, &all, &none);
}
