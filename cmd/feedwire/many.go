package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
)

// doMany does the same with many things in one request, and tells what became of each.
func doMany(cmd *cobra.Command, path string, body any) error {
	all, err := answerTo[desk.Bulk](cmd, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	err = show(cmd, all, func(w io.Writer) {
		row(w, "NAME", "DONE", "WHY NOT")
		for _, item := range all.Items {
			if item.Problem == nil {
				row(w, item.ID, "yes", "-")
			} else {
				row(w, item.ID, "no", item.Problem.Detail)
			}
		}
	})
	if err == nil && all.Failed > 0 {
		err = fmt.Errorf("%d of %d could not be done", all.Failed, len(all.Items))
	}
	return err
}
