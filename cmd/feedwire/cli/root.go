package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/config"
)

// Exit codes.
const (
	ExitOK = iota
	ExitFailed
	ExitUsage
	ExitUnhealthy
)

// Program is one process of feedwire.
type Program struct {
	Environ        []string // as os.Environ returns it
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Serve runs the daemon until ctx ends. It logs to stderr and calls load to read the configuration again.
	Serve func(ctx context.Context, cfg *config.Config, load func() (*config.Config, error), stderr io.Writer) error
	// Demo runs the demo until ctx ends.
	Demo func(ctx context.Context, flags *pflag.FlagSet, stdout io.Writer) error
}

// environKey is the key of Program.Environ in the context of a command.
type environKey struct{}

// environ returns the environment of the program that a command belongs to.
func environ(cmd *cobra.Command) []string {
	all, _ := cmd.Context().Value(environKey{}).([]string)
	return all
}

// Run runs one command line and returns the exit code of the process. It writes an error to Stderr.
func (p *Program) Run(ctx context.Context, args ...string) int {
	root := p.Command()
	root.SetArgs(args)
	err := root.ExecuteContext(context.WithValue(ctx, environKey{}, p.Environ))
	if err != nil && strings.HasPrefix(err.Error(), "unknown command") { // cobra has no type for it
		err = usage(err)
	}
	if err == nil {
		return ExitOK
	}
	if problems := config.Problems(err); len(problems) > 0 {
		for _, problem := range problems {
			fmt.Fprintln(p.Stderr, problem.Error())
		}
		return ExitUsage
	}
	fmt.Fprintln(p.Stderr, "feedwire:", err)
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	return ExitFailed
}

// exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(err error) error { return &exitError{ExitUsage, err} }

// Command returns the root command.
func (p *Program) Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "feedwire",
		Short: "Self-hosted news wire: polls feeds, signals changes, serves Instant Articles RSS",
		Long: `feedwire polls source feeds, stores every post as an entry in Redis, signals each new and changed post to subscribers, and
serves selected articles as outgoing feeds.

Run "feedwire demo" to see it work without any setup, or "feedwire serve" to start the daemon. Most other commands call the
API of a running daemon.

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 unhealthy.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.PersistentFlags().String("config", "", "configuration file (default $FEEDWIRE_CONFIG or /etc/feedwire/feedwire.yaml)")
	root.AddCommand(
		newServe(p), newDemo(p), newSource(), newOPML(), newArticle(), newOutgoing(), newSignals(), newHub(), newWebhook(), newSubscribe(), newParse(),
		newUser(), newToken(), newAudit(), newTransform(), newConfig(), newMigrate(), newReload(), newBackup(), newRestore(), newDoctor(), newHealthcheck(), newVersion(), newMan(),
	)
	return root
}

// group returns a command that only contains other commands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("unknown command %q; see %s --help", args[0], cmd.CommandPath()))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// noArgs, exactly and some validate the number of arguments. Their errors have the exit code of wrong usage.
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
