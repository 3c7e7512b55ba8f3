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
#
# [report] sensitivity = yes asks for further runs of the same survey. $(OUT)/.depends/variants lists them; each
# is made by this file again in $(OUT)/sensitivity/NAME, with VARIANT=NAME FROM=$(OUT), up to the solver.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := report

DEPENDS ?= pipelines/depends.sh
# What a user gives is text: make would carry out a $(shell ...) in it.
$(foreach name,SITE OUT BIN DEPENDS THREADS VARIANT FROM,$(eval override $(name) := $$(value $(name))))
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

this    := $(lastword $(MAKEFILE_LIST))
stages  := $(if $(VARIANT),mesh solve,ingest mesh solve post)
# The settings in which a variant differs, as options for the shell.
sets    := $(if $(VARIANT),$(shell sed -n 's/^$(VARIANT) //p' $(FROM)/.depends/variants | tr ';' '\n' | sed "s/.*/--set '&'/"))
present := $(foreach stage,$(stages),$(if $(wildcard $(BIN)/talus-$(stage)),$(stage)))

# What a stage makes; one epoch alone gives fewer.
ingest_files := before.tif after.tif bed.tif dz.tif lod.tif source.tif deposit.tif site.gpkg ingest.json
mesh_files   := terrain.nc blocks.nc
solve_files  := run.nc rocks.nc
post_files   := report.html scores.json hazard.json

# Whose files it reads.
ingest_reads :=
mesh_reads   := ingest
solve_reads  := mesh
post_reads   := ingest mesh solve

renew := $(shell SETS="$(sets)" sh $(call quote,$(DEPENDS)) $(BIN) $(call quote,$(SITE)) $(call quote,$(OUT)) $(present) >&2 || echo failed)
ifneq ($(renew),)
$(error $(SITE) cannot be used, see above)
endif

record = $(OUT)/.depends/$(1)
# Results the stage has listed that are gone.
lost = $(strip $(foreach file,$(shell cat $(call record,$(1)).done 2>/dev/null),$(if $(wildcard $(OUT)/$(file)),,$(file))))
# Results there now: blocks a user has put in place of ours count as a change, too.
results = $(wildcard $(addprefix $(OUT)/,$($(1)_files)))

variants := $(if $(VARIANT),,$(shell sed 's/ .*//' $(OUT)/.depends/variants 2>/dev/null))
variant_done = $(OUT)/sensitivity/$(1)/.depends/solve.done
post_also := $(foreach variant,$(variants),$(call variant_done,$(variant)))

# A variant has the survey of the study it belongs to.
ifneq ($(VARIANT),)
mesh_also := $(call record,ingest).done
$(call record,ingest).done: $(FROM)/.depends/ingest.done
	@for file in $$(cat $(FROM)/.depends/ingest.done); do \
	    ln -f $(FROM)/$$file $(OUT)/$$file 2>/dev/null || cp -p $(FROM)/$$file $(OUT)/$$file || exit 1; done
	@cp $(FROM)/.depends/ingest.done $@
endif

# Its own make knows what is to be done; nothing that follows is redone when that is nothing.
define variant_rule
$(call variant_done,$(1)): $(call record,ingest).done again
	+@$$(MAKE) --no-print-directory -f $(this) BIN=$(BIN) SITE=$$(call quote,$$(SITE)) OUT=$(OUT)/sensitivity/$(1) \
	    VARIANT=$(1) FROM=$(OUT) DEPENDS=$$(call quote,$$(DEPENDS)) THREADS=$$(call quote,$$(THREADS)) variant
endef
$(foreach variant,$(variants),$(eval $(call variant_rule,$(variant))))

# $(1) stage
define rule
$(call record,$(1)).done: $(call record,$(1)) $(BIN)/talus-$(1) $(if $(call lost,$(1)),again) \
    $(foreach earlier,$(filter $(present),$($(1)_reads)),$(call record,$(earlier)).done $(call results,$(earlier))) \
    $($(1)_also)
	$(if $(VARIANT),@echo 'sensitivity: $(VARIANT): talus-$(1)')
	@$(BIN)/talus-$(1) $$(call quote,$$(SITE)) $$(sets) --out $$(call quote,$$(OUT)) --overwrite $(if $(filter solve,$(1)),--resume )--threads $$(call quote,$$(or $$(THREADS),$(cores)))
	@cd $$(call quote,$$(OUT)) && ls $($(1)_files) >'.depends/$(1).done' 2>/dev/null || true
endef
$(foreach stage,$(present),$(eval $(call rule,$(stage))))

.PHONY: report again variant
variant: $(call record,solve).done
	@:
report: $(foreach stage,$(present),$(call record,$(stage)).done)
	@if [ -f $(call quote,$(OUT))/report.html ]; \
	 then echo $(call quote,Open $(OUT)/report.html in a browser$(comma) $(OUT)/result.gpkg in QGIS.); \
	 else echo $(call quote,Results are in $(OUT).); fi
