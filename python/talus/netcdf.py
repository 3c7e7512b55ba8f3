# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading NetCDF files through the C library that talus itself writes them with."""

import ctypes
import ctypes.util
import threading

import numpy as np

# Numbers of the C library: NC_CHAR, NC_INT ... and what they are in numpy.
KINDS = {1: "i1", 2: "S1", 3: "i2", 4: "i4", 5: "f4", 6: "f8", 7: "u1", 8: "u2", 9: "u4", 10: "i8",
         11: "u8"}
GLOBAL = -1
_lock = threading.Lock()  # the library is not made for threads
_library = None


class Array(np.ndarray):
    """Numbers with a name, a unit and the names of their dimensions."""

    name = unit = long_name = ""
    dimensions = ()

    def __array_finalize__(self, other):
        for key in ("name", "unit", "long_name"):
            setattr(self, key, getattr(other, key, ""))


def _load():
    global _library
    if _library is None:
        for name in ("libnetcdf.so.19", "libnetcdf.so", ctypes.util.find_library("netcdf")):
            try:
                library = ctypes.CDLL(name) if name else None
            except OSError:
                library = None
            if library is not None:
                library.nc_strerror.restype = ctypes.c_char_p
                _library = library
                break
        else:
            raise ImportError("the NetCDF library is not there: install Debian's libnetcdf19")
    silence = getattr(_library, "H5Eset_auto2", None)  # each thread has its own errors, and prints them
    if silence is not None:
        silence(ctypes.c_int64(0), None, None)
    return _library


class Dataset:
    """A file: dataset["name"] is an Array, dataset.attributes a dictionary."""

    def __init__(self, path):
        self.path, self._id = str(path), None
        number = ctypes.c_int()
        with _lock:
            library = _load()
            status = library.nc_open(self.path.encode(), 0, ctypes.byref(number))
        if status != 0:
            raise OSError(f"{self.path}: {library.nc_strerror(status).decode()}")
        self._id = number.value
        try:
            self._names = self._read_names()
            self.attributes = self._attributes(GLOBAL)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Arrays that were read stay."""
        if self._id is not None:
            with _lock:
                _load().nc_close(self._id)
            self._id = None

    def __del__(self):
        if getattr(self, "_id", None) is not None:
            self.close()

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def _call(self, function, *arguments):
        if self._id is None:
            raise ValueError(f"{self.path} is closed")
        with _lock:
            status = getattr(_load(), function)(self._id, *arguments)
        if status != 0:
            raise OSError(f"{self.path}: {_load().nc_strerror(status).decode()}")

    def _read_names(self):
        count = ctypes.c_int()
        self._call("nc_inq_nvars", ctypes.byref(count))
        names, text = {}, ctypes.create_string_buffer(257)
        for number in range(count.value):
            self._call("nc_inq_varname", number, text)
            names[text.value.decode()] = number
        return names

    def _attributes(self, variable):
        count = ctypes.c_int()
        self._call("nc_inq_natts" if variable == GLOBAL else "nc_inq_varnatts",
                   *(() if variable == GLOBAL else (variable,)), ctypes.byref(count))
        found, text = {}, ctypes.create_string_buffer(257)
        for number in range(count.value):
            self._call("nc_inq_attname", variable, number, text)
            found[text.value.decode()] = self._attribute(variable, text.value)
        return found

    def _attribute(self, variable, name):
        kind, length = ctypes.c_int(), ctypes.c_size_t()
        self._call("nc_inq_att", variable, name, ctypes.byref(kind), ctypes.byref(length))
        if kind.value not in KINDS:
            return None
        values = np.empty(length.value, KINDS[kind.value])
        if length.value:
            self._call("nc_get_att", variable, name, values.ctypes.data_as(ctypes.c_void_p))
        if kind.value == 2:
            return values.tobytes().rstrip(b"\0").decode("utf-8", "replace")
        return values[0].item() if len(values) == 1 else values

    def _dimensions(self, number):
        count, numbers = ctypes.c_int(), (ctypes.c_int * 1024)()
        self._call("nc_inq_varndims", number, ctypes.byref(count))
        self._call("nc_inq_vardimid", number, numbers)
        names, lengths, text = [], [], ctypes.create_string_buffer(257)
        for dimension in numbers[:count.value]:
            length = ctypes.c_size_t()
            self._call("nc_inq_dim", dimension, text, ctypes.byref(length))
            names.append(text.value.decode())
            lengths.append(length.value)
        return tuple(names), tuple(lengths)

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"{self.path} has no {name}; it has {', '.join(self._names)}")
        number, kind = self._names[name], ctypes.c_int()
        self._call("nc_inq_vartype", number, ctypes.byref(kind))
        if kind.value not in KINDS:
            raise ValueError(f"{self.path}: {name} is of a kind that talus does not write")
        dimensions, shape = self._dimensions(number)
        values = np.empty(shape, KINDS[kind.value])
        self._call("nc_get_var", number, values.ctypes.data_as(ctypes.c_void_p))
        array, notes = values.view(Array), self._attributes(number)
        array.name, array.dimensions = name, dimensions
        array.unit, array.long_name = str(notes.get("units", "")), str(notes.get("long_name", ""))
        return array

    def words(self, name):
        """The rows of a table of characters."""
        table = np.asarray(self[name])
        return [row.tobytes().split(b"\0")[0].decode("utf-8", "replace").rstrip() for row in table]

    def origin(self):
        """What positions inside talus are counted from, in coordinates of the study."""
        return np.array([self.attributes[f"origin_{k}_m"] for k in ("east", "north", "height")])
