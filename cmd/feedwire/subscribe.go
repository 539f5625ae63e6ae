package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// How long things may take at a hub.
const (
	hubPatience = time.Minute      // until it calls back, before the command gives up
	hubRenewal  = 5 * time.Minute  // between tries to renew a lease
	leaveTime   = 10 * time.Second // for taking leave, whatever the hub does
	askedLease  = 6 * time.Hour    // short, for when the command is killed and cannot take its leave
)

func newSubscribe() *cobra.Command {
	s := subscriber{patience: hubPatience}
	var listenAt, callback string
	cmd := &cobra.Command{
		Use:   "subscribe URL",
		Short: "Subscribe to a feed at its hub and print each entry as it comes (WebSub)",
		Long: `Subscribe to a feed at the hub that it names, any hub of WebSub or PubSubHubbub, and print each new or changed entry as
it comes, until interrupted; then the subscription is ended. Deliveries without a good signature are refused. No daemon
is asked, and nothing is stored.

The hub has to reach this program: it calls the address of --listen, or the URL of --callback that leads there. With
--exec a shell runs the command for each entry, one after the other, with the entry as JSON on its standard input.

With --hub the URL itself is the topic, and that hub is asked.`,
		Example: `  feedwire subscribe https://blog.example.org/feed.xml --listen :8099 --callback https://me.example.net/push
  feedwire subscribe https://blog.example.org/feed.xml --exec 'jq -r .link'`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			s.notes, s.entries.out, s.entries.errs = cmd.ErrOrStderr(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			s.entries.json = cmd.Flag("output").Value.String() == "json"
			return s.run(cmd.Context(), args[0], listenAt, callback)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.hub, "hub", "", "URL of the hub (default: the one that the feed names)")
	f.StringVar(&listenAt, "listen", "127.0.0.1:0", "address at which the hub is heard; port 0: any that is free")
	f.StringVar(&callback, "callback", "", "URL under which the hub reaches that address (default: http:// and the address)")
	f.StringVar(&s.entries.exec, "exec", "", "command to run for each entry, which it gets as JSON on its standard input")
	f.StringP("output", "o", "table", "table, or json: an entry a line")
	return cmd
}

// subscriber is one subscription at one hub, from the request to the leave.
type subscriber struct {
	hub, topic, callback string
	token                string // last part of the callback: whoever does not know it is not heard
	secret               string // of the signatures
	notes                io.Writer
	entries              entries

	patience time.Duration      // until the hub calls back
	heard    chan websub.Intent // what it has said at the callback
	queue    chan delivery      // taken, and not told yet

	mu     sync.Mutex
	wanted websub.Mode // what the hub may confirm; empty: nothing
	until  time.Time   // when it may no longer
	left   bool        // the hub has confirmed the leave
}

// run subscribes, tells of what comes, and takes leave when the context ends.
func (s *subscriber) run(ctx context.Context, feedURL, listenAt, callback string) error {
	if err := s.find(ctx, feedURL); err != nil {
		return err
	}
	l, err := listen(ctx, listenAt)
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
	s.heard, s.queue = make(chan websub.Intent, 8), make(chan delivery, 64)

	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	var parts sync.WaitGroup
	parts.Go(func() { _ = srv.Serve(l) }) // until it is shut down
	closed := make(chan struct{})
	parts.Go(func() { s.tell(context.WithoutCancel(ctx), closed) })
	err = s.stay(ctx)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close()
	}
	close(closed)
	parts.Wait()
	return err
}

// tell tells of what was taken, to the last of it after closed is closed.
func (s *subscriber) tell(ctx context.Context, closed <-chan struct{}) {
	for {
		select {
		case d := <-s.queue:
			s.entries.tell(ctx, d)
		case <-closed:
			if len(s.queue) == 0 {
				return
			}
		}
	}
}

// stay keeps the subscription until the context ends or the hub refuses it.
func (s *subscriber) stay(ctx context.Context) error {
	if err := s.ask(ctx, websub.Subscribe); err != nil {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		return err
	}
	fmt.Fprintf(s.notes, "asked %s for %s; it has to call %s\n", s.hub, s.topic, s.hint())
	if isPublic(s.hub) && !isPublic(s.callback) {
		fmt.Fprintln(s.notes, "that address is none of the internet, where the hub is: --callback takes one that leads to --listen")
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
				return fmt.Errorf("%s took the request, and did not confirm it within %v; can it reach %s? See --listen and --callback; "+
					"a feedwire there calls private addresses only with hub.allow_networks", s.hub, s.patience, s.hint())
			}
			if err := s.ask(ctx, websub.Subscribe); err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.notes, "lease not renewed: %v\n", err)
			}
			next.Reset(hubRenewal)
		case said := <-s.heard:
			if said.Mode == websub.Denied {
				return fmt.Errorf("%s denies the subscription: %s", s.hub, cmp.Or(oneLine(said.Reason), "it gives no reason"))
			}
			if next.Stop(); said.Lease > 0 {
				next.Reset(max(said.Lease*9/10, time.Second))
			}
			if !confirmed {
				fmt.Fprintf(s.notes, "subscribed%s; interrupt to end it\n", leaseText(said.Lease))
			}
			confirmed = true
		}
	}
}

func leaseText(lease time.Duration) string {
	if lease == 0 {
		return ""
	}
	return " for " + span(lease) + ", and again before that ends"
}

// leave ends the subscription, as the hub has to confirm.
func (s *subscriber) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := s.ask(ctx, websub.Unsubscribe); err != nil {
		return fmt.Errorf("the subscription goes on until its lease ends: %w", err)
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not confirm the end; the subscription goes on until its lease ends", s.hub)
		case said := <-s.heard:
			if said.Mode == websub.Unsubscribe || said.Mode == websub.Denied {
				fmt.Fprintln(s.notes, "unsubscribed")
				return nil
			}
		}
	}
}

// hint names the callback without its secret part.
func (s *subscriber) hint() string {
	u, err := url.Parse(s.callback)
	if err != nil {
		return "the callback"
	}
	return u.Scheme + "://" + u.Host + "/…"
}
