# SPDX-License-Identifier: GPL-3.0-or-later
# The clouds of the embedded sites, generated into $(DATA).
sites := $(if $(wildcard $(BIN)/talus-dataset),slope piton-marcel)

.PHONY: all
all: $(sites:%=$(DATA)/%/truth.json)

$(DATA)/%/truth.json: $(BIN)/talus-dataset datasets/%/site.ini datasets/piton-marcel/calibrate.json
	@$(BIN)/talus-dataset $* --out $(DATA)/$* --overwrite
