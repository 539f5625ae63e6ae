package daemon

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
)

// Serve runs the daemon until ctx ends. It logs to stderr and calls load to reload the configuration on each SIGHUP.
func Serve(ctx context.Context, cfg *config.Config, load func() (*config.Config, error), stderr io.Writer) error {
	log, setLog := setup.NewLogger(stderr, cfg.Log)
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return err
	}
	if terminal.Is(stderr) {
		a.terminal = stderr
	}
	a.setLog, a.load = setLog, load
	defer onHangUp(func() { a.reload(ctx) })()
	return a.Run(ctx)
}

// NewDemo builds a daemon whose pages are open to browsers on this machine. It returns its Run and its base URL.
func NewDemo(ctx context.Context, cfg *config.Config, log *slog.Logger) (run func(context.Context) error, url string, err error) {
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return nil, "", err
	}
	a.demo = true
	return a.Run, "http://" + a.listener.Addr().String(), nil
}

// onHangUp calls f for each SIGHUP. stop ends that and waits for an active call.
func onHangUp(f func()) (stop func()) {
	hangUps, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangUps, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangUps {
			f()
		}
	}()
	return func() {
		signal.Stop(hangUps)
		close(hangUps)
		<-ended
	}
}
