# Tests of core/geo. Some look at the files with GDAL itself.
talus_test(unit/grid.c LIBS talus_geo)
talus_test(unit/crs.c LIBS talus_geo PkgConfig::PROJ)
talus_test(unit/pixels.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/raster_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/netcdf_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/geopackage.c LIBS talus_geo PkgConfig::GDAL)
talus_test(fault/geo.c LIBS talus_geo)
