# Thin: each job is a few commands. What a job needs, `./primer JOB` installs; make itself installs nothing.
.NOTPARALLEL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The environment of the tools: the same lists as in every script.
unexport $(shell . tools/environment.sh; echo $$ignored)
$(foreach setting,$(shell . tools/environment.sh; echo $$settings),$(eval export $(setting)))

export BUDGET ?= full
export MEASURE ?= yes
export STRICT ?= 0
PORT ?= 8000
# What a reader gives reaches the tools letter by letter; make would expand a dollar sign in it.
override export MACHINE := $(value MACHINE)
override export RECORDS := $(value RECORDS)
override export FILE := $(value FILE)
override export OPTIONS := $(value OPTIONS)
export N SLUG ARCH DIR
LABS := $(patsubst labs/%/lab.cpp,%,$(wildcard labs/[0-9][0-9]-*/lab.cpp))
NUMBERS := $(foreach lab,$(LABS),$(firstword $(subst -, ,$(lab))))

ifneq ($(words $(filter quick full,$(BUDGET))),1)
  $(error BUDGET='$(BUDGET)': expected quick or full)
endif

ifneq ($(words $(filter yes no,$(MEASURE))),1)
  $(error MEASURE='$(MEASURE)': expected yes or no)
endif

# The name of a lab from its number: 01-roofline from 01.
lab_of = $(filter $(1)-%,$(LABS))

.PHONY: help
help: ## list the jobs
	@sed -n 's/^\([a-z][a-z-]*\(NN\)\{0,1\}\):.*## /\1\t/p; s/^# \([a-z]*-NN\) *## /\1\t/p' Makefile | \
	while IFS='	' read -r job text; do printf '  make %-14s %s\n' "$$job" "$$text"; done
	@echo; echo '  BUDGET=quick measures in seconds instead of minutes. Labs: $(LABS)'
	@echo '  MEASURE=no builds the book from published records alone and measures nothing.'
	@echo '  If something is missing on this machine, ./primer JOB installs it first.'

# Stops with one line if the machine lacks something that the job needs.
needs-%:
	$(call stop_unless_ready,$(shell ./primer --missing $* 2>&1))
stop_unless_ready = $(if $(filter 0,$(.SHELLSTATUS)),,$(error $(1)$(if $(filter 126 127,$(.SHELLSTATUS)),: sh primer JOB says why)))

# The record tool, and what measure.html runs; `measure` builds the labs.
.PHONY: tool
tool:
	@tools/build record
	@site/browser/build

.PHONY: site
site: needs-site tool reference ## measure what has changed, then build the book: build/site/index.html
	@tools/alone tools/site

# What the headers say of themselves, for the page on the instrument.
.PHONY: reference
reference:
	@tools/alone tools/reference

.PHONY: test
test: needs-test ## run the tests of the C++, of the published book in a browser, and of the command line
	@tools/build all
	@site/browser/build
	@tools/test cuda book+cpp browser+site+cli+model timing-cpp timing-site

.PHONY: test-slow
test-slow: needs-test-slow ## test what differs from main: C++ with sanitizers, then the affected labs with the quick budget
	@tools/build all
	@site/browser/build
	@tools/test asan-changed labs

.PHONY: test-weekly
test-weekly: needs-test-weekly ## run the tests that rarely fail: all sanitizers, Clang, AArch64, every record's figures, a full run (measure and build the book), ...
	@tools/build all
	@site/browser/build
	@tools/test tidy asan tsan clang aarch64 labs-without chromium slow-site slow-cli fuzz live-book

# lab-NN        ## run one chapter's lab: prints its predictions, table and claims; updates its record and figures
.PHONY: $(addprefix lab-,$(NUMBERS))
$(addprefix lab-,$(NUMBERS)): lab-%: needs-lab-%
	@tools/alone sh -ec 'site/browser/build; tools/build record lab-$(call lab_of,$*); build/bin/lab-$(call lab_of,$*); \
	  python3 site/press/pictures/gnuplot.py figures/$*-*.gp --record build/records/$(call lab_of,$*).json'

lab-%:
	$(error there is no lab $*; the labs are: $(addprefix lab-,$(NUMBERS)))

.PHONY: yours
yours: needs-yours ## list the kernels that you can write yourself, and how far you are with each
	@python3 tools/yours

# yours-NN      ## try your own kernel in yours/: build, check and race it, draw it into the chapter's figure (WATCH=1, HINT=1)
yours-%: needs-yours-%
	@python3 tools/yours $* $(if $(filter 1,$(WATCH)),--watch) $(if $(filter 1,$(HINT)),--hint)

# OPTIONS is split into words.
.PHONY: model
model: needs-model ## count, predict and time each operation of your PyTorch model (FILE=my_model.py, OPTIONS=--help lists more)
	@tools/model "$$FILE" $$OPTIONS

.PHONY: serve
serve: needs-serve ## serve the book at http://localhost:8000/; open pages offer to reload after a rebuild (PORT=8000, PAGE=measure.html)
	@tools/serve build/site $(PORT) $(PAGE)

.PHONY: pdf
pdf: needs-pdf tool reference ## make a PDF for print from the existing records: build/hardware-first.pdf
	@tools/alone sh -c 'tools/render || [ $$? = 1 ] || exit; tools/print-book build/site build/hardware-first.pdf'
	@echo "The book: $$PWD/build/hardware-first.pdf"

.PHONY: epub
epub: needs-epub tool reference ## make an EPUB for e-readers from the existing records: build/hardware-first.epub
	@tools/alone sh -c 'tools/render || [ $$? = 1 ] || exit; tools/ebook build/hardware-first.epub'
	@echo "The book: $$PWD/build/hardware-first.epub"

.PHONY: publish
publish: needs-publish tool ## add this machine's full records to figures/records/ (MACHINE=name)
	@tools/publish "$$MACHINE" "$$RECORDS"

.PHONY: bundle
bundle: needs-bundle ## pack the compiled labs for machines without a compiler, network or root (ARCH=aarch64 for AArch64)
	@tools/bundle

.PHONY: new-chapter
new-chapter: ## create a chapter skeleton (lab, test, figure, drawing) that passes all tests (N=09 SLUG=name)
	@tools/new-chapter "$$N" "$$SLUG"

.PHONY: new-book
new-book: ## write the skeleton of a measured book that needs the installed packages only (DIR=folder)
	@tools/new-book "$$DIR"

.PHONY: listed
listed:  # before anything is compiled: no check can do without
	@tools/list-files >/dev/null

.PHONY: check
check: needs-check listed tool ## check formatting, lint, spelling, voice, each chapter's required parts, and the published records
	@tools/check

.PHONY: calibrate
calibrate: needs-calibrate ## compare the instrument with Google Benchmark, likwid-bench and STREAM
	@cmake --preset default
	@tools/calibrate "$${TURNS:-5}" $${STREAM:+"$$STREAM"}

.PHONY: clean
clean: ## empty build/, including this machine's records
	@sh tools/alone find build/ -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} +
