#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the tests bite? Changes one operator, sign, comparison or constant of the product at a time,
rebuilds a copy of the tree, runs the fast tests that concern the changed file, and lists the changes
that no test noticed. Nothing is changed in the tree itself."""
import argparse
import glob
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

SECONDS_MAX = 20  # of processor time of a test; the slowest takes one
WAIT_MAX = 15 * SECONDS_MAX  # a busy machine must not be taken for a change that was noticed

# Which files, and which tests (names of ctest, fastest and most telling first) judge them.
PARTS = [
    (["solver/law/*.[ch]", "solver/percussion/contact.c", "solver/percussion/problem.c",
      "solver/percussion/memory.c", "solver/percussion/roll.c", "solver/step/observe.c"],
     ["solver_unit_valid", "solver_unit_law", "solver_unit_roll", "solver_unit_contact",
      "solver_unit_observe", "solver_analytic_laws",
      "solver_analytic_contacts", "solver_analytic_cohesion", "solver_analytic_guard", "solver_analytic_warm_start",
      "solver_unit_model", "solver_unit_model_classes", "solver_unit_seam",
      "solver_unit_constraints", "solver_unit_soft_walls", "solver_analytic_maier_glocker",
      "solver_analytic_soft_contacts", "solver_analytic_constraints",
      "solver_analytic_forces", "solver_analytic_grounds", "solver_property_rest",
      "solver_property_random_percussions"]),
    (["postproc/measure/score*.c"], ["postproc_unit_score"]),
    (["pipelines/engine/score_sheet.c"], ["pipelines_unit_study"]),
]

# What is changed: a pattern, and what its first group becomes. Surrounding blanks tell a binary
# operator from a unary one: the tree is formatted.
NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
SWAPPED = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
           "&&": "||", "||": "&&", "fmax": "fmin", "fmin": "fmax", "true": "false",
           "false": "true", "INFINITY": "0.0", "sqrt": "fabs", "larger": "fmin"}


def other_number(text):
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1)
    value = float(text)
    return "1.0" if value == 0.0 else repr(2.0 * value)


RULES = [
    (r"(?<= )(<=|>=|<|>|==|!=)(?= )", NEGATED.get),
    (r"(?<= )(\+=|-=|\*=|/=|&&|\|\||[-+*/])(?= )", SWAPPED.get),
    (r"\b(fmax|fmin|true|false|INFINITY|sqrt|larger)\b", SWAPPED.get),
    (r"(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?![\w.])", other_number),
    (r"(?<=[(\[=?:,] )(-)(?=[\w(])|(?<=[(\[])(-)(?=[\w(])|(?<=return )(-)(?=[\w(])", lambda _: ""),
    (r"(?<![\w)])(!)(?=[\w(])", lambda _: ""),
]


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def code_only(text):
    """The text with everything blanked that is no arithmetic: comments, strings, directives, sizes in
    declarations, allocation and the initial zero of a structure."""
    for pattern in (r"//[^\n]*", r"/\*.*?\*/", r'"(\\.|[^"\\\n])*"', r"'(\\.|[^'\\])'",
                    r"(?m)^#[^\n]*",
                    r"\b(?:double|float|char|u?int\d*_t|tal_\w+) \*?\w+\[\w+\](?:, \*?\w+\[\w+\])*",
                    r"\(double\[\d+\]\)",
                    r"= \{0(\.0)?\}", r"\(\w+\)\{0\}", r"TAL_ASSERT\([^;]*;", r"static const char \*.*?;",
                    r"TAL_CREATE\w*\([^;]*;", r"tal_memory_create\([^;]*;", r"\w+_reserve\([^;]*;"):
        text = re.sub(pattern, blank, text, flags=re.S if ".*?" in pattern else 0)
    return text


def changes_of(path):
    """All changes of one file: (line, column, old, new)."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = code_only(file.read()).split("\n")
    for number, line in enumerate(lines):
        for pattern, change in RULES:
            for match in re.finditer(pattern, line):
                at = next(g for g in range(1, match.re.groups + 1) if match.group(g) is not None)
                yield number, match.start(at), match.group(at), change(match.group(at))


class Mutant:
    def __init__(self, path, number, column, old, new, tests):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.path, self.number, self.tests = path, number, tests
        line = self.lines[number]
        self.before = line.strip()
        self.changed = line[:column] + new + line[column + len(old):]
        self.after = self.changed.strip()

    def text(self):
        return "\n".join(self.lines[:self.number] + [self.changed] + self.lines[self.number + 1:])

    def original(self):
        return "\n".join(self.lines)

    def __str__(self):
        return f"{self.path}:{self.number + 1}: {self.before}\n        became: {self.after}"


