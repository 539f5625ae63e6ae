package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/web"
)

// runBulk applies one action to several objects in one request and prints the result of each.
func runBulk(cmd *cobra.Command, path string, body any) error {
	all, err := request[web.Bulk](cmd, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	err = show(cmd, all, func(w io.Writer) {
		row(w, "NAME", "DONE", "REASON")
		for _, item := range all.Items {
			if item.Problem == nil {
				row(w, item.ID, "yes", "-")
			} else {
				row(w, item.ID, "no", item.Problem.Detail)
			}
		}
	})
	if err == nil && all.Failed > 0 {
		err = fmt.Errorf("%d of %d failed", all.Failed, len(all.Items))
	}
	return err
}
