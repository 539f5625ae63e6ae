package cli

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// clientFlags adds the flags that locate the daemon.
func clientFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.String("server", "", "base URL of the daemon (default: the address in listen)")
	outputFlag(f)
	// More flags of the daemon would hide typing errors, such as --feeds for --feed.
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(all)
	for _, name := range []string{"data-dir", "listen", "api-token-file"} {
		f.AddFlag(all.Lookup(name))
	}
}

// newClient returns a client for the daemon of the current configuration. It validates --output.
func newClient(cmd *cobra.Command) (*client.Client, error) {
	if err := checkOutput(cmd); err != nil {
		return nil, err
	}
	return connect(cmd)
}

// connect is newClient for a command without --output.
func connect(cmd *cobra.Command) (*client.Client, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	token, err := setup.Token(cfg, false)
	if err != nil {
		return nil, err
	}
	base, _ := cmd.Flags().GetString("server")
	if base == "" {
		base = "http://" + reachable(cfg.Listen)
	}
	return client.New(base, token, 30*time.Second), nil
}

// reachable converts a listen address to one that can be dialled: an empty or unspecified host becomes 127.0.0.1.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// request sends one request to the daemon and decodes the response.
func request[T any](cmd *cobra.Command, method, path string, in any) (answer T, err error) {
	c, err := newClient(cmd)
	if err != nil {
		return answer, err
	}
	err = c.Call(cmd.Context(), method, path, in, &answer)
	return answer, err
}

// fetchAll fetches all pages of a list. The path may have a query.
func fetchAll[T any](cmd *cobra.Command, path string) ([]T, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	all := []T{}
	for next := ""; ; {
		var page feed.Page[T]
		query := url.Values{"limit": {"200"}, "cursor": {next}}.Encode()
		if err := c.Call(cmd.Context(), http.MethodGet, path+separator+query, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if next = page.Next; next == "" {
			return all, nil
		}
	}
}
