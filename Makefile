# make run and make test need nothing but git, make, Go and a C compiler.
.DEFAULT_GOAL := build
.PHONY: build run test cover test-faults test-failover test-alerts soak lint bench fuzz screenshots deb try-deb check-deploy check-clients

# Every checkout shares one build cache: without -trimpath, compiled packages depend on the path of the checkout.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

GOLANGCI := go tool -modfile=.ci/tools/go.mod golangci-lint
SETUP    := github.com/feedwire/feedwire/cmd/feedwire/setup
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE     ?= $(shell git show -s --format=%cI HEAD 2>/dev/null)

build: ## bin/feedwire, a static program. The same source and Go version give the same bytes
	CGO_ENABLED=0 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X $(SETUP).version=$(VERSION) -X $(SETUP).revision=$(REVISION) -X $(SETUP).date=$(DATE)" -o bin/feedwire ./cmd/feedwire

try-deb: deb ## install, upgrade and purge the package in a fresh Debian; requires root, debootstrap, systemd-nspawn
	deploy/deb/try "$$(ls -t dist/*.deb | head -n 1)"

check-deploy: ## check the files in deploy with the programs that read them
	.ci/deploy
	cd deploy/check && go vet ./... && go test -count 1 ./...
	go test -count 1 -run TestBehindProxies ./cmd/feedwire/daemon -proxies

check-clients: ## generate clients in Go and TypeScript from the OpenAPI document, and compile a program with each
	.ci/clients/run

deb: build ## dist/feedwire_VERSION_ARCH.deb
	VERSION="$(VERSION)" DATE="$(DATE)" deploy/deb/build

run: build ## start the demo; needs no Redis and no internet connection
	./bin/feedwire demo

test: ## run all tests, with a real Redis and a real browser
	.ci/redis
	.ci/chromium
	.ci/prometheus
	.ci/xmllint
	go run .ci/test.go -shuffle=on -parallel 6 -timeout 20m

# Separate from test: the race detector takes the atomic counters of coverage for synchronisation, misses races, and is
# several times slower.
cover: ## measure the coverage of all packages
	.ci/redis
	.ci/chromium
	.ci/prometheus
	.ci/xmllint
	go test -timeout 20m -coverpkg=./... -coverprofile=coverage.out ./...
	@go tool cover -func=coverage.out | tail -n 1

test-faults: ## let Redis, disk, network and clock fail under a working daemon, and flood it; prints docs/reference/faults.md with observations
	.ci/redis
	go test -race -tags faults -count=1 -timeout 5m -parallel 6 -v -run '^TestFaults' ./store ./store/ranking
	go test -tags faults -count=1 -timeout 8m -parallel 6 -v -run '^TestFaults|AtRandomMoments$$' ./cmd/feedwire/e2e
	go test -count=1 -timeout 5m -v -run '^TestFlood$$' ./cmd/feedwire/e2e -flood 1000000 -flood-late 2s

test-failover: ## replace masters in every way, under load, longer than in make test
	.ci/redis
	go test -race -count=1 -timeout 5m -parallel 6 -v -run '^TestFailOver$$' ./cmd/feedwire/daemon -failover 5s

soak: ## run a daemon with 500 sources and 200 subscribers for SOAK (10m); nothing may grow
	.ci/redis
	go test -tags soak -count=1 -timeout 0 -v -run '^TestSoak$$' ./cmd/feedwire/e2e -soak $${SOAK:-10m}

lint: ## run the linters of .golangci.yml, which include vet and gofmt, and go mod tidy -diff
	$(GOLANGCI) run ./...
	go mod tidy -diff

bench: ## measure speed and memory as ratios to this machine's limit in the same run
	.ci/redis
	go test -run '^$$' -bench . -benchtime 2s ./...

screenshots: ## take pictures of every page of the desk for docs/screens, light and dark
	.ci/redis
	.ci/chromium
	go test -count 1 -run 'TestDesk/(pages|the_first_week)' ./cmd/feedwire/daemon -screens "$(CURDIR)/docs/screens"

test-alerts: ## let alerts of a real Prometheus fire and clear
	.ci/redis
	.ci/prometheus
	go test -race -count 1 -v -run TestAlertsFireAndClear ./cmd/feedwire/daemon -alerts

fuzz: ## run each fuzz target for FUZZTIME (30s)
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 5x $$pkg || exit 1; \
		done; \
	done
