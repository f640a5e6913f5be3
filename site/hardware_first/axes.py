"""The same axes for two records: what a script's ranges come to for each, and the script made to keep to both.

A script works its ranges out from its data: `set xrange [x_min:x_max]`, and with the same variables where an arrow ends.
Here a copy of it is instrumented: each range, and each assignment to a variable that is a bound of one, first reports
what it came to and then keeps to what is asked of it, if anything is. The scripts themselves know nothing of this.
"""

import re

RANGE = re.compile(r"\bset (x2?|y2?)range \[")
ASSIGNMENT = re.compile(r"(?:^|[;{])\s*([A-Za-z]\w*) = ")
CLOSING = {"(": ")", "[": "]", "{": "}"}

# Reports go to `hf_report`: RANGE or BOUND, its place in the script, the how manieth time there, and the value or two.
PRELUDE = """\
array hf_times[{places}]
do for [hf_i = 1:{places}] {{ hf_times[hf_i] = 0 }}
set print hf_report
hf_name(place, which) = sprintf("hf_%s_%d_%d", which, place, hf_times[place])
hf_kept(place, which, value_) = exists(hf_name(place, which)) ? value(hf_name(place, which)) : value_
hf_range(axis, place, from, to) = (hf_times[place] = hf_times[place] + 1, \\
  sprintf('print "range %d %d %.17g %.17g"; set %srange [%.17g:%.17g]', place, hf_times[place], from, to, axis, \\
          hf_kept(place, "from", from), hf_kept(place, "to", to)))
hf_bound(variable, place) = (hf_times[place] = hf_times[place] + 1, \\
  sprintf('print "bound %d %d %.17g"; %s = %.17g', place, hf_times[place], value(variable), variable, \\
          hf_kept(place, "value", value(variable))))
"""


class Instrumented:
    """Scripts of one figure, made to report their ranges and to keep to others."""

    def __init__(self, texts):
        """`texts` are the scripts' by name, {"01-roofline.gp": "…", "frame.gp": "…"}."""
        joined = {name: text.replace("\\\n", " ") for name, text in texts.items()}
        self.bounds = {bound for text in joined.values() for _, _, *pair in ranges(text) for bound in pair}
        self.places = {}  # of each place, the bounds' names, or the name of the variable assigned to
        self.texts = {name: "\n".join(self._line(line) for line in text.split("\n")) for name, text in joined.items()}
        self.prelude = PRELUDE.format(places=max(len(self.places), 1))

    def _line(self, line):
        if line.lstrip().startswith("#"):
            return line
        hooks = []  # (start, end, what stands there instead)
        for start, end, low, high in ranges(line):
            axis = RANGE.match(line, start)[1]
            hooks.append((start, end, f'eval hf_range("{axis}", {self._place(low, high)}, {low}, {high})'))
        for found in ASSIGNMENT.finditer(line):
            if (name := found[1]) in self.bounds:
                end = end_of(line, found.end(), ";}#")
                hooks.append((end, end, f'; eval hf_bound("{name}", {self._place(name)})'))
        for start, end, text in sorted(hooks, reverse=True):
            line = line[:start] + text + line[end:]
        return line

    def _place(self, *names):
        self.places[len(self.places) + 1] = names
        return len(self.places)

    def settle(self, reports):
        """What all ranges must keep to, as {gnuplot variable: value}, from the reports of several runs.

        A bound is widened to the furthest of the reports, whichever way its axis runs; and a variable with it.
        """
        least = self._least(reports)
        seen = {}
        for line in "".join(reports).splitlines():
            kind, place, time, *values = line.split()
            names = ("from", "to") if kind == "range" else ("value",)
            for which, value, bound in zip(names, map(float, values), self.places[int(place)]):
                upward = values_rise(values) if kind == "range" else None
                lower = least.get(bound) if upward is None else (which == "from") == upward
                if lower is not None:
                    seen.setdefault((f"hf_{which}_{place}_{time}", lower), []).append(value)
        return {name: (min if lower else max)(values) for (name, lower), values in seen.items()}

    def _least(self, reports):
        """Whether a variable is the lower bound of its ranges; not of those that are the lower here, the upper there."""
        least, both = {}, set()
        for line in "".join(reports).splitlines():
            kind, place, _, *values = line.split()
            if kind == "range":
                rises = values_rise(values)
                for bound, lower in zip(self.places[int(place)], (rises, not rises)):
                    if least.setdefault(bound, lower) != lower:
                        both.add(bound)
        return {bound: lower for bound, lower in least.items() if bound not in both}


def values_rise(values):
    return float(values[0]) <= float(values[1])


def ranges(text):
    """Where ranges are set: (start, end, lower, upper) each, the bounds as they are written."""
    for found in RANGE.finditer(text):
        middle = end_of(text, found.end(), ":]")
        end = end_of(text, middle + 1, "]")
        if text[middle] == ":":
            yield found.start(), end + 1, text[found.end():middle].strip(), text[middle + 1:end].strip()


def end_of(text, at, stops):
    """From `at`, where the first of `stops` stands outside brackets and strings, or the end of the line."""
    waiting = []
    while at < len(text) and text[at] != "\n":
        letter = text[at]
        if not waiting and letter in stops:
            break
        if waiting and letter == waiting[-1]:
            waiting.pop()
        elif not (waiting and waiting[-1] in "\"'"):
            if letter in "\"'":
                waiting.append(letter)
            elif letter in CLOSING:
                waiting.append(CLOSING[letter])
        at += 1
    return at
