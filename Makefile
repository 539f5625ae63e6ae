# Each word means one thing. `make run` and `make test` are all that a fresh machine needs.
.DEFAULT_GOAL := build
.PHONY: build run test cover test-faults test-failover test-alerts soak lint bench fuzz screenshots deb try-deb check-deploy

GOLANGCI := go tool -modfile=.ci/tools/go.mod golangci-lint
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE     ?= $(shell git show -s --format=%cI HEAD 2>/dev/null)

build: ## bin/feedwire: static, and the same bytes wherever it is built from the same source by the same Go
	CGO_ENABLED=0 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X main.version=$(VERSION) -X main.revision=$(REVISION) -X main.date=$(DATE)" -o bin/feedwire ./cmd/feedwire

try-deb: deb ## the package in a fresh Debian with a systemd of its own: installed, upgraded, purged; needs root, debootstrap, systemd-nspawn
	deploy/deb/try "$$(ls -t dist/*.deb | head -n 1)"

check-deploy: ## the files below deploy, by the programs that read them
	.ci/deploy
	cd deploy/check && go vet ./... && go test -count 1 ./...
	go test -count 1 -run TestBehindProxies ./cmd/feedwire -proxies

deb: build ## dist/feedwire_VERSION_ARCH.deb
	VERSION="$(VERSION)" DATE="$(DATE)" deploy/deb/build

run: build ## the demo: everything at work, no Redis and no internet needed
	./bin/feedwire demo

# Tests wait for servers and browsers more than they work, so four packages run at a time, with six tests of each.
test: ## every test, against a real Redis and in a real browser, with the race detector
	.ci/redis
	.ci/chromium
	.ci/prometheus
	go test -race -shuffle=on -p 4 -parallel 6 -timeout 20m ./...

# Apart from test: the counters of coverage are atomic there, and the race detector takes each for a handshake between
# goroutines. It would miss races, and be several times as slow.
cover: ## how much of the code the tests reach, together
	.ci/redis
	.ci/chromium
	.ci/prometheus
	go test -timeout 20m -coverpkg=./... -coverprofile=coverage.out ./...
	@go tool cover -func=coverage.out | tail -n 1

test-faults: ## a daemon at work while Redis, the disk, the network and the clock fail: prints docs/faults.md with what was seen
	.ci/redis
	go test -race -tags faults -count=1 -timeout 5m -parallel 6 -v -run '^TestFaults' ./store ./cmd/feedwire

test-failover: ## every way in which a master is replaced, under load for longer than make test has it
	.ci/redis
	go test -race -count=1 -timeout 5m -parallel 6 -v -run '^TestFailOver$$' ./cmd/feedwire -failover 5s

soak: ## a daemon with 500 sources and 200 subscribers for SOAK: does anything grow?
	.ci/redis
	go test -tags soak -count=1 -timeout 0 -v -run '^TestSoak$$' ./cmd/feedwire -soak $${SOAK:-10m}

lint: ## vet, formatting and the linters of .golangci.yml; a tidy go.mod
	go vet -tags faults,soak ./...
	$(GOLANGCI) run ./...
	go mod tidy -diff

bench: ## speed and memory, each as a ratio to this machine's limit in the same run
	.ci/redis
	go test -run '^$$' -bench . -benchtime 2s ./store ./ingest ./signals/hub ./publish/... ./cmd/feedwire

screenshots: ## docs/screens: every page of the desk, in both schemes of colours
	.ci/redis
	.ci/chromium
	go test -count 1 -run TestDesk/pages ./cmd/feedwire -screens "$(CURDIR)/docs/screens"

test-alerts: ## a real Prometheus beside a real daemon, on which trouble is brought: alerts fire and clear
	.ci/redis
	.ci/prometheus
	go test -race -count 1 -v -run TestAlertsFireAndClear ./cmd/feedwire -alerts

fuzz: ## each fuzz target for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 5x $$pkg || exit 1; \
		done; \
	done
