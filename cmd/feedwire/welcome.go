package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// welcome tells whoever starts a daemon without accounts the link by which the first one is made. The link is told to a
// person, and not logged: a log is read by more people.
func (a *app) welcome(ctx context.Context, notices io.Writer) error {
	if notices == nil || a.cfg().InsecureNoAuth || a.cfg().Auth.ProxyHeader != "" {
		return nil
	}
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		link, err := a.desk.FirstLink(ctx)
		switch {
		case err == nil && link == "":
			return nil
		case err == nil:
			fmt.Fprintf(notices, `
  Nobody has an account yet. Open this to choose your name and password; it holds for an hour and for one use:

  %s

`, link)
			return nil
		case ctx.Err() == nil && !errors.Is(err, feed.ErrUnavailable):
			a.log.Error("no link to make the first account", "err", err)
			return nil
		}
		if !sleep(ctx, wait) {
			return nil
		}
	}
}
