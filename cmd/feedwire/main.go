// Command feedwire polls source feeds, signals their news, and serves Instant Articles RSS.
//
// The files of this directory are the wiring and the command line: app.go builds the daemon out of its rooms, routes.go
// is its URL map, jobs.go its cron table. Each command has its own file.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitUnhealthy
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && strings.HasPrefix(err.Error(), "unknown command") { // cobra has no type for it
		err = usage(err)
	}
	if err == nil {
		return exitOK
	}
	var coded *exitError
	if problems := config.Problems(err); len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintln(root.ErrOrStderr(), p.Error())
		}
		return exitUsage
	}
	fmt.Fprintln(root.ErrOrStderr(), "feedwire:", err)
	if errors.As(err, &coded) {
		return coded.code
	}
	return exitFailed
}

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(err error) error { return &exitError{exitUsage, err} }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "feedwire",
		Short: "Polls feeds, signals their news, serves Instant Articles RSS",
		Long: `feedwire is a news wire of your own: it polls source feeds into Redis, signals each new and each changed post, and
serves selected articles as Instant Articles RSS, from which each is retired after its fourth impression.

Start with "feedwire demo" to see all of it at work, or "feedwire serve" to run it.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.PersistentFlags().String("config", "", "configuration file (default $FEEDWIRE_CONFIG, /etc/feedwire/feedwire.yaml)")
	root.AddCommand(
		newServe(), newDemo(), newSource(), newOPML(), newArticle(), newOutgoing(), newSignals(), newHub(), newWebhook(), newSubscribe(), newParse(),
		newUser(), newToken(), newAudit(), newTransform(), newConfig(), newMigrate(), newReload(), newBackup(), newRestore(), newDoctor(), newHealthcheck(), newVersion(), newMan(),
	)
	return root
}

// group makes a command that only holds others.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("there is no command %q; see %s --help", args[0], cmd.CommandPath()))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// noArgs and exactly are cobra's checks with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return asUsage(cobra.NoArgs(cmd, args)) }

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(fmt.Errorf("%d arguments, want %d: %s", len(args), n, cmd.UseLine()))
		}
		return nil
	}
}

func some(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(fmt.Errorf("0 arguments, want 1 or more: %s", cmd.UseLine()))
	}
	return nil
}

func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return usage(err)
}
