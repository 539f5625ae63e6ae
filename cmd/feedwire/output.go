package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// outputFlag gives a command the choice between a table and JSON.
func outputFlag(flags *pflag.FlagSet) { flags.StringP("output", "o", "table", "table or json") }

// checkOutput refuses what is neither.
func checkOutput(cmd *cobra.Command) error {
	if out, _ := cmd.Flags().GetString("output"); out != "table" && out != "json" {
		return usage(fmt.Errorf("output %q: use table or json", out))
	}
	return nil
}

// show prints a value as JSON where that was asked for, else as a person wants it.
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

// newShow is the command that shows one thing of the API, by its name: what stands behind path.
func newShow[T any](name, short, path string, table func(w io.Writer, thing *T, now time.Time)) *cobra.Command {
	return &cobra.Command{
		Use:   "show " + name,
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			thing, err := answerTo[T](cmd, http.MethodGet, path+id(args[0]), nil)
			if err != nil {
				return err
			}
			return show(cmd, thing, func(w io.Writer) { table(w, &thing, time.Now()) })
		},
	}
}

// row writes one line of a table.
func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// oneLine keeps what others wrote from breaking a table, steering a terminal or turning its text around.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ago tells a time as a person would: "12s ago", "in 4m"; "-" for none.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := now.Sub(t)
	if d < 0 {
		return "in " + span(-d)
	}
	return span(d) + " ago"
}

// span is a duration in one unit, or in hours and minutes below ten hours.
func span(d time.Duration) string {
	switch minutes := int(d.Round(time.Minute).Minutes()); {
	case d.Round(time.Second) < time.Minute:
		return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 600 && minutes%60 != 0:
		return fmt.Sprintf("%dh%dm", minutes/60, minutes%60)
	case minutes < 48*60:
		return fmt.Sprintf("%dh", (minutes+30)/60)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
