package subscriber

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Timeouts of calls to the hub.
const (
	confirmTimeout = time.Minute      // until it calls back, before the command gives up
	renewRetry     = 5 * time.Minute  // between attempts to renew a lease
	discoverRest   = time.Minute      // between two discoveries, if leases are short
	leaveTimeout   = 10 * time.Second // for unsubscribing
	requestedLease = 6 * time.Hour    // short, because a killed command cannot unsubscribe
)

// Options of Run. Client, Out and Notes are required.
type Options struct {
	Client   *fetch.Client
	Hub      string    // URL; empty: that of the feed
	Listen   string    // address of the callback; port 0 selects a free port
	Callback string    // public URL that leads to Listen; empty: http:// and the address
	Exec     string    // command for each entry, with the entry as JSON on its standard input; empty: entries are printed
	JSON     bool      // prints entries as JSON, one per line
	Out      io.Writer // for entries
	Notes    io.Writer // for everything else

	patience time.Duration // until the hub calls back; default confirmTimeout
	rest     time.Duration // between two discoveries; default discoverRest
}

// subscriber is one subscription at one hub.
type subscriber struct {
	opts              Options
	feedURL, callback string
	hub, topic        string // of the document; only renew writes them, under mu
	page              bool   // the document is not a feed
	discovered        time.Time
	token             string // last part of the callback, which authenticates the hub
	secret            string // of the signatures
	printed           printed

	intents chan websub.Intent // that the hub sent to the callback
	queue   chan parser.Raw    // signed deliveries, not yet printed

	mu     sync.Mutex
	wanted feed.HubMode // that the hub may confirm; empty: none
	until  time.Time    // end of the time for the confirmation
	left   bool         // the hub has confirmed the end of the subscription
}

// Run subscribes to a feed, prints entries until ctx ends, and unsubscribes.
func Run(ctx context.Context, feedURL string, opts Options) error {
	opts.patience, opts.rest = cmp.Or(opts.patience, confirmTimeout), cmp.Or(opts.rest, discoverRest)
	s := &subscriber{
		opts: opts, feedURL: feedURL, token: rand.Text(), secret: rand.Text(),
		printed: printed{digests: make(map[string]string)}, intents: make(chan websub.Intent, 8), queue: make(chan parser.Raw, 64),
	}
	if err := s.find(ctx); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.opts.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", s.opts.Listen, err)
	}
	if s.callback, err = url.JoinPath(cmp.Or(s.opts.Callback, "http://"+setup.Reachable(l.Addr().String())), s.token); err != nil {
		return errors.Join(fmt.Errorf("callback: %w", err), l.Close())
	}
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	var parts sync.WaitGroup
	parts.Go(func() { _ = srv.Serve(l) }) // until it is shut down
	closed := make(chan struct{})
	parts.Go(func() { s.process(ctx, closed) })
	err = s.renew(ctx)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close()
	}
	close(closed)
	parts.Wait()
	return err
}

// process handles deliveries in order until closed is closed and the queue is empty. Only its requests for the document end with ctx.
func (s *subscriber) process(ctx context.Context, closed <-chan struct{}) {
	for {
		select {
		case doc := <-s.queue:
			s.handle(ctx, doc)
		case <-closed:
			if len(s.queue) == 0 {
				return
			}
		}
	}
}

// renew renews the subscription until ctx ends or the hub denies it.
func (s *subscriber) renew(ctx context.Context) error {
	if err := s.request(ctx, feed.HubSubscribe); err != nil {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		return err
	}
	fmt.Fprintf(s.opts.Notes, "requested %[2]s from %[1]s; the hub must be able to reach %[3]s\n", s.hub, s.topic, s.callbackHost())
	if setup.IsPublic(s.hub) && !setup.IsPublic(s.callback) {
		fmt.Fprintln(s.opts.Notes, "that address is private but the hub is public; set --callback to a public URL that leads to --listen")
	}
	confirmed := false
	next := time.NewTimer(s.opts.patience)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			if !confirmed {
				return nil
			}
			return s.leave(context.WithoutCancel(ctx))
		case <-next.C:
			if !confirmed {
				return fmt.Errorf("%s accepted the request but did not confirm it within %v; can it reach %s? Check --listen and --callback; "+
					"a feedwire hub calls private addresses only if hub.allow_networks contains them", s.hub, s.opts.patience, s.callbackHost())
			}
			s.rediscover(ctx)
			if err := s.request(ctx, feed.HubSubscribe); err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.opts.Notes, "lease not renewed: %v\n", err)
			}
			next.Reset(renewRetry)
		case intent := <-s.intents:
			if intent.Mode == feed.HubDenied {
				return fmt.Errorf("%s denied the subscription: %s", s.hub, cmp.Or(terminal.OneLine(intent.Reason), "no reason given"))
			}
			if next.Stop(); intent.Lease > 0 {
				next.Reset(max(intent.Lease*9/10, time.Second))
			}
			if !confirmed {
				lease := ""
				if intent.Lease > 0 {
					lease = " for " + terminal.Span(intent.Lease) + ", renewed before it expires"
				}
				fmt.Fprintf(s.opts.Notes, "subscribed%s; interrupt to unsubscribe\n", lease)
			}
			confirmed = true
		}
	}
}

// leave unsubscribes and waits for the confirmation of the hub.
func (s *subscriber) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	if err := s.request(ctx, feed.HubUnsubscribe); err != nil {
		return fmt.Errorf("the subscription remains until its lease expires: %w", err)
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not confirm the end; the subscription remains until its lease expires", s.hub)
		case intent := <-s.intents:
			if intent.Mode == feed.HubUnsubscribe || intent.Mode == feed.HubDenied {
				fmt.Fprintln(s.opts.Notes, "unsubscribed")
				return nil
			}
		}
	}
}

// callbackHost returns the callback without its secret part.
func (s *subscriber) callbackHost() string {
	u, err := url.Parse(s.callback)
	if err != nil {
		return "the callback"
	}
	return u.Scheme + "://" + u.Host + "/…"
}
