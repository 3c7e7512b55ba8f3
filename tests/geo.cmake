# Tests of core/geo. Some look at the files with GDAL itself.
talus_test(test_grid unit/test_grid.c LIBS talus_geo)
talus_test(test_crs unit/test_crs.c LIBS talus_geo PkgConfig::PROJ)
talus_test(test_raster_file unit/test_raster_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(test_netcdf_file unit/test_netcdf_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(test_geopackage unit/test_geopackage.c LIBS talus_geo PkgConfig::GDAL)
talus_test(fault_geo fault/fault_geo.c LIBS talus_geo)
