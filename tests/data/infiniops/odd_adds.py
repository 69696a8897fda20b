"""Functions that call the double's Add in ways of their own, for tests of what is timed."""

from infini.ops import add

calls = {"grows": 0}


def twice(*arguments, **keywords):
    """Two kernels a launch."""
    add(*arguments, **keywords)
    add(*arguments, **keywords)


def grows(*arguments, **keywords):
    """One kernel more with each launch."""
    calls["grows"] += 1
    for _ in range(calls["grows"]):
        add(*arguments, **keywords)


def idle(*arguments, **keywords):
    """Nothing on the device."""


