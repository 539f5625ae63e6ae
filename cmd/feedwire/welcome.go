package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// welcome tells whoever starts a daemon without accounts how the first one is made. A person at a terminal gets the link that
// makes it. A log is read by more people than may have that, so without a terminal (nil) the log names the command that prints it.
func (a *app) welcome(ctx context.Context, terminal io.Writer) error {
	if a.demo || a.cfg().InsecureNoAuth || a.cfg().Auth.ProxyHeader != "" {
		return nil
	}
	invite := func() error { return a.inviteByLog(ctx) }
	if terminal != nil {
		invite = func() error { return a.inviteByLink(ctx, terminal) }
	}
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := invite()
		switch {
		case err == nil:
			return nil
		case ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable):
			a.log.Error("whether anybody has an account cannot be found out", "err", err)
			return nil
		}
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

func (a *app) inviteByLink(ctx context.Context, terminal io.Writer) error {
	link, err := a.desk.FirstLink(ctx)
	if err != nil || link == "" {
		return err
	}
	fmt.Fprintf(terminal, `
  Nobody has an account yet. Open this to choose your name and password; it holds for an hour and for one use:

  %s

`, link)
	return nil
}

func (a *app) inviteByLog(ctx context.Context) error {
	accounts, err := a.store.Accounts(ctx)
	if err == nil && len(accounts) == 0 {
		a.log.Info("nobody has an account yet", "command", "feedwire user add NAME --role admin")
	}
	return err
}
