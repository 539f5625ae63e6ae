package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
)

// outputFlag adds --output.
func outputFlag(flags *pflag.FlagSet) {
	flags.StringP("output", "o", "table", "output format: table or json")
}

// checkOutput validates --output, unless it names a file.
func checkOutput(cmd *cobra.Command, _ []string) error {
	if f := cmd.Flags().Lookup("output"); f != nil && f.DefValue == "table" && f.Value.String() != "table" && f.Value.String() != "json" {
		return usage(fmt.Errorf("invalid output format %q: use table or json", f.Value))
	}
	return nil
}

// isJSON reports whether --output is json.
func isJSON(cmd *cobra.Command) bool {
	out, _ := cmd.Flags().GetString("output")
	return out == "json"
}

// show prints v as JSON, or calls table, depending on --output.
func show(cmd *cobra.Command, v any, table func(w io.Writer)) error {
	if isJSON(cmd) {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	w := newTable(cmd.OutOrStdout())
	table(w)
	return w.Flush()
}

// newTable returns a writer that aligns the cells of rows.
func newTable(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 0, 8, 2, ' ', 0) }

// row writes one row of a table.
func row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = terminal.OneLine(fmt.Sprint(c))
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

// rowIf writes a row with a name and a value unless the value is empty or zero.
func rowIf[T comparable](w io.Writer, name string, v T) {
	if v != *new(T) {
		row(w, name, v)
	}
}

// timestamp formats a time for a person. It returns "-" for the zero time.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// yesNo formats a boolean for a person.
func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
