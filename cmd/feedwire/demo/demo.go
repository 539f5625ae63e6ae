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
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// demo is a daemon with an origin and a crawler.
type demo struct {
	api    *client.Client
	out    io.Writer
	start  time.Time
	origin string

	line sync.Mutex // serialises lines

	state   sync.Mutex
	failing map[string]bool // sources by URL

	polls, created, modified, impressions atomic.Int64
	imported                              map[string]bool // articles that were printed as imported, by UUID
}

// NewDaemon builds a daemon whose pages require no sign-in on this machine. It returns its Run and its base URL.
type NewDaemon func(ctx context.Context, cfg *config.Config, log *slog.Logger) (run func(context.Context) error, url string, err error)

// Run runs an origin, a daemon and a crawler until ctx ends. flags override the settings of the demo.
func Run(ctx context.Context, flags *pflag.FlagSet, out io.Writer, newDaemon NewDaemon) (err error) {
	dir, err := os.MkdirTemp("", "feedwire-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	origin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d := &demo{out: out, start: time.Now(), origin: "http://" + origin.Addr().String(), imported: make(map[string]bool), failing: make(map[string]bool)}
	cfg, err := d.configure(ctx, flags, dir)
	if err != nil {
		return errors.Join(err, origin.Close())
	}
	run, url, err := newDaemon(ctx, cfg, slog.New(&demoLog{demo: d}))
	if err != nil {
		return errors.Join(err, origin.Close())
	}
	token, err := setup.Token(cfg, false)
	if err != nil {
		return errors.Join(err, origin.Close())
	}
	d.api = client.New(url, token, 10*time.Second)
	d.welcome(dir)

	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serveOrigin(gctx, origin) })
	g.Go(func() error { return run(gctx) })
	g.Go(func() error { d.followSignals(gctx); return nil })
	g.Go(func() error { d.crawl(gctx); return nil })
	g.Go(func() error { d.chooseDefaults(gctx, cfg.Sources); return nil })
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
		"people-sign-up": "open", "fetch-interval": "2s", "fetch-min-interval": "0", "fetch-host-delay": "0",
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
		source := feed.Source{ID: feed.SourceID(url), URL: url, Feeds: []string{shown}, Publish: feed.PublishAuto}
		if path == reviewed {
			source.Publish = feed.PublishManual
		}
		cfg.Sources = append(cfg.Sources, source)
	}
	return cfg, nil
}

// serveOrigin serves the feeds of the demo until ctx ends.
func serveOrigin(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: NewLivingOrigin(time.Now), ReadHeaderTimeout: 5 * time.Second}
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

  Inbox             %[1]s/inbox   (no sign-in on this machine)
  Overview          %[1]s/
  Read as a member  %[1]s/sign-up
  Production feed   %[1]s/feed/production
  Metrics           %[1]s/metrics
  Command line      %[4]s source list --server %[1]s --data-dir %[2]s

  The daemon polls four feeds at %[3]s every two seconds. They have two days of history, and go on.
  Articles of the garden wait for you to publish them. One feed is broken, and the garden fails now and then.
  A crawler fetches the production feed every three seconds. The fourth fetch imports an article.
  Each line below is a story, a failure or an import. All data is deleted at the end. Stop with Ctrl-C.

