# SPDX-License-Identifier: GPL-3.0-or-later
# The stages as rules on real files: BIN=programs SITE=site.ini OUT=folder.
#
# What a stage depends on besides the files of earlier stages is kept in $(OUT)/.depends/STAGE: its own
# resolved settings, and size and date of the files they name. The record is renewed while this file is
# read, and touched only when it differs, so a changed friction redoes the solver and what follows, a
# changed comment nothing, and `make -n` tells the truth.
#
# STAGE.done is the target: it is written once the program has ended well and lists the results, so that
# a stage is redone after a failure and when one of its results is gone. (Grouped targets would need no
# such file, but GNU make 4.3 forgets under -n that it would have made them.)
.DELETE_ON_ERROR:
.DEFAULT_GOAL := report

DEPENDS ?= pipelines/depends.sh
# What a user gives is text: make would carry out a $(shell ...) in it.
$(foreach name,SITE OUT BIN DEPENDS THREADS,$(eval override $(name) := $$(value $(name))))
quote = '$(subst ','\'',$(1))'
comma := ,
cores := $(shell nproc 2>/dev/null || echo 1)
special := $$ " ` ; & | < > ( ) { } * ? [ ] \# : % \ ! ~
strange = $(strip $(foreach character,$(special),$(findstring $(character),$(1))))

ifneq ($(shell test -f $(call quote,$(SITE)) && echo there),there)
$(error no site file $(SITE): say make run SITE=path/to/site.ini)
endif
ifneq ($(words $(OUT))$(call strange,$(OUT)),1)
$(error OUT=$(OUT) must name one folder, without blanks and without any of $(special): make cannot follow files in such a place)
endif

stages  := ingest mesh solve post
present := $(foreach stage,$(stages),$(if $(wildcard $(BIN)/talus-$(stage)),$(stage)))

# What a stage makes; one epoch alone gives fewer.
ingest_files := before.tif after.tif bed.tif dz.tif lod.tif source.tif deposit.tif site.gpkg ingest.json
mesh_files   := terrain.nc blocks.nc
solve_files  := run.nc
post_files   := report.html scores.json

# Whose files it reads.
ingest_reads :=
mesh_reads   := ingest
solve_reads  := mesh
post_reads   := ingest mesh solve

renew := $(shell sh $(call quote,$(DEPENDS)) $(BIN) $(call quote,$(SITE)) $(call quote,$(OUT)) $(present) >&2 || echo failed)
ifneq ($(renew),)
$(error $(SITE) cannot be used, see above)
endif

record = $(OUT)/.depends/$(1)
# Results the stage has listed that are gone.
lost = $(strip $(foreach file,$(shell cat $(call record,$(1)).done 2>/dev/null),$(if $(wildcard $(OUT)/$(file)),,$(file))))
# Results there now: blocks a user has put in place of ours count as a change, too.
results = $(wildcard $(addprefix $(OUT)/,$($(1)_files)))

# $(1) stage
define rule
$(call record,$(1)).done: $(call record,$(1)) $(BIN)/talus-$(1) $(if $(call lost,$(1)),again) \
    $(foreach earlier,$(filter $(present),$($(1)_reads)),$(call record,$(earlier)).done $(call results,$(earlier)))
	@$(BIN)/talus-$(1) $$(call quote,$$(SITE)) --out $$(call quote,$$(OUT)) --overwrite $(if $(filter solve,$(1)),--resume )--threads $$(call quote,$$(or $$(THREADS),$(cores)))
	@cd $$(call quote,$$(OUT)) && ls $($(1)_files) >'.depends/$(1).done' 2>/dev/null || true
endef
$(foreach stage,$(present),$(eval $(call rule,$(stage))))

.PHONY: report again
report: $(foreach stage,$(present),$(call record,$(stage)).done)
	@if [ -f $(call quote,$(OUT))/report.html ]; \
	 then echo $(call quote,Open $(OUT)/report.html in a browser$(comma) $(OUT)/result.gpkg in QGIS.); \
	 else echo $(call quote,Results are in $(OUT).); fi
