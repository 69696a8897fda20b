/* Progress of a gate, in a terminal. */
#include "tuner/base/units.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/terminal/live_lines.h"

void gate_progress_begin(struct gate *g, const char *phase, size_t planned)
{
	struct gate_progress *p = &g->progress;

	screen_open(&p->screen, stderr);
	p->phase = phase;
	p->planned = planned;
	p->done = 0;
	p->began_ns = clock_now_ns();
	gate_progress_draw(g);
}

void gate_progress_draw(struct gate *g)
{
	struct gate_progress *p = &g->progress;

	if (*g->stop || !screen_begin(&p->screen, false))
		return;
	live_lines_add(&(struct live_facts){.title = "gate",
					    .phase = p->phase,
					    .trials = p->done,
					    .planned = p->planned,
					    .fresh = p->done,
					    .elapsed_ns = clock_now_ns() - p->began_ns,
					    .age_ns = -1,
					    .unmeasured = true},
		       &p->screen.canvas);
	screen_draw(&p->screen);
}

void gate_progress_step(struct gate *g)
{
	g->progress.done++;
	gate_progress_draw(g);
}

void gate_progress_end(struct gate *g)
{
	screen_close(&g->progress.screen);
}
