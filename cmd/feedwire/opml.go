package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

// opmlBody is a request body that is sent as it is.
type opmlBody []byte

// maxOPML bounds a file to import, in bytes, as the daemon does.
const maxOPML = 8 << 20

func newOPML() *cobra.Command {
	cmd := &cobra.Command{Use: "opml", Short: "Import and export lists of sources"}
	clientFlags(cmd)
	cmd.AddCommand(newOPMLImport(), newOPMLExport())
	return cmd
}

func newOPMLImport() *cobra.Command {
	var dryRun bool
	var feeds []string
	var mode string
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Add the feeds of an OPML file as sources",
		Long: `Add the feeds of an OPML file as sources; - reads it from the standard input. Sources that are known stay as they are.
Many new ones are not polled at once: the daemon spreads them. Folders become categories.

What the file does not say is chosen by --feed and --publish; given, they also go before what it says. The exit code is 1
when any feed was refused, and those are listed with the reason.

The import runs in the daemon. It goes on when this command is stopped, and after a restart of the daemon, for which the
command waits a minute.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			body, err := readOPML(cmd, args[0])
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
			if err := c.call(cmd.Context(), http.MethodPost, "/api/v1/opml?"+query.Encode(), body, &report); err != nil {
				return err
			}
			if err := followJob(cmd, c, &report); err != nil {
				return err
			}
			return reportImport(cmd, &report)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only tell what would be done")
	cmd.Flags().StringSliceVar(&feeds, "feed", nil, "outgoing feed of their articles; may be repeated (default: as the file says, else production)")
	cmd.Flags().StringVar(&mode, "publish", "", "auto or manual (default: as the file says, else manual)")
	return cmd
}

// readOPML reads a file, or the standard input for "-".
func readOPML(cmd *cobra.Command, name string) (opmlBody, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxOPML+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(body) > maxOPML:
		return nil, fmt.Errorf("%s is larger than %d MiB; split it", name, maxOPML>>20)
	}
	return body, nil
}

// restartTime is how long a daemon that does not answer is waited for: it may be restarting.
const restartTime = time.Minute

// followJob waits for the end of a job and collects its results in report.
func followJob(cmd *cobra.Command, c *client, report *feed.JobReport) error {
	bar := newProgress(cmd.ErrOrStderr(), report.Total)
	defer bar.end()
	answered := time.Now()
	for {
		path := fmt.Sprintf("/api/v1/jobs/%s?limit=1000&from=%d", report.ID, len(report.Results))
		var more feed.JobReport
		err := c.call(cmd.Context(), http.MethodGet, path, nil, &more)
		said, answer := errors.AsType[*answerError](err)
		switch {
		case err == nil:
			answered = time.Now()
		case answer && said.status < http.StatusInternalServerError:
			return err
		case time.Since(answered) > restartTime:
			return fmt.Errorf("%w\n  the import is job %s; a daemon that starts goes on with it", err, report.ID)
		case !sleep(cmd.Context(), time.Second):
			return leftAlone(cmd, report)
		default:
			continue
		}
		report.Job, report.Results = more.Job, append(report.Results, more.Results...)
		report.Next = len(report.Results)
		bar.show(report.Done())
		switch {
		case len(more.Results) > 0: // there may be more of them
		case report.Ended():
			return nil
		case !sleep(cmd.Context(), 200*time.Millisecond):
			return leftAlone(cmd, report)
		}
	}
}

// leftAlone says what becomes of an import whose command was stopped.
func leftAlone(cmd *cobra.Command, report *feed.JobReport) error {
	return fmt.Errorf("%w; the import goes on in the daemon as job %s", context.Cause(cmd.Context()), report.ID)
}

// reportImport prints what became of an import. It fails when not every feed is a source now.
func reportImport(cmd *cobra.Command, report *feed.JobReport) error {
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
	if report.Refused > 0 {
		w := tabwriter.NewWriter(cmd.ErrOrStderr(), 0, 8, 2, ' ', 0)
		row(w, "REFUSED", "TITLE", "REASON")
		for _, r := range report.Results {
			if r.Outcome == feed.JobRefused {
				row(w, r.URL, cut(r.Title, 32), r.Reason)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	switch {
	case report.State == feed.JobInterrupted:
		return fmt.Errorf("the import was interrupted after %d of %d feeds: %s", report.Done(), report.Total, report.Error)
	case report.Refused > 0:
		return fmt.Errorf("%d of %d feeds were refused", report.Refused, report.Total)
	}
	return nil
}

func newOPMLExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all sources as OPML",
		Long: `Write all sources as OPML, to the standard output or a file. Other programs read the feeds and folders; feedwire also
reads back what was decided about each source. Header fields, user names and passwords are left out: set them again.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := connect(cmd)
			if err != nil {
				return err
			}
			resp, err := c.send(cmd.Context(), c.http, http.MethodGet, "/api/v1/opml", nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close() //nolint:errcheck // read to the end or given up
			text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
			if err != nil {
				return fmt.Errorf("answer of the daemon: %w", err)
			}
			if !strings.HasSuffix(strings.TrimSpace(string(text)), "</opml>") {
				return errors.New("the answer of the daemon was cut off; nothing was written")
			}
			if out == "" {
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			return os.WriteFile(out, text, 0o600) // filters and choices are nobody else's business
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default the standard output)")
	return cmd
}
