package daemon

import (
	"context"
	"log/slog"

	"github.com/feedwire/feedwire/config"
)

// NewDemo builds a daemon whose pages are open to browsers on this machine. It returns its Run and its base URL.
func NewDemo(ctx context.Context, cfg *config.Config, log *slog.Logger) (run func(context.Context) error, url string, err error) {
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return nil, "", err
	}
	a.demo = true
	return a.Run, "http://" + a.listener.Addr().String(), nil
}
