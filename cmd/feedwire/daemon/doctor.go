package daemon

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/publish/web"
)

// serveDoctor serves GET /-/doctor.
func (a *app) serveDoctor(w http.ResponseWriter, r *http.Request) {
	web.JSON(w, http.StatusOK, a.examine(r.Context()))
}

// examine runs all checks of a running daemon.
func (a *app) examine(ctx context.Context) doctor.Findings {
	cfg := a.cfg()
	h, err := a.store.Ops.Health(ctx)
	ready := doctor.Findings{doctor.OK("store", "the store accepts writes")}
	if err := a.store.Check(ctx); err != nil {
		ready = doctor.NotReady(err.Error())
	}
	all := slices.Concat(doctor.Store(&h, err), ready, doctor.Host(cfg), doctor.Files(cfg), doctor.Config(cfg, os.Environ()), doctor.Proxy(ctx, cfg),
		doctor.Address(ctx, cfg.PublicURL, a.store.Proof), doctor.FormerURLs(a.catalog.FormerURLs()))
	if sources, err := a.store.Sources.Sources(ctx); err == nil { // otherwise the check of the store has failed too
		all = slices.Concat(all, doctor.Sources(sources, time.Now()), doctor.Community(&cfg.Community, sources))
	}
	if url := cfg.Posts.S3.URL; url != "" {
		all = append(all, doctor.Bucket(url, a.media.Check(ctx)))
	}
	if cfg.Search.Enabled {
		all = append(all, doctor.Search(a.entries.Incomplete(), a.entries.Err()))
	}
	if a.checkMail != nil {
		all = append(all, doctor.Mail(cfg.Mail.Host, a.checkMail(ctx)))
	}
	return slices.Concat(all, a.examineFeeds(ctx), doctor.Reload(a.reloads.last()))
}

// examineFeeds renders each outgoing feed.
func (a *app) examineFeeds(ctx context.Context) (all doctor.Findings) {
	names := a.publisher.Names()
	for _, name := range names {
		if _, err := a.publisher.Document(ctx, name); err != nil {
			all = append(all, doctor.FeedFailed(name, err)...)
		}
	}
	return all.OrOK("feeds", fmt.Sprintf("%d feeds are up to date: %s", len(names), strings.Join(names, ", ")))
}

// serveProof responds to a challenge as only this installation can.
func (a *app) serveProof(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	question := r.URL.Query().Get("question")
	proof := a.store.Proof(question)
	if proof == "" || question == "" || len(question) > 64 {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	fmt.Fprintln(w, proof) //nolint:gosec // hex digits
}
