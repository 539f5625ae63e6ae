package daemon

import (
	"context"
	"io"
)

// welcomeAt calls welcome with another terminal.
func (a *app) welcomeAt(ctx context.Context, terminal io.Writer) error {
	a.terminal = terminal
	return a.welcome(ctx)
}
