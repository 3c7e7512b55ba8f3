# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of a run as arrays with names and units."""

import csv
import json
import os
import sqlite3
from collections.abc import Mapping

import numpy as np

from talus.netcdf import Dataset


class Group(Mapping):
    """The variables of a NetCDF file, read when asked for: group["velocity"] or group.velocity."""

    def __init__(self, path):
        self.path, self._dataset, self._read = path, Dataset(path), {}
        self.attributes = self._dataset.attributes

    def __getitem__(self, name):
        if name not in self._read:
            self._read[name] = self._dataset[name]
        return self._read[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._dataset:
            raise AttributeError(f"{self.path} has no {name}; it has {', '.join(self._dataset)}")
        return self[name]

    def __iter__(self):
        return iter(self._dataset)

    def __len__(self):
        return sum(1 for _ in self._dataset)

    def to_xarray(self):
        """An xarray.Dataset of all of it; needs xarray (Debian: python3-xarray)."""
        import xarray

        variables = {name: (self[name].dimensions, np.asarray(self[name]),
                            {"units": self[name].unit, "long_name": self[name].long_name}) for name in self}
        return xarray.Dataset(variables, attrs=self.attributes)


class Score(float):
    """A number with its unit, its interval over runs and survey, and what it means."""

    def __new__(cls, name, row):
        value = row.get("value")
        self = super().__new__(cls, float("nan") if value is None else value)
        self.name, self.unit, self.meaning = name, row.get("unit", ""), row.get("meaning", "")
        all_of_it = row.get("all") or {}
        self.low, self.high = (all_of_it.get(end, float("nan")) for end in ("low", "high"))
        return self

    def __repr__(self):
        return f"<{self.name}: {float(self):g} {self.unit}>"


class Results:
    """A folder of results: .run, .maps, .blocks, .terrain (files of that name), .scores, layers(), json()."""

    def __init__(self, folder):
        self.folder = os.fspath(folder)
        if not os.path.isdir(self.folder):
            raise FileNotFoundError(f"{self.folder}: there is no such folder of results")
        self.files = sorted(name for name in os.listdir(self.folder) if not name.endswith(".part"))
        self._groups = {}
        if not any(name.endswith(".nc") for name in self.files):
            raise FileNotFoundError(f"{self.folder} holds no results of talus: it has no .nc file")

    def __repr__(self):
        return f"<talus results {self.folder}: {', '.join(self.files)}>"

    def __getattr__(self, name):
        if name.startswith("_") or f"{name}.nc" not in self.files:
            there = ", ".join(n[:-3] for n in self.files if n.endswith(".nc"))
            raise AttributeError(f"{self.folder} has no {name}.nc; it has {there}")
        if name not in self._groups:
            self._groups[name] = Group(os.path.join(self.folder, f"{name}.nc"))
        return self._groups[name]

    @property
    def scores(self):
        """Scores by name."""
        return {name: Score(name, row) for name, row in self.json("scores")["scores"].items()}

    def json(self, name):
        """A JSON file of the folder: ingest, mesh, run, scores."""
        with open_file(os.path.join(self.folder, f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)

    def table(self, name):
        """A CSV file of the folder as columns."""
        with open_file(os.path.join(self.folder, f"{name}.csv"), encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        columns = {key: [row[k] for row in rows] for k, key in enumerate(head)}
        return {key: _column(values) for key, values in columns.items()}

    def layers(self, name="result"):
        """The layers of a GeoPackage: GeoDataFrames where geopandas is installed (python3-geopandas), else their
        columns as arrays, without the geometry."""
        path = os.path.join(self.folder, f"{name}.gpkg")
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: there is no such file")
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
            rows = base.execute("SELECT table_name, data_type FROM gpkg_contents").fetchall()
            geometry = dict(base.execute("SELECT table_name, column_name FROM gpkg_geometry_columns"))
            plain = {layer: _read_layer(base, layer, geometry.get(layer)) for layer, kind in rows}
        base.close()
        try:
            import geopandas
        except ImportError:
            return plain
        return {layer: geopandas.read_file(path, layer=layer) if layer in geometry else plain[layer]
                for layer, _ in rows}


def _column(values):
    try:
        return np.array([float(v) if v not in ("", None) else np.nan for v in values])
    except ValueError:
        return np.array(values)


def _read_layer(base, layer, geometry):
    quoted = layer.replace('"', '""')
    cursor = base.execute(f'SELECT * FROM "{quoted}"')
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    return {name: _column([row[k] for row in rows]) for k, name in enumerate(names) if name != geometry}


open_file = open


def open(folder):  # noqa: A001 (talus.open reads like what it does)
    """The results in a folder such as out/my-site."""
    return Results(folder)
