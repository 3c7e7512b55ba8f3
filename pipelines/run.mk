# SPDX-License-Identifier: GPL-3.0-or-later
# The stages as rules on real files: BIN=programs SITE=site.ini OUT=folder.
#
# What a stage depends on besides the files of earlier stages is kept in $(OUT)/.depends/STAGE: its own
# resolved settings, and size and date of the files they name. The record is renewed while this file is
# read, and touched only when it differs, so a changed friction redoes the solver and what follows, a
# changed comment nothing, and `make -n` tells the truth.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := report

ifeq ($(wildcard $(SITE)),)
$(error no site file $(SITE): say make run SITE=path/to/site.ini)
endif

stages  := ingest mesh solve post
present := $(foreach stage,$(stages),$(if $(wildcard $(BIN)/talus-$(stage)),$(stage)))
THREADS ?= $(shell nproc 2>/dev/null || echo 1)

ingest_files := before.tif after.tif bed.tif dz.tif lod.tif source.tif deposit.tif site.gpkg ingest.json
mesh_files   := terrain.nc blocks.nc
solve_files  := run.nc
post_files   := report.html scores.json

ingest_needs :=
mesh_needs   := $(ingest_files)
solve_needs  := $(mesh_files)
post_needs   := $(solve_files) $(mesh_files) $(ingest_files)

renew := $(shell sh pipelines/depends.sh '$(BIN)' '$(SITE)' '$(OUT)' $(present) >&2 || echo failed)
ifneq ($(renew),)
$(error $(SITE) cannot be used, see above)
endif

# $(1) stage
define rule
$(addprefix $(OUT)/,$($(1)_files)) &: $(OUT)/.depends/$(1) $(addprefix $(OUT)/,$($(1)_needs)) $(BIN)/talus-$(1)
	@$(BIN)/talus-$(1) '$(SITE)' --out '$(OUT)' --overwrite --threads $(THREADS)
endef
$(foreach stage,$(present),$(eval $(call rule,$(stage))))

.PHONY: report
report: $(foreach stage,$(present),$(addprefix $(OUT)/,$($(stage)_files)))
	@if [ -f '$(OUT)/report.html' ]; then echo "Open $(OUT)/report.html in a browser, $(OUT)/result.gpkg in QGIS."; \
	 else echo "Results are in $(OUT)."; fi
