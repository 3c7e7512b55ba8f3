# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene of columns.c in Python: the same hash. columns.py COUNT STEPS THREADS prints it; without arguments
both are compared."""

import os
import subprocess
import sys

import talus


def run(count, steps, threads):
    scene = talus.Scene(threads=threads, dt_s=0.005, law="coulomb", friction=0.5, restitution=0.1)
    scene.terrain([(-9, -9, 0), (99, -9, 0), (99, 99, 0), (-9, 99, 0)], [(0, 1, 2), (0, 2, 3)])
    for k in range(count):
        column = k // 5
        scene.box((1.0, 0.9, 0.5 + 0.01 * (k % 7)),
                  (1.5 * (column % 40) + 0.01 * (k % 3), 1.5 * (column // 40), 0.3 + 0.6 * (k % 5)), density=2500.0)
    scene.link(4, None, point_b=(0.0, 0.0, 10.0))
    scene.step(steps)
    return scene.hash()


def main():
    if len(sys.argv) > 1:
        print(run(*(int(word) for word in sys.argv[1:4])))
        return
    program = os.path.join(os.environ["TALUS_TEST_BIN"], "python_columns")
    for count, steps, threads in ((100, 200, 1), (100, 200, 3), (5, 1, 1)):
        words = [program, str(count), str(steps), "1"]
        said = int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        found = run(count, steps, threads)
        assert found == said, f"{count} boxes, {steps} steps, {threads} threads: {found} here, {said} in C"
    assert run(100, 200, 1) != run(100, 201, 1)


if __name__ == "__main__":
    main()
