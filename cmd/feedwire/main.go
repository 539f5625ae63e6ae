// Command feedwire polls source feeds, signals new and changed posts, and serves Instant Articles RSS.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/daemon"
	"github.com/feedwire/feedwire/cmd/feedwire/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	program := cli.Program{
		Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Serve: daemon.Serve,
		Demo: func(ctx context.Context, flags *pflag.FlagSet, stdout io.Writer) error {
			return demo.Run(ctx, flags, stdout, daemon.NewDemo)
		},
	}
	code := program.Run(ctx, os.Args[1:]...)
	stop()
	os.Exit(code)
}
