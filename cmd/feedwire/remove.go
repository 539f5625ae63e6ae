package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

// newRemove makes the command that deletes one of a collection of the API: "remove ID" or "revoke ID".
func newRemove(use, short, collection string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if err := c.call(cmd.Context(), http.MethodDelete, "/api/v1/"+collection+"/"+id(args[0]), nil, nil); err != nil {
				return err
			}
			done := cmd.Name() + "d"
			return show(cmd, map[string]string{done: args[0]}, func(w io.Writer) { fmt.Fprintln(w, done, args[0]) })
		},
	}
}
