# Runs test modules of a Python package and prints one line of JSON for each event:
#   {"listed": id}, then {"test": id, "outcome": "ok" | "FAILED" | "skipped", "reason": ...}
# Lines that tests print themselves go to the error output.
import contextlib
import importlib
import json
import os
import sys
import unittest

out = sys.stdout


def say(**event):
    out.write(json.dumps(event) + '\n')
    out.flush()


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


class Result(unittest.TestResult):
    """A test may fail more than once: in itself and in its clean-up. Whoever reads takes the worst."""

    def addSuccess(self, test):
        super().addSuccess(test)
        say(test=test.id(), outcome='ok')

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        say(test=test.id(), outcome='ok')

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        say(test=test.id(), outcome='skipped', reason=str(reason))

    def _failed(self, test, error):
        say(test=test.id(), outcome='FAILED', reason=self._exc_info_to_string(error, test)[-4000:])

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)


def mend_os_client_config():
    """Debian's package lacks the data file in which os-client-config names the classes of clients."""
    with contextlib.suppress(ImportError):
        constructors = importlib.import_module('os_client_config.constructors')
        if not os.path.exists(os.path.join(os.path.dirname(constructors.__file__), 'constructors.json')):
            constructors._class_mapping = {'identity': 'keystoneclient.client.Client'}


mend_os_client_config()
suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
for test in each(suite):
    say(listed=test.id())
with contextlib.redirect_stdout(sys.stderr):
    suite.run(Result())
