package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

func newDemo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch the whole of it work: no Redis, no internet needed",
		Long: `Run the real daemon on feeds of its own, with a crawler that takes the articles as Facebook's did, and print what
happens. Everything is kept in a temporary directory that is removed in the end.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd) },
	}
	config.Flags(cmd.Flags())
	return cmd
}

// demo is the daemon together with the world around it.
type demo struct {
	app    *app
	out    io.Writer
	mu     sync.Mutex // guards out, so that lines stay whole
	start  time.Time
	origin string
	known  map[string]bool // imported articles that were told of
}

func runDemo(cmd *cobra.Command) (err error) {
	ctx := cmd.Context()
	dir, err := os.MkdirTemp("", "feedwire-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	origin, err := listen(ctx, "127.0.0.1:0")
	if err != nil {
		return err
	}
	d := &demo{
		out: cmd.OutOrStdout(), start: time.Now(), origin: "http://" + origin.Addr().String(), known: make(map[string]bool),
	}
	cfg, err := d.configure(cmd, dir)
	if err != nil {
		return errors.Join(err, origin.Close())
	}
	if d.app, err = newApp(ctx, cfg, newDemoLogger(d.say)); err != nil {
		return errors.Join(err, origin.Close())
	}
	d.app.demo = true
	d.welcome(dir)

	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serveOrigin(gctx, origin) })
	g.Go(func() error { return d.app.Run(gctx) })
	g.Go(func() error { d.followSignals(gctx); return nil })
	g.Go(func() error { d.crawl(gctx); return nil })
	err = g.Wait()
	d.summary()
	return err
}

// configure is the configuration of the demo: what the user says, on top of it the origin's feeds.
func (d *demo) configure(cmd *cobra.Command, dir string) (*config.Config, error) {
	set := func(flag, value string) error {
		if cmd.Flags().Changed(flag) {
			return nil
		}
		return cmd.Flags().Set(flag, value)
	}
	address := "127.0.0.1:8080"
	if l, err := listen(cmd.Context(), address); err == nil {
		_ = l.Close()
	} else {
		address = "127.0.0.1:0" // taken: any other will do for a demo
	}
	err := errors.Join(
		set("data-dir", filepath.Join(dir, "data")),
		set("listen", address),
		set("fetch-allow-networks", "127.0.0.1/32"),
		set("hub-allow-networks", "127.0.0.1/32"),
		set("fetch-interval", "2s"),
		set("fetch-min-interval", "0"),
		set("fetch-host-delay", "0"),
	)
	if err != nil {
		return nil, err
	}
	// A demo must not touch what is real: neither the file nor the environment of the daemon counts, only flags.
	cfg, err := config.Load(os.DevNull, nil, cmd.Flags())
	if err != nil {
		return nil, err
	}
	for _, path := range demoFeeds() {
		url, err := feed.CanonicalURL(d.origin + path)
		if err != nil {
			return nil, err
		}
		cfg.Sources = append(cfg.Sources, feed.Source{
			ID: feed.SourceID(url), URL: url, Feeds: []string{shown}, Publish: feed.PublishAuto,
		})
	}
	return cfg, nil
}

// serveOrigin serves the demo's feeds until the context ends.
func serveOrigin(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: newDemoOrigin(time.Now), ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("demo origin: %w", err)
	}
	return nil
}

func (d *demo) base() string { return "http://" + d.app.listener.Addr().String() }

func (d *demo) welcome(dir string) {
	fmt.Fprintf(d.out, `
  feedwire demo

  Overview          %[1]s/   (open without sign-in on this machine, as only a demo is)
  Production feed   %[1]s/feed/production
  Metrics           %[1]s/metrics
  Command line      %[4]s source list --server %[1]s --data-dir %[2]s

  Four feeds at %[3]s are polled every two seconds; that address alone is allowed beside public ones.
  A crawler takes the production feed every three seconds. After the fourth time an article is imported.
  Nothing is kept after the end. Stop with Ctrl-C.

