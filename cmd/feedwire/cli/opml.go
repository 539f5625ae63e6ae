package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// maxOPML is the maximum size of a file in bytes, the same as in the daemon.
const maxOPML = 8 << 20

func newOPML() *cobra.Command {
	return withServer(group("opml", "Import and export sources as OPML", newOPMLImport(), newOPMLExport()))
}

func newOPMLImport() *cobra.Command {
	var dryRun bool
	var feeds []string
	var mode string
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Add the feeds of an OPML file as sources",
		Long: `Add the feeds of an OPML file as sources; "-" reads standard input. Existing sources are not changed. Folders become
categories. First polls are spread over time. Proxies in the file are ignored.

--feed and --publish override what the file says. The exit code is 1 if a feed was refused; the output lists the reasons.

The import runs in the daemon. It continues if this command is interrupted or the daemon restarts. The command waits one
minute for a daemon that restarts.`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			body, err := readFile(cmd.InOrStdin(), args[0], maxOPML)
			if err != nil {
				return err
			}
			query := url.Values{}
			if dryRun {
				query.Set("dry_run", "1")
			}
			if cmd.Flags().Changed("feed") {
				query.Set("feeds", strings.Join(feeds, ","))
			}
			if mode != "" {
				query.Set("publish", mode)
			}
			var report feed.JobReport
			if err := c.Call(cmd.Context(), http.MethodPost, "/api/v1/opml?"+query.Encode(), client.Raw(body), &report); err != nil {
				return err
			}
			bar := terminal.NewProgress(cmd.ErrOrStderr())
			err = c.AwaitImport(cmd.Context(), &report, bar.Show)
			bar.End()
			if err != nil {
				return err
			}
			return printImport(cmd, &report)
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be done; change nothing")
	cmd.Flags().StringSliceVar(&feeds, "feed", nil, "outgoing `FEED` of the articles; repeatable (default: from the file, else production)")
	cmd.Flags().StringVar(&mode, "publish", "", "publish articles: auto or manual (default: from the file, else manual)")
	return cmd
}

// printImport prints the result of an import. It returns an error if a feed was refused.
func printImport(cmd *cobra.Command, report *feed.JobReport) error {
	err := show(cmd, report, func(w io.Writer) {
		verb := "added"
		if report.DryRun {
			verb = "would be added"
		}
		fmt.Fprintf(w, "%d %s, %d known, %d refused\n", report.Added, verb, report.Known, report.Refused)
	})
	if err != nil {
		return err
	}
	refused := func(r *feed.JobResult) string { return r.Reason }
	ignored := func(r *feed.JobResult) string { return r.Note }
	if err := errors.Join(printResults(cmd, report, "REFUSED", refused), printResults(cmd, report, "NOTE ON", ignored)); err != nil {
		return err
	}
	switch {
	case report.State == feed.JobInterrupted:
		return fmt.Errorf("the import was interrupted after %d of %d feeds: %s", report.Done(), report.Total, report.Error)
	case report.Refused > 0:
		return fmt.Errorf("%d of %d feeds were refused", report.Refused, report.Total)
	}
	return nil
}

// printResults prints the results for which why returns a text.
func printResults(cmd *cobra.Command, report *feed.JobReport, heading string, why func(*feed.JobResult) string) error {
	w, printed := newTable(cmd.ErrOrStderr()), false
	for i := range report.Results {
		r := &report.Results[i]
		if why(r) == "" {
			continue
		}
		if !printed {
			row(w, heading, "TITLE", "REASON")
			printed = true
		}
		row(w, r.URL, terminal.Cut(r.Title, 32), why(r))
	}
	return w.Flush()
}

func newOPMLExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all sources as OPML",
		Long: `Write all sources as OPML to standard output or a file. Other programs read its feeds and folders. feedwire also restores the
settings of each source from it, except header fields, user names and passwords, which the file does not contain, and
proxies, which an import ignores.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := request[client.Raw](cmd, http.MethodGet, "opml", nil)
			if err != nil {
				return err
			}
			if !strings.HasSuffix(strings.TrimSpace(string(text)), "</opml>") {
				return errors.New("the response of the daemon is incomplete; nothing was written")
			}
			if out == "" {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			return os.WriteFile(out, text, 0o600) // filters and choices are private
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	return cmd
}
