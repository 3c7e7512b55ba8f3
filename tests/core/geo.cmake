# Tests of core/geo. Some look at the files with GDAL itself.
talus_test(unit/features.c LIBS talus_geo)
talus_test(unit/grid.c LIBS talus_geo)
talus_test(unit/crs.c LIBS talus_geo PkgConfig::PROJ)
talus_test(unit/pixels.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/raster_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/tiff_layout.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/netcdf_file.c LIBS talus_geo PkgConfig::GDAL)
talus_test(unit/geopackage.c LIBS talus_geo PkgConfig::GDAL)
talus_test(fault/geo.c LIBS talus_geo)
talus_fuzzer(fuzz/raster.c LIBS talus_geo PkgConfig::GDAL)
talus_fuzzer(fuzz/raster_parts.c LIBS talus_geo PkgConfig::GDAL
    WRAPS GDALOpenEx GDALClose GDALGetRasterCount GDALGetRasterBand GDALGetRasterDataType GDALGetRasterXSize
    GDALGetRasterYSize GDALGetGeoTransform GDALGetRasterUnitType GDALGetMetadataItem GDALGetSpatialRef
    OSRExportToWktEx GDALGetBlockSize GDALGetBandDataset GDALGetMaskBand GDALGetRasterScale GDALGetRasterOffset
    GDALRasterIO tal_file_check_readable tal_results_check_file tal_memory_create)
talus_fuzzer(fuzz/vector_parts.c LIBS talus_geo PkgConfig::GDAL
    WRAPS GDALOpenEx GDALClose OGR_L_GetNextFeature OGR_G_GetLinearGeometry tal_file_check_readable
    tal_crs_create tal_crs_destroy tal_crs_transform_create_flat tal_crs_transform_destroy tal_crs_transform_apply
    tal_crs_convert_flat)
talus_fuzzer(fuzz/geopackage.c LIBS talus_geo PkgConfig::GDAL)
talus_fuzzer(fuzz/text_geodata.c LIBS talus_geo)
talus_fuzzer(fuzz/netcdf.c WATCHED LIBS talus_geo)
