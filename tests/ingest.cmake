# From surveys to one grid, a source and a deposit.
talus_test(test_las_file unit/test_las_file.c LIBS talus_ingest_parts)
talus_test(test_ingest_xyz unit/test_ingest_xyz.c LIBS talus_ingest_parts)
talus_test(test_ingest_numbers unit/test_ingest_numbers.c LIBS talus_ingest_parts)
talus_test(test_ingest_parts unit/test_ingest_parts.c LIBS talus_ingest_parts)
talus_test(ingest_las_corpus property/ingest_las_corpus.c LIBS talus_ingest_parts)
talus_test(ingest_truth property/ingest_truth.c
    LIBS talus_datasets_parts talus_geo LABELS slow)
talus_test(ingest_trier property/ingest_trier.c SOURCES ingest_scan.c
    LIBS talus_geo PkgConfig::GDAL LABELS slow)
talus_fuzzer(fuzz_las fuzz/fuzz_las.c LIBS talus_ingest_parts)
talus_fuzzer(fuzz_xyz fuzz/fuzz_xyz.c LIBS talus_ingest_parts)
talus_script_test(ingest_wrong_input cli/ingest_wrong_input.sh)
add_executable(ingest_binning bench/ingest_binning.c)
target_link_libraries(ingest_binning PRIVATE talus_flags talus_ingest_parts m)
set_target_properties(ingest_binning PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
talus_script_test(ingest_bands cli/ingest_bands.sh)
talus_script_test(ingest_outputs cli/ingest_outputs.sh LABELS slow)
talus_script_test(ingest_helens cli/ingest_helens.sh)

# Long: twenty surveys of the same ground (seeds that nothing was tuned with), the fuzz targets, and
# fifty million points against PDAL.
add_test(NAME ingest_truth_over_seeds COMMAND ingest_truth 21 40)
talus_test_properties(ingest_truth_over_seeds "long" 7200)
talus_script_test(ingest_fuzz_long fuzz/ingest_long.sh LABELS long TIMEOUT 7200)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/scratch/ingest_binning)
add_test(NAME ingest_binning COMMAND ingest_binning ${CMAKE_BINARY_DIR}/tests/scratch/ingest_binning 50)
talus_test_properties(ingest_binning "long;bench" 3600)