`, d.base(), filepath.Join(dir, "data"), d.origin, os.Args[0])
}

// say prints one line of what happens.
func (d *demo) say(what, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text = strings.ReplaceAll(text, d.origin+"/", "")
	fmt.Fprintf(d.out, "%5.1fs  %-11s %s\n", time.Since(d.start).Seconds(), what, oneLine(text))
}

// followSignals prints each signal.
func (d *demo) followSignals(ctx context.Context) {
	after := "0-0"
	for ctx.Err() == nil {
		signals, err := d.app.store.Signals(ctx, after, 100, time.Second)
		if err != nil && !sleep(ctx, 50*time.Millisecond) { // the store is about to start
			return
		}
		for i := range signals {
			after = signals[i].ID
			d.say("signal", describe(&signals[i]))
		}
	}
}

// crawl takes the production feed as its consumer would, and tells how the articles stand.
func (d *demo) crawl(ctx context.Context) {
	if !sleep(ctx, 2*time.Second) {
		return
	}
	crawl(ctx, d.base()+"/feed/production", 3*time.Second, func(r crawlResult) {
		if r.Err != nil {
			d.say("crawler", "failed: "+r.Err.Error())
			return
		}
		d.say("crawler", fmt.Sprintf("/feed/production %d, %s, %d KB, impressions %s",
			r.Status, articles(len(r.GUIDs)), r.Bytes/1024, r.Impressions))
		if sleep(ctx, 500*time.Millisecond) { // an impression counts when the answer has arrived
			d.standings(ctx)
		}
	})
}

// standings prints how often the published articles were seen, and which have become imported.
func (d *demo) standings(ctx context.Context) {
	published, err := d.articles(ctx, feed.StatePublished)
	if err != nil {
		return
	}
	seen := make(map[int]int)
	for _, a := range published {
		seen[len(a.Feeds[shown].Impressions)]++
	}
	for n := range feed.ImportAfter {
		if seen[n] > 0 {
			d.say("impressions", fmt.Sprintf("%d/%d  %s", n, feed.ImportAfter, articles(seen[n])))
		}
	}
	imported, err := d.articles(ctx, feed.StateImported)
	if err != nil {
		return
	}
	for _, a := range imported {
		if p := a.Feeds[shown]; !d.known[a.UUID] && p.State == feed.StateImported {
			d.known[a.UUID] = true
			d.say("imported", fmt.Sprintf("%d/%d  %s", len(p.Impressions), feed.ImportAfter, a.Title))
		}
	}
}

// shown is the feed that the demo's crawler fetches.
const shown = "production"

// articles are up to 100 articles in a state there.
func (d *demo) articles(ctx context.Context, state feed.State) ([]feed.Article, error) {
	q := feed.ArticleQuery{Type: shown, State: state, Limit: 100, Look: 100}
	page, err := d.app.store.FindArticles(ctx, q, []string{shown}, func(*feed.Article) bool { return true })
	return page.Articles, err
}

func articles(n int) string {
	if n == 1 {
		return "1 article"
	}
	return fmt.Sprintf("%d articles", n)
}

// summary prints what was done, as the metrics have it.
func (d *demo) summary() {
	fmt.Fprintf(d.out, "\n  %.0f polls, %.0f new and %.0f changed entries, %.0f impressions, %.0f articles imported, in %s\n\n",
		sumMetric(d.app.registry, "feedwire_polls_total", "", ""),
		sumMetric(d.app.registry, "feedwire_entries_ingested_total", "outcome", "new"),
		sumMetric(d.app.registry, "feedwire_entries_ingested_total", "outcome", "updated"),
		sumMetric(d.app.registry, "feedwire_impressions_total", "outcome", "counted"),
		sumMetric(d.app.registry, "feedwire_article_transitions_total", "to", "imported"),
		time.Since(d.start).Round(time.Second))
}

// sumMetric sums a counter or gauge over the series whose label has a value; an empty label takes all.
func sumMetric(g prometheus.Gatherer, name, label, value string) (sum float64) {
	families, err := g.Gather()
	if err != nil {
		return 0
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			match := label == ""
			for _, l := range m.GetLabel() {
				match = match || l.GetName() == label && l.GetValue() == value
			}
			if match {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() // it is one of them
			}
		}
	}
	return sum
}
