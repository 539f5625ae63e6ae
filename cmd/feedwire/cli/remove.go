package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
)

// newRemove returns the command that deletes an object of a collection of the API.
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
			if err := c.Call(cmd.Context(), http.MethodDelete, "/api/v1/"+collection+"/"+client.Path(args[0]), nil, nil); err != nil {
				return err
			}
			done := cmd.Name() + "d"
			return show(cmd, map[string]string{done: args[0]}, func(w io.Writer) { fmt.Fprintln(w, done, args[0]) })
		},
	}
}
