package daemon

import (
	"context"
	"fmt"
)

// welcome explains how to create the first account. A person at a terminal gets the link. Without a terminal the log names the
// command that prints it, because more people may read a log than may own the link.
func (a *app) welcome(ctx context.Context) error {
	if a.demo || a.cfg().InsecureNoAuth || a.cfg().Auth.ProxyHeader != "" {
		return nil
	}
	err := patiently(ctx, func() error {
		if a.terminal != nil {
			return a.printFirstLink(ctx)
		}
		accounts, err := a.store.People.AccountsAfter(ctx, "", 1)
		if err == nil && len(accounts) == 0 {
			a.log.Info("no account exists", "command", "feedwire user add NAME --role admin")
		}
		return err
	})
	if err != nil {
		a.log.Error("accounts cannot be read", "err", err)
	}
	return nil
}

func (a *app) printFirstLink(ctx context.Context) error {
	link, err := a.people.FirstLink(ctx)
	if err != nil || link == "" {
		return err
	}
	fmt.Fprintf(a.terminal, `
  There is no account yet. Open this link to create the first one. It is valid for one hour and one use:

  %s

`, link)
	return nil
}
