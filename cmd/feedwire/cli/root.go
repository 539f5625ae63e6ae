package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
	if len(config.Problems(err)) > 0 {
		fmt.Fprintln(p.Stderr, err)
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
		PersistentPreRunE: checkOutput,
		SilenceUsage:      true,
		SilenceErrors:     true,
	}
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.PersistentFlags().String("config", "", "configuration file (default $FEEDWIRE_CONFIG or /etc/feedwire/feedwire.yaml)")
	root.AddCommand(
		newServe(p), newDemo(p), newSource(), newOPML(), newEntry(), newArticle(),
		newOutgoing(), newSignals(), newHub(), newWebhook(), newSubscribe(), newParse(),
		newUser(), newToken(), newFollow(), newVote(), newGroup(), newList(), newSearch(), newCommunity(), newPost(), newApp(),
		newAudit(), newTransform(), newConfig(), newMigrate(), newReload(),
		newBackup(), newRestore(), newReset(), newDoctor(), newHealthcheck(), newVersion(), newMan(),
	)
	checkArguments(root)
	return root
}

// group returns a command that only contains other commands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(commands...)
	return cmd
}

// checkArguments makes a command and those below it validate the number of their arguments.
func checkArguments(cmd *cobra.Command) {
	if cmd.Runnable() {
		cmd.Args = arguments(cmd.Use)
	}
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
}

// arguments returns the validation for a usage line: NAME is one argument, [NAME] is optional, NAME... is one or more, and
// NAME|--all is one unless the flag is set.
func arguments(use string) cobra.PositionalArgs {
	least, most := 0, 0
	use, _, _ = strings.Cut(use, " --") // a required flag
	for _, word := range strings.Fields(use)[1:] {
		switch {
		case strings.HasPrefix(word, "["):
			most++
		case strings.HasSuffix(word, "..."):
			least, most = least+1, math.MaxInt
		default:
			least, most = least+1, most+1
		}
	}
	want := strconv.Itoa(least)
	switch {
	case most == math.MaxInt:
		want += " or more"
	case most > least:
		want = "at most " + strconv.Itoa(most)
	}
	return func(cmd *cobra.Command, args []string) error {
		all, _ := cmd.Flags().GetBool("all")
		switch {
		case most == 0 || all:
			return cobra.NoArgs(cmd, args)
		case len(args) < least || len(args) > most:
			return usage(fmt.Errorf("%d arguments, want %s: %s", len(args), want, cmd.UseLine()))
		}
		return nil
	}
}
