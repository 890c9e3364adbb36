# Everything a change needs, from one place. CI runs .ci/run, which calls the same targets.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOLS   := $(CURDIR)/.tools
FUZZTIME ?= 10s

# Versions of the tools that are no dependencies of the program; installed into .tools.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
BENCHSTAT   := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

.DEFAULT_GOAL := help
.PHONY: help build check fmt vet test race fuzz tiktoken bench eval eval-full bench-ci bench-baseline bench-compare e2e docs demo docker clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the static binary bin/recap
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X recap/cli.version=$(VERSION)" -o bin/recap .

check: fmt vet race ## what must pass before a commit: format, vet, staticcheck, tests with the race detector

fmt: $(TOOLS)/gofumpt ## fail on files that gofumpt would change
	@bad=$$($(TOOLS)/gofumpt -l $$(git ls-files --cached --others --exclude-standard '*.go' | grep -v /testdata/)); \
	if [ -n "$$bad" ]; then echo "gofumpt would change:"; echo "$$bad"; exit 1; fi

vet: $(TOOLS)/staticcheck ## go vet and staticcheck
	$(GO) vet ./...
	$(TOOLS)/staticcheck ./...
	cd e2e && $(GO) vet ./... && $(TOOLS)/staticcheck ./...

test: ## all tests
	$(GO) test ./...

race: ## all tests with the race detector, in random order
	$(GO) test -race -shuffle=on ./...

fuzz: ## fuzz every target for FUZZTIME (10s)
	.ci/fuzz $(FUZZTIME)

tiktoken: ## count ten thousand samples as the official tiktoken does (installs it into tokens/.tiktoken)
	./tokens/testdata/tiktoken/install
	RECAP_TIKTOKEN=$(CURDIR)/tokens/.tiktoken $(GO) test -count=1 -run 'TestOfficial' -v ./tokens

bench: ## what a request costs next to a bare relay, httputil and nginx; writes docs/benchmarks.md
	$(GO) run ./bench

bench-ci: ## the same in five minutes, relay and Recap only; fails over a limit
	$(GO) run ./bench -gate -rounds 3

BENCHED   := ./dialect ./chat ./tokens ./pruning ./compaction ./middleware ./proxy
BENCHFLAGS = -run '^$$' -bench 'Decode|Glance|Keys|Sizes|Decide|Prune|Apply|Tap|Relay|NextTurn' -benchmem -benchtime 50ms -count 6

bench-baseline: ## write bench/testdata/baseline.txt: Go benchmarks of the packages on a request's path
	$(GO) test $(BENCHFLAGS) $(BENCHED) > bench/testdata/baseline.txt

bench-compare: $(TOOLS)/benchstat ## the same benchmarks now, against the baseline
	$(GO) test $(BENCHFLAGS) $(BENCHED) > $(TOOLS)/now.txt
	$(TOOLS)/benchstat bench/testdata/baseline.txt $(TOOLS)/now.txt

e2e: ## sixty turns with a real llama.cpp (installs it into e2e/.cache, 300 MB)
	./e2e/install
	cd e2e && $(GO) test -count=1 -timeout 28m -v ./...

docs: ## write docs/options.md, docs/headers.md and recap.example.yaml anew
	$(GO) test ./config -update

eval: ## measure compaction and hold it to its goals and the golden table (2 minutes)
	$(GO) run ./eval

eval-full: ## the same on many histories, 1,000,000 generated requests and 100,000 twins; writes docs/benchmarks.md
	$(GO) run ./eval -full -write

demo: ## watch a window fill, prune and swap
	$(GO) run . demo

docker: ## build the container image recap:VERSION
	docker build --build-arg VERSION=$(VERSION) -t recap:$(VERSION) .

clean: ## remove what was built and installed
	rm -rf bin .tools e2e/.cache tokens/.tiktoken

$(TOOLS)/staticcheck:
	GOBIN=$(TOOLS) $(GO) install $(STATICCHECK)

$(TOOLS)/gofumpt:
	GOBIN=$(TOOLS) $(GO) install $(GOFUMPT)

$(TOOLS)/benchstat:
	GOBIN=$(TOOLS) $(GO) install $(BENCHSTAT)
