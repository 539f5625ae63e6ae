package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
)

// outputFlag adds --output.
func outputFlag(flags *pflag.FlagSet) {
	flags.StringP("output", "o", "table", "output format: table or json")
}

// checkOutput validates --output.
func checkOutput(cmd *cobra.Command) error {
	if out, _ := cmd.Flags().GetString("output"); out != "table" && out != "json" {
		return usage(fmt.Errorf("invalid output format %q: use table or json", out))
	}
	return nil
}

// show prints v as JSON, or calls table, depending on --output.
func show(cmd *cobra.Command, v any, table func(w io.Writer)) error {
	if out, _ := cmd.Flags().GetString("output"); out == "json" {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	table(w)
	return w.Flush()
}

// newShow returns a command that prints the object of the API at path and a name.
func newShow[T any](name, short, path string, table func(w io.Writer, thing *T, now time.Time)) *cobra.Command {
	return &cobra.Command{
		Use:   "show " + name,
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			thing, err := request[T](cmd, http.MethodGet, path+client.Path(args[0]), nil)
			if err != nil {
				return err
			}
			return show(cmd, thing, func(w io.Writer) { table(w, &thing, time.Now()) })
		},
	}
}

// row writes one row of a table.
func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = terminal.OneLine(c)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}
