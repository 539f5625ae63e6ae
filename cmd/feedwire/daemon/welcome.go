package daemon

import (
	"context"
	"fmt"
	"io"
)

// welcome explains how to create the first account. A person at a terminal gets the link. Without a terminal the log names the
// command that prints it, because more people may read a log than may own the link.
func (a *app) welcome(ctx context.Context) error {
	if a.demo || a.cfg().InsecureNoAuth || a.cfg().Auth.ProxyHeader != "" {
		return nil
	}
	invite := func() error { return a.logFirstCommand(ctx) }
	if a.terminal != nil {
		invite = func() error { return a.printFirstLink(ctx, a.terminal) }
	}
	if err := patiently(ctx, invite); err != nil {
		a.log.Error("accounts cannot be read", "err", err)
	}
	return nil
}

func (a *app) printFirstLink(ctx context.Context, terminal io.Writer) error {
	link, err := a.people.FirstLink(ctx)
	if err != nil || link == "" {
		return err
	}
	fmt.Fprintf(terminal, `
  There is no account yet. Open this link to create the first one. It is valid for one hour and one use:

  %s

`, link)
	return nil
}

func (a *app) logFirstCommand(ctx context.Context) error {
	accounts, err := a.store.People.Accounts(ctx)
	if err == nil && len(accounts) == 0 {
		a.log.Info("no account exists", "command", "feedwire user add NAME --role admin")
	}
	return err
}
