import signal

from hypothesis import settings

# A shell starts background jobs with SIGINT ignored, and programs inherit that. Some tests interrupt programs.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples are drawn from a fixed seed, so that a failure on one machine is a failure on all; and there are as many as
# the loop-by-loop references allow within a minute or two.
settings.register_profile("hypercut", max_examples=40, deadline=None, derandomize=True)
settings.load_profile("hypercut")
