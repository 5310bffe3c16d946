"""Calls the installed Keystone. Reads one JSON document per line and writes one answer per line."""

import json
import re
import signal
import sys
import unicodedata
import warnings

import keystone.conf
from keystone import exception
from keystone.federation import utils

SECONDS = 2


class OrderedSet:
    """Replaces the sets in Keystone, whose order changes from run to run."""

    def __init__(self, values=()):
        self._values = dict.fromkeys(values)

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def add(self, value):
        self._values[value] = None

    def update(self, values):
        self._values.update(dict.fromkeys(values))

    def intersection(self, others):
        return OrderedSet(value for value in others if value in self._values)

    def difference(self, others):
        left_out = list(others)
        return OrderedSet(value for value in self._values if value not in left_out)


utils.set = OrderedSet
keystone.conf.configure()


class Timeout(Exception):
    pass


def on_alarm(_signal, _frame):
    raise Timeout


def apply(case):
    """Validates as the API does, then evaluates. Every other exception than Keystone's refusals is a server error."""
    mapping = {"id": "m", "rules": case["rules"], "schema_version": case["version"]}
    try:
        utils.validate_mapping_structure(mapping)
    except exception.ValidationError:
        return {"outcome": "invalid"}
    except Exception as error:
        return {"outcome": "server error", "why": type(error).__name__}
    try:
        processor = utils.create_attribute_mapping_rules_processor(mapping)
        return {"outcome": "mapped", "result": processor.process(case["assertion"])}
    except (exception.ValidationError, exception.DirectMappingError, exception.SchemaValidationError) as error:
        return {"outcome": "refused", "why": type(error).__name__}
    except Timeout:
        raise
    except Exception as error:
        return {"outcome": "server error", "why": type(error).__name__}


def search(case):
    try:
        pattern = re.compile(case["pattern"])
    except (re.error, OverflowError, ValueError, RecursionError) as error:
        return {"invalid": str(error)}
    return {"found": [pattern.search(text) is not None for text in case["texts"]]}


def alike():
    """For each letter with a case, the letters that are equal to it when case is ignored."""

    def cases(letter):
        return {other for form in (letter, letter.lower(), letter.upper()) for other in (form, form.lower(), form.upper())}

    # Each letter is compared with its own cases, and with the letters that have the same upper case.
    letters = [letter for letter in map(chr, POINTS) if len(cases(letter)) > 1]
    by_capital = {}
    for letter in letters:
        by_capital.setdefault(letter.lower()[0].upper(), []).append(letter)
    found = []
    for letter in letters:
        test = re.compile(re.escape(letter), re.IGNORECASE)
        around = {other for other in cases(letter) if len(other) == 1}
        around.update(by_capital[letter.lower()[0].upper()])
        found.append([ord(letter), sorted(ord(other) for other in around if test.fullmatch(other))])
    return found


POINTS = [point for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]


def characters(_case):
    """The character classes of this Python, and the characters that its version of Unicode does not have."""
    categories = {name: re.compile(name) for name in (r"\w", r"\d", r"\s")}
    return {
        "categories": {name: [p for p in POINTS if test.match(chr(p))] for name, test in categories.items()},
        "unassigned": [p for p in POINTS if unicodedata.category(chr(p)) == "Cn"],
        "alike": alike(),
    }


def answer(case):
    signal.alarm(SECONDS if case["kind"] != "characters" else 0)
    try:
        return {"mapping": apply, "regex": search, "characters": characters}[case["kind"]](case)
    except Timeout:
        return {"timeout": True}
    finally:
        signal.alarm(0)


warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, on_alarm)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
