# SPDX-License-Identifier: GPL-3.0-or-later
"""talus.open: files written by other programs (ncgen, sqlite3) come back as they were written."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import talus

CDL = """netcdf run {
dimensions: frame = 3 ; block = 2 ; three = 3 ; class = 2 ; letter = 8 ;
variables:
    double time(frame) ; time:units = "s" ; time:long_name = "time since the event" ;
    float velocity(frame, block, three) ; velocity:units = "m s-1" ;
    int state(block) ;
    int crs ; crs:number = 4 ;
    char class_name(class, letter) ;
:origin_east_m = 100. ; :origin_north_m = 200. ; :origin_height_m = 3. ; :title = "Motion" ; :pair = 1, 2 ;
data:
    time = 0, 0.5, 1 ;
    velocity = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 ;
    state = 0, 1 ;
    crs = 7 ;
    class_name = "rock", "ground" ;
}
"""


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        path = self.path("run.cdl")
        with open(path, "w", encoding="ascii") as file:
            file.write(CDL)
        plain = {name: word for name, word in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer is ours alone
        subprocess.run(["ncgen", "-k", "nc4", "-o", self.path("run.nc"), path], check=True, env=plain)

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_arrays_have_names_units_and_dimensions(self):
        run = talus.open(self.folder).run
        self.assertEqual((run.velocity.name, run.velocity.unit), ("velocity", "m s-1"))
        self.assertEqual(run.velocity.dimensions, ("frame", "block", "three"))
        np.testing.assert_array_equal(run.velocity.ravel(), np.arange(1, 19))
        self.assertEqual((run["time"].long_name, run.time.dtype), ("time since the event", np.float64))
        self.assertEqual(int(run.crs), 7)
        self.assertEqual(run.attributes["title"], "Motion")
        self.assertEqual(list(run.attributes["pair"]), [1, 2])
        self.assertEqual(set(run), {"time", "velocity", "state", "crs", "class_name"})
        with talus.results.Dataset(self.path("run.nc")) as file:
            self.assertEqual(file.words("class_name"), ["rock", "ground"])
            np.testing.assert_array_equal(file.origin(), [100, 200, 3])

    def test_scores_tables_and_layers(self):
        row = {"value": 0.5, "unit": "1", "all": {"low": 0.4, "high": 0.6}, "meaning": "Half."}
        with open(self.path("scores.json"), "w", encoding="ascii") as file:
            json.dump({"scores": {"iou": row, "none": {"value": None, "unit": "m"}}}, file)
        with open(self.path("scores.csv"), "w", encoding="ascii") as file:
            file.write("score,unit,value\niou,1,0.5\nnone,m,\n")
        base = sqlite3.connect(self.path("result.gpkg"))
        base.executescript("""CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT);
            CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT);
            CREATE TABLE scores (name TEXT, value REAL);
            INSERT INTO gpkg_contents VALUES ('scores', 'attributes');
            INSERT INTO scores VALUES ('iou', 0.5), ('none', NULL);""")
        base.close()
        results = talus.open(self.folder)
        self.assertEqual((results.scores["iou"], results.scores["iou"].low), (0.5, 0.4))
        self.assertTrue(np.isnan(results.scores["none"]))
        np.testing.assert_array_equal(results.table("scores")["value"], [0.5, np.nan])
        self.assertEqual(list(results.layers()["scores"]["name"]), ["iou", "none"])

    def test_what_is_not_there_is_said(self):
        self.assertRaisesRegex(FileNotFoundError, "no such folder", talus.open, self.path("nowhere"))
        os.mkdir(self.path("empty"))
        self.assertRaisesRegex(FileNotFoundError, "no results", talus.open, self.path("empty"))
        results = talus.open(self.folder)
        self.assertRaisesRegex(AttributeError, "it has run", lambda: results.maps)
        self.assertRaisesRegex(AttributeError, "it has time", lambda: results.run.speed)
        self.assertRaises(FileNotFoundError, results.layers)
        with open(self.path("maps.nc"), "wb") as file:
            file.write(b"no netcdf")
        self.assertRaises(OSError, lambda: talus.open(self.folder).maps)

    def test_threads_read_at_the_same_time(self):
        wrong = []

        def read():
            for _ in range(50):
                if talus.open(self.folder).run.velocity.sum() != 171:
                    wrong.append(1)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_run_of_talus(self):
        made = os.environ.get("TALUS_TEST_RESULTS")
        if not made:
            print("SKIPPED: TALUS_TEST_RESULTS names no folder of results")
            return
        results = talus.open(made)
        speed = np.linalg.norm(results.run.velocity, axis=2)
        self.assertEqual(speed.shape, results.run.x.shape)
        self.assertGreater(speed.max(), 1.0)
        self.assertIn("blocks", results.layers())
        scene = talus.Scene(dt_s=0.02, friction=0.6)
        scene.read_terrain(os.path.join(made, "terrain.nc"))
        self.assertEqual(len(scene.read(os.path.join(made, "blocks.nc"))), results.run.block.size)
        scene.step()


if __name__ == "__main__":
    unittest.main() if shutil.which("ncgen") else print("SKIPPED: ncgen is not installed (netcdf-bin)")
