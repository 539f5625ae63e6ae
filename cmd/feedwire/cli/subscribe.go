package cli

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

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Timeouts of calls to the hub.
const (
	confirmTimeout = time.Minute      // until it calls back, before the command gives up
	renewRetry     = 5 * time.Minute  // between attempts to renew a lease
	leaveTimeout   = 10 * time.Second // for unsubscribing
	requestedLease = 6 * time.Hour    // short, because a killed command cannot unsubscribe
)

func newSubscribe() *cobra.Command {
	s := subscriber{patience: confirmTimeout, client: newFetcher(anyNetwork())}
	var listenAt, callback string
	cmd := &cobra.Command{
		Use:   "subscribe URL",
		Short: "Subscribe to a feed at its hub and print new entries (WebSub)",
		Long: `Subscribe to a feed at its WebSub or PubSubHubbub hub and print each new or changed entry until interrupted, then unsubscribe.
Deliveries without a valid signature are rejected. The command stores nothing and does not need a daemon.

The hub must be able to reach this program at the address in --listen, or at the URL in --callback that leads to it. --exec
runs a shell command for each entry, one at a time, with the entry as JSON on its standard input.

With --hub, URL is the topic itself and discovery is skipped.`,
		Example: `  feedwire subscribe https://blog.example.org/feed.xml --listen :8099 --callback https://me.example.net/push
  feedwire subscribe https://blog.example.org/feed.xml --exec 'jq -r .link'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			s.notes, s.entries.out, s.entries.errs = cmd.ErrOrStderr(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			s.entries.json = isJSON(cmd)
			return s.run(cmd.Context(), args[0], listenAt, callback)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.hub, "hub", "", "URL of the hub (default: discovered from the feed)")
	f.StringVar(&listenAt, "listen", "127.0.0.1:0", "listen on this address; port 0 selects a free port")
	f.StringVar(&callback, "callback", "", "public URL of --listen (default: http:// and the address)")
	f.StringVar(&s.entries.exec, "exec", "", "shell `COMMAND` to run for each entry")
	f.StringP("output", "o", "table", "output format: table, or json with one entry per line")
	return cmd
}

// subscriber is one subscription at one hub.
type subscriber struct {
	client               *fetch.Client
	hub, topic, callback string
	token                string // last part of the callback, which authenticates the hub
	secret               string // of the signatures
	notes                io.Writer
	entries              entries

	patience time.Duration      // until the hub calls back
	intents  chan websub.Intent // that the hub sent to the callback
	queue    chan delivery      // accepted, not yet printed

	mu     sync.Mutex
	wanted websub.Mode // that the hub may confirm; empty: none
	until  time.Time   // end of the time for the confirmation
	left   bool        // the hub has confirmed the end of the subscription
}

// run subscribes, prints entries until ctx ends, and unsubscribes.
func (s *subscriber) run(ctx context.Context, feedURL, listenAt, callback string) error {
	if err := s.find(ctx, feedURL); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listenAt)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", listenAt, err)
	}
	s.token, s.secret = rand.Text(), rand.Text()
	callback = cmp.Or(callback, "http://"+reachable(l.Addr().String()))
	if err = feed.CheckCallback(callback); err == nil {
		s.callback, err = url.JoinPath(callback, s.token)
	}
	if err != nil {
		return errors.Join(usage(fmt.Errorf("callback: %w", err)), l.Close())
	}
	s.intents, s.queue = make(chan websub.Intent, 8), make(chan delivery, 64)

	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	var parts sync.WaitGroup
	parts.Go(func() { _ = srv.Serve(l) }) // until it is shut down
	closed := make(chan struct{})
	parts.Go(func() { s.process(context.WithoutCancel(ctx), closed) })
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

// process handles deliveries in order until closed is closed and the queue is empty.
func (s *subscriber) process(ctx context.Context, closed <-chan struct{}) {
	for {
		select {
		case d := <-s.queue:
			s.entries.handle(ctx, d)
		case <-closed:
			if len(s.queue) == 0 {
				return
			}
		}
	}
}

// renew renews the subscription until ctx ends or the hub denies it.
func (s *subscriber) renew(ctx context.Context) error {
	if err := s.request(ctx, websub.Subscribe); err != nil {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		return err
	}
	fmt.Fprintf(s.notes, "requested %[2]s from %[1]s; the hub must be able to reach %[3]s\n", s.hub, s.topic, s.callbackHost())
	if setup.IsPublic(s.hub) && !setup.IsPublic(s.callback) {
		fmt.Fprintln(s.notes, "that address is private but the hub is public; set --callback to a public URL that leads to --listen")
	}
	confirmed := false
	next := time.NewTimer(s.patience)
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
					"a feedwire hub calls private addresses only if hub.allow_networks contains them", s.hub, s.patience, s.callbackHost())
			}
			if err := s.request(ctx, websub.Subscribe); err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.notes, "lease not renewed: %v\n", err)
			}
			next.Reset(renewRetry)
		case intent := <-s.intents:
			if intent.Mode == websub.Denied {
				return fmt.Errorf("%s denied the subscription: %s", s.hub, cmp.Or(terminal.OneLine(intent.Reason), "no reason given"))
			}
			if next.Stop(); intent.Lease > 0 {
				next.Reset(max(intent.Lease*9/10, time.Second))
			}
			if !confirmed {
				fmt.Fprintf(s.notes, "subscribed%s; interrupt to unsubscribe\n", leaseText(intent.Lease))
			}
			confirmed = true
		}
	}
}

func leaseText(lease time.Duration) string {
	if lease == 0 {
		return ""
	}
	return " for " + terminal.Span(lease) + ", renewed before it expires"
}

// leave unsubscribes and waits for the confirmation of the hub.
func (s *subscriber) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	if err := s.request(ctx, websub.Unsubscribe); err != nil {
		return fmt.Errorf("the subscription remains until its lease expires: %w", err)
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not confirm the end; the subscription remains until its lease expires", s.hub)
		case intent := <-s.intents:
			if intent.Mode == websub.Unsubscribe || intent.Mode == websub.Denied {
				fmt.Fprintln(s.notes, "unsubscribed")
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
