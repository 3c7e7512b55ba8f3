# SPDX-License-Identifier: GPL-3.0-or-later
"""pip's way to the Python package: CMake builds it as it does for `make install`, and pip packs it."""

import os
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildByCMake(build_ext):
    def run(self):
        here, build = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(self.build_temp)
        subprocess.run(["cmake", "-S", here, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DTALUS_ONLY_PYTHON=ON",
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--parallel", "--target", "talus_python"], check=True)
        target = os.path.join(os.path.abspath(self.build_lib), "talus")
        os.makedirs(target, exist_ok=True)
        for name in ("_talus.abi3.so", "version.py"):
            shutil.copy(os.path.join(build, "python", "talus", name), target)


setup(ext_modules=[Extension("talus._talus", [], py_limited_api=True)], cmdclass={"build_ext": BuildByCMake},
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
