package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
)

// withServer adds the flags that locate the daemon, and --output.
func withServer(cmd *cobra.Command) *cobra.Command {
	f := cmd.PersistentFlags()
	f.String("server", "", "base URL of the daemon (default: the address in listen)")
	outputFlag(f)
	// More flags of the daemon would hide typing errors, such as --feeds for --feed.
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(all)
	for _, name := range []string{"data-dir", "listen", "api-token-file"} {
		f.AddFlag(all.Lookup(name))
	}
	return cmd
}

// withOptions adds a flag for each option of the configuration.
func withOptions(cmd *cobra.Command) *cobra.Command {
	config.Flags(cmd.Flags())
	return cmd
}

// loadConfig reads the configuration from the flags of a command, the environment and the file.
func loadConfig(cmd *cobra.Command) (*config.Config, error) {
	path, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	return config.Load(path, environ(cmd), cmd.Flags())
}

// operations returns the URL of health checks and other operations, which may have their own listener.
func operations(cfg *config.Config) string {
	return "http://" + setup.Reachable(cmp.Or(cfg.Admin.Listen, cfg.Listen))
}

// newClient returns a client for the daemon at --server, or at the addresses of the configuration.
func newClient(cmd *cobra.Command) (*client.Client, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	token, err := setup.Token(cfg, false)
	if err != nil {
		return nil, err
	}
	base, _ := cmd.Flags().GetString("server")
	c := client.New(cmp.Or(base, "http://"+setup.Reachable(cfg.Listen)), token, 30*time.Second)
	if base == "" {
		c.Operations = operations(cfg)
	}
	return c, nil
}

// withClient returns a command that calls run with a client for the daemon.
func withClient(run func(cmd *cobra.Command, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := newClient(cmd)
		if err != nil {
			return err
		}
		return run(cmd, c, args)
	}
}

// request sends one request and decodes the response. path is that of an operation, /-/…, or relative to /api/v1/.
func request[T any](cmd *cobra.Command, method, path string, body any) (response T, err error) {
	c, err := newClient(cmd)
	if err != nil {
		return response, err
	}
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	err = c.Call(cmd.Context(), method, path, body, &response)
	return response, err
}

// objectPath returns a path with the first argument in place of %s.
func objectPath(path string, args []string) string {
	if len(args) == 0 {
		return path
	}
	return strings.Replace(path, "%s", client.Path(args[0]), 1)
}
