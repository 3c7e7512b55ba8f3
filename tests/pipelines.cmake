# Studies: calibration and batches. Most tests use stage programs that only leave a trace
# (cli/pipelines_fake.sh), so that they take seconds.
talus_test(test_study unit/test_study.c LIBS talus_pipelines_parts)
talus_test(test_calibrate unit/test_calibrate.c LIBS talus_pipelines_parts)
talus_script_test(pipelines_batch cli/pipelines_batch.sh)
talus_script_test(pipelines_lock cli/pipelines_lock.sh)
talus_script_test(pipelines_calibrate cli/pipelines_calibrate.sh)
talus_script_test(pipelines_kill cli/pipelines_kill.sh LABELS slow)
talus_script_test(pipelines_scale cli/pipelines_scale.sh LABELS slow)
talus_script_test(pipelines_faults fault/pipelines_faults.sh TIMEOUT 900 LABELS slow)
# Starts a Slurm of its own, as root: `make check-slurm`, or ctest -L slurm. The real stages.
talus_script_test(pipelines_slurm cli/pipelines_slurm.sh TIMEOUT 900 LABELS slurm long)
talus_script_test(pipelines_twin cli/pipelines_twin.sh TIMEOUT 1800 LABELS long)
talus_script_test(chain_slope cli/chain_slope.sh LABELS slow)
