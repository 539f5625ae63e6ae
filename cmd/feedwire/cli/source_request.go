package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// requestFlags are the flags that change how a source is requested.
type requestFlags struct {
	timeout, minInterval          time.Duration
	headers                       []string
	username, passwordFile, proxy string
}

func (r *requestFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&r.timeout, "timeout", 0, "timeout of a request (default: fetch.timeout)")
	f.DurationVar(&r.minInterval, "min-interval", 0, "minimum adaptive interval (default: fetch.min_interval)")
	f.StringArrayVar(&r.headers, "header", nil, `request header, "Name: value"; repeatable`)
	f.StringVar(&r.username, "username", "", "user name for HTTP Basic authentication")
	f.StringVar(&r.passwordFile, "password-file", "", "file with the password for HTTP Basic authentication")
	f.StringVar(&r.proxy, "proxy", "", "URL of a proxy, or direct (default: fetch.proxy)")
}

// body returns the settings for the API, or nil if no flag is set, which keeps them.
func (r *requestFlags) body(cmd *cobra.Command) (any, error) {
	given := false
	for _, name := range []string{"timeout", "min-interval", "header", "username", "password-file", "proxy"} {
		given = given || cmd.Flags().Changed(name)
	}
	if !given {
		return nil, nil //nolint:nilnil // null in the body
	}
	body := map[string]any{"username": r.username, "proxy": r.proxy}
	for name, d := range map[string]time.Duration{"timeout": r.timeout, "min_interval": r.minInterval} {
		if d != 0 {
			body[name] = d.String()
		}
	}
	headers := make(map[string]string, len(r.headers))
	for _, h := range r.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, usage(fmt.Errorf("header %q has no colon: write \"Name: value\"", h))
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	body["headers"] = headers
	if r.passwordFile != "" {
		text, err := os.ReadFile(r.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("password: %w", err)
		}
		body["password"] = strings.TrimRight(string(text), "\r\n")
	}
	return body, nil
}