`, d.api.Base, filepath.Join(dir, "data"), d.origin, os.Args[0])
}

// say prints one event.
func (d *demo) say(what, text string) {
	d.line.Lock()
	defer d.line.Unlock()
	text = strings.ReplaceAll(text, d.origin+"/", "")
	fmt.Fprintf(d.out, "%5.1fs  %-11s %s\n", time.Since(d.start).Seconds(), what, terminal.OneLine(text))
}

// turned reports whether a source begins to fail or recovers.
func (d *demo) turned(source string, fails bool) bool {
	d.state.Lock()
	defer d.state.Unlock()
	before := d.failing[source]
	d.failing[source] = fails
	return before != fails
}

// chooseDefaults makes new members follow sources, once the store has them.
func (d *demo) chooseDefaults(ctx context.Context, sources []feed.Source) {
	for retry.Await(ctx, nil, 200*time.Millisecond) && len(sources) > 0 {
		if d.api.Call(ctx, http.MethodPut, "/api/v1/default-follows/"+sources[0].ID, nil, nil) == nil {
			sources = sources[1:]
		}
	}
}

// followSignals prints each story that is new or changed, and how many there were before.
func (d *demo) followSignals(ctx context.Context) {
	after, old := "", 0
	for retry.Await(ctx, nil, 200*time.Millisecond) {
		var page feed.Page[feed.Signal]
		if err := d.api.Call(ctx, http.MethodGet, "/api/v1/signals?limit=100&after="+after, nil, &page); err != nil {
			continue // the store starts
		}
		for i := range page.Items {
			signal := &page.Items[i]
			after = signal.ID
			switch {
			case signal.Post == nil:
			case signal.Kind == feed.PostCreated && signal.Post.Timestamp.Before(d.start.Add(-time.Minute)):
				old++
			default:
				if old > 0 {
					d.say("history", fmt.Sprintf("%d stories of the last two days", old))
					old = 0
				}
				d.say("signal", terminal.Signal(signal))
			}
		}
	}
}

// crawl fetches the production feed, and prints what differs from the fetch before.
func (d *demo) crawl(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	last := 0 // status
	for pause := 2 * time.Second; retry.Await(ctx, nil, pause); pause = 2500 * time.Millisecond {
		r, err := fetch(ctx, client, d.api.Base+"/feed/"+shown)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			d.say("crawler", "failed: "+err.Error())
			last = 0
			continue
		}
		if r.Status != last && r.Items > 0 {
			d.say("crawler", fmt.Sprintf("/feed/production %d, %s, %d KB, impressions %s",
				r.Status, articles(r.Items), r.Bytes/1024, r.Impressions))
			last = r.Status
		}
		if r.Impressions == "counted" {
			d.impressions.Add(int64(r.Items))
		}
		if retry.Await(ctx, nil, 500*time.Millisecond) { // the impression is counted after the response has arrived
			d.standings(ctx)
		}
	}
}

// standings prints newly imported articles.
func (d *demo) standings(ctx context.Context) {
	var titles []string
	count := 0 // of impressions
	for _, a := range d.articles(ctx, feed.StateImported) {
		if !d.imported[a.UUID] {
			d.imported[a.UUID] = true
			titles, count = append(titles, a.Title), len(a.Feeds[shown].Impressions)
		}
	}
	switch len(titles) {
	case 0:
	case 1:
		d.say("imported", fmt.Sprintf("%d/%d  %s", count, feed.ImportAfter, titles[0]))
	default:
		d.say("imported", fmt.Sprintf("%d/%d  %s, such as %s", count, feed.ImportAfter, articles(len(titles)), titles[0]))
	}
}

// articles returns the articles in a state.
func (d *demo) articles(ctx context.Context, state feed.State) []feed.Article {
	var page feed.Page[feed.Article]
	_ = d.api.Call(ctx, http.MethodGet, "/api/v1/articles?limit=100&feed="+shown+"&state="+string(state), nil, &page) // none if it fails
	return page.Items
}

// shown is the outgoing feed that the crawler fetches, and reviewed the feed of the origin whose articles wait for an editor.
const (
	shown    = "production"
	reviewed = "/garden.json"
)

func articles(n int) string {
	if n == 1 {
		return "1 article"
	}
	return fmt.Sprintf("%d articles", n)
}

// summary prints the totals.
func (d *demo) summary() {
	fmt.Fprintf(d.out, "\n  %d polls, %d new and %d changed entries, %d impressions, %d articles imported, in %s\n\n",
		d.polls.Load(), d.created.Load(), d.modified.Load(), d.impressions.Load(), len(d.imported), time.Since(d.start).Round(time.Second))
}
