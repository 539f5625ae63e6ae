package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// demo is a daemon with an origin and a crawler.
type demo struct {
	daemon Daemon
	out    io.Writer
	mu     sync.Mutex // serialises lines
	start  time.Time
	origin string
	known  map[string]bool // imported articles that were printed
}

// Daemon is the daemon that the demo runs.
type Daemon interface {
	Run(ctx context.Context) error
	// URL returns the base URL.
	URL() string
	Metrics() prometheus.Gatherer
	// Signals returns up to limit signals after an id and waits up to block for the first.
	Signals(ctx context.Context, after string, limit int, block time.Duration) ([]feed.Signal, error)
	// Articles returns up to 100 articles in a state of an outgoing feed.
	Articles(ctx context.Context, typ string, state feed.State) ([]feed.Article, error)
}

// Run runs an origin, a daemon and a crawler until ctx ends. flags override the settings of the demo.
func Run(ctx context.Context, flags *pflag.FlagSet, out io.Writer, newDaemon func(context.Context, *config.Config, *slog.Logger) (Daemon, error)) (err error) {
	dir, err := os.MkdirTemp("", "feedwire-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	origin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d := &demo{out: out, start: time.Now(), origin: "http://" + origin.Addr().String(), known: make(map[string]bool)}
	cfg, err := d.configure(ctx, flags, dir)
	if err != nil {
		return errors.Join(err, origin.Close())
	}
	if d.daemon, err = newDaemon(ctx, cfg, newDemoLogger(d.say)); err != nil {
		return errors.Join(err, origin.Close())
	}
	d.welcome(dir)

	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serveOrigin(gctx, origin) })
	g.Go(func() error { return d.daemon.Run(gctx) })
	g.Go(func() error { d.followSignals(gctx); return nil })
	g.Go(func() error { d.crawl(gctx); return nil })
	err = g.Wait()
	d.summary()
	return err
}

// configure returns the configuration of the demo: the flags and the feeds of the origin.
func (d *demo) configure(ctx context.Context, flags *pflag.FlagSet, dir string) (*config.Config, error) {
	address := "127.0.0.1:8080"
	if l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address); err == nil {
		_ = l.Close()
	} else {
		address = "127.0.0.1:0" // any other port
	}
	for flag, value := range map[string]string{
		"data-dir": filepath.Join(dir, "data"), "listen": address, "fetch-allow-networks": "127.0.0.1/32", "hub-allow-networks": "127.0.0.1/32",
		"fetch-interval": "2s", "fetch-min-interval": "0", "fetch-host-delay": "0",
	} {
		if !flags.Changed(flag) {
			if err := flags.Set(flag, value); err != nil {
				return nil, err
			}
		}
	}
	// Ignore file and environment, so that the demo never uses real data.
	cfg, err := config.Load(os.DevNull, nil, flags)
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

// serveOrigin serves the feeds of the demo until ctx ends.
func serveOrigin(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: NewOrigin(time.Now), ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("demo origin: %w", err)
	}
	return nil
}

func (d *demo) welcome(dir string) {
	fmt.Fprintf(d.out, `
  feedwire demo

  Overview          %[1]s/   (no sign-in on this machine)
  Production feed   %[1]s/feed/production
  Metrics           %[1]s/metrics
  Command line      %[4]s source list --server %[1]s --data-dir %[2]s

  The daemon polls four feeds at %[3]s every two seconds.
  A crawler fetches the production feed every three seconds. The fourth fetch imports an article.
  All data is deleted at the end. Stop with Ctrl-C.

`, d.daemon.URL(), filepath.Join(dir, "data"), d.origin, os.Args[0])
}

// say prints one event.
func (d *demo) say(what, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text = strings.ReplaceAll(text, d.origin+"/", "")
	fmt.Fprintf(d.out, "%5.1fs  %-11s %s\n", time.Since(d.start).Seconds(), what, terminal.OneLine(text))
}

// followSignals prints each signal.
func (d *demo) followSignals(ctx context.Context) {
	after := "0-0"
	for ctx.Err() == nil {
		signals, err := d.daemon.Signals(ctx, after, 100, time.Second)
		if err != nil && !setup.Sleep(ctx, 50*time.Millisecond) { // the store starts
			return
		}
		for i := range signals {
			after = signals[i].ID
			d.say("signal", terminal.Signal(&signals[i]))
		}
	}
}

// crawl fetches the production feed and prints the impressions.
func (d *demo) crawl(ctx context.Context) {
	if !setup.Sleep(ctx, 2*time.Second) {
		return
	}
	crawl(ctx, d.daemon.URL()+"/feed/production", 3*time.Second, func(r crawlResult) {
		if r.Err != nil {
			d.say("crawler", "failed: "+r.Err.Error())
			return
		}
		d.say("crawler", fmt.Sprintf("/feed/production %d, %s, %d KB, impressions %s",
			r.Status, articles(r.Items), r.Bytes/1024, r.Impressions))
		if setup.Sleep(ctx, 500*time.Millisecond) { // the impression is counted after the response has arrived
			d.standings(ctx)
		}
	})
}

// standings prints the impressions of published articles and newly imported articles.
func (d *demo) standings(ctx context.Context) {
	published, err := d.daemon.Articles(ctx, shown, feed.StatePublished)
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
	imported, err := d.daemon.Articles(ctx, shown, feed.StateImported)
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

// shown is the outgoing feed that the crawler fetches.
const shown = "production"

func articles(n int) string {
	if n == 1 {
		return "1 article"
	}
	return fmt.Sprintf("%d articles", n)
}

// summary prints totals from the metrics.
func (d *demo) summary() {
	sum := func(name, label, value string) float64 {
		return SumMetric(d.daemon.Metrics(), "feedwire_"+name+"_total", label, value)
	}
	fmt.Fprintf(d.out, "\n  %.0f polls, %.0f new and %.0f changed entries, %.0f impressions, %.0f articles imported, in %s\n\n",
		sum("polls", "", ""), sum("entries_ingested", "outcome", "new"), sum("entries_ingested", "outcome", "updated"),
		sum("impressions", "outcome", "counted"), sum("article_transitions", "to", "imported"), time.Since(d.start).Round(time.Second))
}

// SumMetric sums a counter or gauge over the series with a label value. An empty label sums all series.
func SumMetric(g prometheus.Gatherer, name, label, value string) (sum float64) {
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
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() // one of them is zero
			}
		}
	}
	return sum
}