class Worker:
    """A copy of the tree with a build of its own."""

    def __init__(self, folder):
        self.source, self.build = os.path.join(folder, "source"), os.path.join(folder, "build")

    def prepare(self, tests):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            here, there = os.path.join(ROOT, name), os.path.join(self.source, name)
            if os.path.isfile(here) and not same_file(here, there):
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copy(here, there)
        self.call(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1"], 300)
        known = self.call(["ninja", "-C", self.build, "-t", "targets", "all"], 60).stdout
        tests = [t for t in tests if f"\n{t}: phony" in known or known.startswith(f"{t}: phony")]
        self.call(["ninja", "-C", self.build, "-j1"] + tests, 1800)
        for test in tests:
            if not self.run(test):
                sys.exit(f"mutants: {test} fails without any change; mend that first")
        return tests

    def call(self, command, limit):
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        if result.returncode != 0:
            sys.exit(f"mutants: {' '.join(command)} failed:\n{result.stdout}{result.stderr}")
        return result

    def run(self, test):
        """True if it passes. A change that makes a test run for ever is noticed, too."""
        command = ["ctest", "--test-dir", self.build, "-R", f"^{test}$", "--no-tests=error"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True, preexec_fn=limit_time) as process:
            try:
                return process.wait(timeout=WAIT_MAX) == 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return False

    def write(self, mutant, text):
        with open(os.path.join(self.source, mutant.path), "w", encoding="utf-8") as file:
            file.write(text)

    def judge(self, mutant, tests):
        """'killed by TEST', 'does not compile' or 'lives'."""
        self.write(mutant, mutant.text())
        try:
            for test in tests:
                built = subprocess.run(["ninja", "-C", self.build, "-j1", test],
                                       capture_output=True, check=False)
                if built.returncode != 0:
                    return "does not compile"
                if not self.run(test):
                    return f"killed by {test}"
            return "lives"
        finally:
            self.write(mutant, mutant.original())


def same_file(one, other):
    if not os.path.exists(other):
        return False
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


def read_equivalents():
    """Changes that change nothing a test could see: 'before => after # reason', by source text."""
    known = set()
    with open(os.path.join(ROOT, "tests/mutants/equivalent.txt"), encoding="utf-8") as file:
        for line in file:
            if " => " in line and not line.startswith("#"):
                known.add(line.rpartition(" # ")[0].strip())
    return known


def choose(patterns, count, seed):
    chosen = []
    for files, tests in PARTS:
        for path in sorted({p for f in files for p in glob.glob(f, root_dir=ROOT)}):
            if not patterns or any(glob.fnmatch.fnmatch(path, p) for p in patterns):
                chosen += [Mutant(path, *change, tests) for change in changes_of(path)]
    equivalents = read_equivalents()
    chosen = [m for m in chosen if f"{m.before} => {m.after}" not in equivalents]
    random.Random(seed).shuffle(chosen)
    return chosen[:count] if count > 0 else chosen


def work(worker, tests, jobs, results, deadline):
    while time.monotonic() < deadline:
        try:
            mutant = jobs.get_nowait()
        except queue.Empty:
            return
        verdict = worker.judge(mutant, [t for t in mutant.tests if t in tests])
        results.append((mutant, verdict))
        print(f"{len(results):4d} {verdict}: {mutant}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="only files that fit these patterns (solver/law/*)")
    parser.add_argument("-n", "--number", type=int, default=60, help="how many; 0: all (60)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another sample (1)")
    parser.add_argument("--minutes", type=float, default=30, help="begin none after this time (30)")
    parser.add_argument("-j", "--workers", type=int, default=2, choices=(1, 2))
    parser.add_argument("--build", default=os.path.join(ROOT, "build/mutants"))
    parser.add_argument("--least", type=float, default=0, help="fail below this share killed, in %%")
    options = parser.parse_args()
    mutants = choose(options.files, options.number, options.seed)
    if not mutants:
        sys.exit("mutants: there is nothing to change in these files")
    wanted = list(dict.fromkeys(t for m in mutants for t in m.tests))
    workers = [Worker(os.path.join(options.build, str(n))) for n in range(options.workers)]
    tests = [worker.prepare(wanted) for worker in workers][0]
    jobs, results = queue.Queue(), []
    for mutant in mutants:
        jobs.put(mutant)
    deadline = time.monotonic() + 60 * options.minutes
    threads = [threading.Thread(target=work, args=(w, tests, jobs, results, deadline)) for w in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    compiled = [(m, v) for m, v in results if v != "does not compile"]
    alive = sorted((m for m, v in compiled if v == "lives"), key=lambda m: (m.path, m.number))
    share = 100.0 * (1 - len(alive) / max(1, len(compiled)))
    print(f"\n{len(mutants)} chosen, {len(compiled)} built and judged, {len(alive)} live: "
          f"{share:.1f} % killed (seed {options.seed})")
    for mutant in alive:
        print(f"  lives: {mutant}")
    return 1 if not compiled or share < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
