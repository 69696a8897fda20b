"""Figures of a benchmark beside their limits."""


class Limits:
    """Prints figures beside their limits and remembers whether one was missed."""

    def __init__(self):
        self.missed = False

    def least(self, what, figure, limit):
        self.say(what, figure, f"at least {limit:g}", figure >= limit)

    def most(self, what, figure, limit):
        self.say(what, figure, f"at most {limit:g}", figure <= limit)

    def say(self, what, figure, limit, met):
        self.missed |= not met
        print(f"{what:64} {figure:9.4g}  {limit}{'' if met else '  MISSED'}", flush=True)
