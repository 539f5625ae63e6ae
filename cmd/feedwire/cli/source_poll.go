package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSourcePoll() *cobra.Command {
	var traced, all, full bool
	cmd := &cobra.Command{
		Use:   "poll ID|URL|--all",
		Short: "Poll a source now",
		Long: `Poll a source now and print the result. --trace prints every step: addresses, TLS, header fields, redirects, the result of the
parser, the outcome of each entry with its reason, and the rule that determines the next poll.

Requests are conditional, and a document that is identical to the previous one is not parsed again. --full disables both.

--all makes every source due that is not paused or gone. The daemon polls them at its usual rate; "feedwire source list" shows
the progress.`,
		Example: `  feedwire source poll https://blog.example.org/feed.xml --trace
  feedwire source poll --all`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if all {
				return call[map[string]int]{
					path: "sources/poll",
					print: func(w io.Writer, done *map[string]int, _ []string) {
						fmt.Fprintln(w, (*done)["due"], "sources are due")
					},
				}.run(cmd, args)
			}
			query := url.Values{}
			if full {
				query.Set("full", "1")
			}
			if traced {
				return traceSource(cmd, c, args[0], query)
			}
			s, err := client.Poll(cmd.Context(), c, args[0], query)
			if err != nil {
				return err
			}
			return errors.Join(show(cmd, s, func(w io.Writer) { printSource(w, &s) }), pollError(&s))
		}),
	}
	cmd.Flags().BoolVar(&traced, "trace", false, "print every step of the poll")
	cmd.Flags().BoolVar(&all, "all", false, "make all active sources due")
	cmd.Flags().BoolVar(&full, "full", false, "fetch and read the document even if it has not changed")
	cmd.MarkFlagsMutuallyExclusive("all", "trace")
	cmd.MarkFlagsMutuallyExclusive("all", "full")
	return cmd
}

// traceTime bounds a traced poll: the longest timeout of a source and the time of the store.
const traceTime = 12 * time.Minute

// traceSource polls a source and prints every step.
func traceSource(cmd *cobra.Command, c *client.Client, id string, query url.Values) error {
	query.Set("trace", "1")
	var trace feed.Trace
	path := "/api/v1/sources/" + client.Path(id) + "/poll?" + query.Encode()
	if err := c.WithTimeout(traceTime).Call(cmd.Context(), http.MethodPost, path, nil, &trace); err != nil {
		return err
	}
	return errors.Join(show(cmd, trace, func(w io.Writer) { printTrace(w, &trace) }), pollError(trace.After))
}

// pollError returns the error of the command if the last poll of a source failed.
func pollError(s *feed.Source) error {
	if s.Poll.ErrorClass == "" {
		return nil
	}
	return fmt.Errorf("the poll failed: %s", s.Poll.ErrorClass)
}

// printTrace prints the steps of a poll in order.
func printTrace(w io.Writer, t *feed.Trace) {
	row(w, "source", t.Source)
	if t.URL != t.Source {
		row(w, "requested", t.URL+", its new URL")
	}
	row(w, "request", t.Why)
	for i := range t.Requests {
		printRequest(w, i+1, &t.Requests[i])
	}
	if t.Bytes > 0 {
		row(w, "body", fmt.Sprintf("%d bytes, decompressed", t.Bytes))
	}
	rowIf(w, "document", t.Document)
	printLimits(w, &t.After.Poll)
	for _, f := range t.Found {
		row(w, "  feed link", strings.TrimSpace(terminal.Cut(f.Title, 60)+"  "+f.URL))
	}
	for _, e := range t.Entries {
		row(w, "  "+string(e.Verdict), terminal.Cut(e.Title, 40)+"  "+terminal.Cut(e.GUID, 60)+": "+e.Why)
	}
	if t.More > 0 {
		row(w, "", fmt.Sprintf("%d older entries", t.More))
	}
	printPollError(w, &t.After.Poll)
	row(w, "state", t.After.State())
	row(w, "next poll", nextPoll(t.After)+", "+t.After.Poll.NextReason)
	row(w, "took", fmt.Sprintf("%d ms", t.DurationMS))
}

func printRequest(w io.Writer, n int, r *feed.TraceRequest) {
	row(w, fmt.Sprintf("%d. GET", n), r.URL)
	rowIf(w, "  proxy", r.Proxy)
	for _, a := range r.Addresses {
		row(w, "  address", a.Address+": "+a.Verdict)
	}
	rowIf(w, "  TLS", r.TLS)
	if !r.Unsent {
		printFields(w, "  sent", r.Sent)
	}
	switch {
	case r.Error != "":
		row(w, "  failed", r.Error)
	case r.Encoding != "":
		row(w, "  response", fmt.Sprintf("%s after %d ms, compressed with %s", r.Status, r.FirstByte, r.Encoding))
	default:
		row(w, "  response", fmt.Sprintf("%s after %d ms", r.Status, r.FirstByte))
	}
	printFields(w, "  received", r.Got)
}

// printFields prints header fields, except those of every request.
func printFields(w io.Writer, what string, fields map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "Accept" {
			row(w, what, strings.ToValidUTF8(name+": "+fields[name], "?"))
		}
	}
}
