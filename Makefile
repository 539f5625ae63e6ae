# Each word means one thing. `make run` and `make test` are all that a fresh machine needs.
.DEFAULT_GOAL := build
.PHONY: build run test lint bench fuzz screenshots deb try-deb check-deploy

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

test: ## every test, against a real Redis and in a real browser, with the race detector
	.ci/redis
	.ci/chromium
	go test -race -shuffle=on -timeout 10m -coverpkg=./... -coverprofile=coverage.out ./...
	@go tool cover -func=coverage.out | tail -n 1

lint: ## vet, formatting and the linters of .golangci.yml; a tidy go.mod
	go vet ./...
	$(GOLANGCI) run ./...
	go mod tidy -diff

bench: ## speed and memory, each as a ratio to this machine's limit in the same run
	.ci/redis
	go test -run '^$$' -bench . -benchtime 2s ./store ./ingest ./signals/hub ./publish/... ./cmd/feedwire

screenshots: ## docs/screens: every page of the desk, in both schemes of colours
	.ci/redis
	.ci/chromium
	go test -count 1 -run TestDesk/pages ./cmd/feedwire -screens "$(CURDIR)/docs/screens"

fuzz: ## each fuzz target for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 5x $$pkg || exit 1; \
		done; \
	done
