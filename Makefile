# SPDX-License-Identifier: GPL-3.0-or-later
# The front door. CMake does the building (CMakePresets.json), pipelines/run.mk the running.
.DEFAULT_GOAL := help
SHELL := /bin/sh

BUILD  ?= build
PRESET ?= release
PREFIX ?= /usr/local
ENGINE ?= local
# What a user gives is text: make would carry out a $(shell ...) in it.
$(foreach name,BUILD PRESET PREFIX DESTDIR ENGINE SITE SITES OUT ONLY,$(eval override $(name) := $$(value $(name))))
JOBS   := $(shell nproc 2>/dev/null || echo 2)
VERSION := $(shell cat VERSION)
bin    := $(BUILD)/$(PRESET)/bin
# Characters that make or the shell would take for something else.
special := $$ ' " ` ; & | < > ( ) { } * ? [ ] \# : % \ ! ~
strange = $(strip $(foreach character,$(special),$(findstring $(character),$(1))))
ifneq ($(words $(BUILD)) $(words $(PRESET))$(call strange,$(BUILD)$(PRESET)),1 1)
$(error BUILD=$(BUILD) must name one folder and PRESET=$(PRESET) one preset, without blanks and without any of $(special))
endif

# Words for the shell, whatever blanks and quotes they hold; paths seen from here, unless absolute.
from_here = $(if $(filter /%,$(firstword $(1))),$(1),$(CURDIR)/$(1))
quote = '$(subst ','\'',$(1))'
blank := $(subst ,, )
# Results go to out/NAME: the name of the site file, or of its folder where that is site.ini.
tame = $(if $(2),$(call tame,$(subst $(firstword $(2)),-,$(1)),$(wordlist 2,99,$(2))),$(1))
site_path = $(abspath $(call tame,$(subst $(blank),-,$(call from_here,$(SITE))),$(special)))
site_stem = $(basename $(notdir $(site_path)))
site_name = $(if $(filter site,$(site_stem)),$(notdir $(patsubst %/,%,$(dir $(site_path)))),$(site_stem))

export TALUS_PREFIX := $(call from_here,$(BUILD))

# One step after the other (two of them may install packages); CMake and the stages use all cores.
.NOTPARALLEL:
.PHONY: help all demo check check-long check-slurm check-mutants lint run calibrate batch bench deps docs install uninstall clean distclean dist build data deps-run which-site

help:
	@echo "talus $(VERSION): back-analysis of rockfalls and rock avalanches"
	@echo "  make demo                    the embedded site, from clouds to report (installs, builds, runs)"
	@echo "  make check [ONLY=regex]      all tests, or those so named; check-long, check-slurm"
	@echo "  make lint | check-mutants    the shape of the code, faults seen without running; do the tests bite"
	@echo "  make run SITE=my.ini         your site; redoes only what a change touches (OUT=folder)"
	@echo "  make calibrate SITE=my.ini   fit friction and dissipation to the surveyed deposit"
	@echo "  make batch SITES=\"a.ini b.ini\" [ENGINE=local|slurm]   many sites"
	@echo "  make all | bench | docs      build; measure against a baseline; regenerate reference pages"
	@echo "  make deps                    Debian packages and PDAL, nothing else"
	@echo "  make install | uninstall     [PREFIX=/usr/local] [DESTDIR=]"
	@echo "  make clean | distclean | dist   remove build; also results; make a source tarball"

deps:
	@sh setup/deps.sh --build-dir $(BUILD)

# Tests need more packages than running: `demo` and `run` leave those out.
deps-run:
	@sh setup/deps.sh --without-tests --build-dir $(BUILD)

build: deps-run
	@cmake --preset $(PRESET) -B $(BUILD)/$(PRESET) >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD)/$(PRESET) --parallel $(JOBS) --target programs

all: build
	@cmake --build $(BUILD)/$(PRESET) --parallel $(JOBS)

# The embedded clouds are made, not shipped: the same bytes every time.
data: build
	@$(MAKE) --no-print-directory -f pipelines/data.mk BIN=$(bin) DATA=$(BUILD)/datasets

demo: data
	@$(MAKE) --no-print-directory -f pipelines/run.mk BIN=$(bin) \
	    SITE=$(BUILD)/datasets/piton-marcel/site.ini OUT=$(call quote,$(or $(OUT),out/piton-marcel))

# Before anything is installed or built.
which-site:
	@test -n $(call quote,$(SITE)) || { echo "which site? Say make run SITE=path/to/site.ini (datasets/README.md shows one)" >&2; exit 2; }
	@test -f $(call quote,$(SITE)) || { echo "there is no site file "$(call quote,$(SITE)) >&2; exit 2; }

run: which-site build
	@$(MAKE) --no-print-directory -f pipelines/run.mk BIN=$(bin) SITE=$(call quote,$(SITE)) \
	    OUT=$(call quote,$(or $(OUT),out/$(site_name)))

# ONLY=solver_unit runs the tests whose names fit, whatever their labels.
check: deps all
	@sh tests/run.sh $(BUILD)/$(PRESET) $(if $(ONLY),--named $(call quote,$(ONLY)),--exclude 'long|bench')

check-long: deps all
	@sh tests/run.sh $(BUILD)/$(PRESET) --only long

# As root: starts a Slurm of its own on this machine and stops it (pipelines/engine/slurm-here.sh).
check-slurm: deps all
	@sh tests/run.sh $(BUILD)/$(PRESET) --only slurm

lint: deps
	@sh tests/lint.sh

# Changes the product and sees whether a test notices: MUTANTS="-n 200 --seed 7 solver/law/*".
check-mutants: deps
	@python3 tests/mutants/mutants.py --build $(call from_here,$(BUILD))/mutants $(MUTANTS)

bench: deps all
	@sh tests/run.sh $(BUILD)/$(PRESET) --only bench

calibrate: which-site build
	@$(bin)/talus-calibrate $(call quote,$(SITE)) --engine=$(call quote,$(ENGINE)) --out $(call quote,$(or $(OUT),out/$(site_name)-calibrate))

batch: build
	@test -n $(call quote,$(SITES)) || { echo "which sites? Say make batch SITES=\"a.ini b.ini\"" >&2; exit 2; }
	@$(bin)/talus-batch --engine=$(call quote,$(ENGINE)) --out $(call quote,$(or $(OUT),out/batch)) -- \
	    $(foreach site,$(foreach word,$(SITES),$(or $(wildcard $(word)),$(word))),$(call quote,$(site)))

docs: build
	@$(bin)/talus-dataset --help=settings >$(BUILD)/settings.md
	@cmp -s $(BUILD)/settings.md docs/settings.md || cp $(BUILD)/settings.md docs/settings.md

install: build
	@DESTDIR=$(call quote,$(DESTDIR)) cmake --install $(BUILD)/$(PRESET) --prefix $(call quote,$(call from_here,$(PREFIX)))

uninstall:
	@sh cmake/uninstall.sh $(BUILD)/$(PRESET)/install_manifest.txt $(call quote,$(DESTDIR))

dist:
	@git rev-parse --git-dir >/dev/null 2>&1 || { echo "make dist packs what is committed: it needs the git repository" >&2; exit 1; }
	@git archive --format=tar.gz --prefix=talus-$(VERSION)/ -o talus-$(VERSION).tar.gz HEAD
	@echo talus-$(VERSION).tar.gz

clean:
	rm -rf $(addprefix $(BUILD)/,release debug asan tsan fuzz clang mutants configure.log settings.md)

distclean: clean
	rm -rf $(BUILD) out
