# The generator of the embedded sites.
talus_test(test_dataset_surface unit/test_dataset_surface.c LIBS talus_datasets_parts)
talus_test(test_dataset_las unit/test_dataset_las.c LIBS talus_datasets_parts)
talus_test(dataset_scene property/dataset_scene.c LIBS talus_datasets_parts)
talus_test(dataset_clouds property/dataset_clouds.c LIBS talus_datasets_parts LABELS slow)
talus_script_test(dataset_cli cli/dataset.sh LABELS slow)
