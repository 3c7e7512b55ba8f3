# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls with whatever comes: wrong shapes, NaN, strings, freed scenes, other threads. Each either works or raises
an exception of Python; none crashes (the asan build runs this too). fuzz.py [CALLS] [SEED]"""

import gc
import math
import os
import random
import sys
import tempfile
import threading
import warnings

import numpy as np

import talus
from talus import _talus

ALLOWED = (talus.Error, ValueError, TypeError, IndexError, KeyError, RuntimeError, OSError, OverflowError,
           AttributeError, MemoryError)
PLANE = ([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2), (0, 2, 3)])


class Strange:
    """Answers questions by errors and nonsense."""

    def __float__(self):
        return math.inf

    def __index__(self):
        return -7

    def __str__(self):
        raise ValueError("no words")

    def __array__(self, *unused):
        raise MemoryError("no array")


class Fuzz:
    def __init__(self, seed, folder):
        self.random, self.folder, self.scenes, self.kept = random.Random(seed), folder, [], []

    def value(self, depth=0):
        r = self.random
        pick = r.randrange(16 if depth < 2 else 11)
        return (None, r.uniform(-3, 3), math.nan, math.inf, r.randint(-2, 9), 2 ** 70, "rock", "", b"x\0y",
                Strange(), -1.0)[pick] if pick < 11 else (
            lambda: [self.value(depth + 1) for _ in range(r.randrange(5))],
            lambda: tuple(r.uniform(-2, 2) for _ in range(3)),
            lambda: np.full(r.choice([(3,), (2, 3), (0, 3), (4, 4), ()]), r.choice([0.0, 1.0, math.nan])),
            lambda: np.arange(r.randrange(1, 9)),
            lambda: {"a": self.value(depth + 1)})[pick - 11]()

    def arguments(self, names):
        chosen = [n for n in names if self.random.random() < 0.5]
        return {n: self.value() for n in chosen}

    def good(self, r):
        """A call that should mostly work, so that scenes come to something."""
        scene = self.scenes[-1]
        place = [r.uniform(-5, 5), r.uniform(-5, 5), r.uniform(1, 9)]
        body = r.randrange(max(1, scene.body_count))
        return r.choice([
            lambda: scene.box((1, 1, 1), place), lambda: scene.sphere(0.5, place), lambda: scene.step(3),
            lambda: scene.hull(np.random.default_rng(r.randrange(99)).normal(size=(9, 3)), position=place),
            lambda: scene.fix(body, place), lambda: scene.link(body, None, point_b=place, gap=r.choice([0, 1])),
            lambda: scene.prescribe(body, [0, 1], velocity=[(0, 0, 1), (1, 0, 0)]),
            lambda: scene.prescribe(body, [0, 1], direction=(1, 0, 0), acceleration=[0, 1]),
            lambda: scene.deform(body, 1e8, element=r.choice([0.5, 1, 9])), lambda: scene.stress(body),
            lambda: scene.deform(body, 1e8, kinematics="pseudo-rigid"), lambda: scene.nodes(body),
            lambda: self.kept.append(scene.history(k=("tension", body))),
            lambda: scene.exclude(body), lambda: scene.law("rock", "ground", friction=r.random()),
            lambda: self.kept.append(scene.history(k=("kinetic", body))), lambda: self.kept[-1]["k"],
            lambda: self.kept.append((scene.position, scene.contacts, scene.report)), lambda: scene.remove(body),
            lambda: scene.checkpoint(os.path.join(self.folder, "a")),
            lambda: scene.resume(os.path.join(self.folder, "a")),
            lambda: scene.to_vtk(os.path.join(self.folder, "a.vtk")), lambda: scene.run(0.05, until_still=True)])

    def wild(self, r):
        scene = self.scenes[-1]
        name = r.choice([n for n in dir(talus.Scene) if not n.startswith("_") and n != "step"] + ["step"] * 3)
        member = getattr(scene, name)
        if not callable(member):
            return lambda: self.kept.append(member)
        if name in ("step", "run") and r.random() < 0.9:
            return lambda: member(r.choice([0, 1, 2, -1, "x", None, math.nan]))
        if name == "run":
            return lambda: None  # a long one is no fault
        code = member.__code__
        names = code.co_varnames[1:code.co_argcount]
        return lambda: member(*[self.value() for _ in names[:r.randrange(len(names) + 1)]], **self.arguments(
            ["friction", "law", "density"] if r.random() < 0.2 else []))

    def raw(self, r):
        """The binding itself, past the package."""
        state = self.scenes[-1]._state
        arrays = self.scenes[-1]._arrays()
        for _ in range(r.randrange(4)):
            name = r.choice(list(arrays))
            arrays[name] = r.choice([lambda: arrays[name][:-1], lambda: self.value(),
                                     lambda: arrays[name].astype("f8") * r.choice([1, -1, math.nan]),
                                     lambda: np.where(arrays[name] == 1, r.randrange(-5, 99), arrays[name]).astype(
                                         arrays[name].dtype)])()
        if state is None or r.random() < 0.5:
            return lambda: _talus.create(arrays, r.choice([1, 2, 0, -3]))
        method = getattr(state, r.choice([n for n in dir(state) if not n.startswith("_") and n != "step"]))
        return lambda: method(*[self.value() for _ in range(r.randrange(13))])

    def scene(self, r):
        def make():
            made = talus.Scene(threads=r.choice([1, 1, 2]), **self.arguments(["dt_s"] if r.random() < 0.1 else []))
            if r.random() < 0.7:
                made.terrain(*PLANE)
            for k in range(r.randrange(5)):
                made.box((1, 1, r.uniform(0.5, 1)), (1.2 * k, 0.1 * k, r.uniform(0.6, 1.5)))
            self.scenes.append(made)
        return make

    def call(self):
        r = self.random
        kind = r.choices([self.scene, self.good, self.wild, self.raw], [1, 9, 8, 4])[0]
        try:
            (kind if self.scenes else self.scene)(r)()
        except ALLOWED:
            pass
        if len(self.scenes) > 3:
            self.scenes.pop(0)
        if r.random() < 0.02:
            self.scenes.clear()
            gc.collect()
        for old in self.kept[-20:]:  # what is kept of scenes that are gone can be read
            for view in old if isinstance(old, tuple) else ():
                np.array(view).tobytes()
        del self.kept[:-20]


def main():
    calls, seed = (int(word) for word in (sys.argv[1:] + ["1500", "1"][len(sys.argv) - 1:])[:2])
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Fuzz(seed, folder)
        for _ in range(calls):
            fuzz.call()
        stranger = Fuzz(seed + 1, folder)
        stranger.scenes = fuzz.scenes = [talus.Scene()]
        for k in range(4):
            fuzz.scenes[0].box((1, 1, 1), (2 * k, 0, 0))
        threads = [threading.Thread(target=lambda f=f: [f.call() for _ in range(calls // 5)]) for f in (fuzz, stranger)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{calls + 2 * (calls // 5)} calls")


if __name__ == "__main__":
    main()
