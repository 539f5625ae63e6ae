package cli

import (
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func newHealthcheck() *cobra.Command {
	var ready bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether the daemon is alive; exit code 3 if it is not",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			url := "http://" + reachable(operations(cfg)) + path
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, url, nil)
			if err != nil {
				return err
			}
			resp, err := (&http.Client{Timeout: 5 * time.Second}).Do(req)
			if err != nil {
				return &exitError{ExitUnhealthy, err}
			}
			defer resp.Body.Close() //nolint:errcheck // only the status is used
			if resp.StatusCode != http.StatusOK {
				return &exitError{ExitUnhealthy, fmt.Errorf("%s responded %s", url, resp.Status)}
			}
			fmt.Fprintln(cmd.OutOrStdout(), "healthy")
			return nil
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "check whether the daemon is ready: its store accepts writes")
	return withOptions(cmd)
}
