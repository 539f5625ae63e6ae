package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/consumer"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/store/feed"
)

func newOutgoing() *cobra.Command {
	visits := list[feed.Visit]{
		use: "visits FEED", short: "List the requests for an outgoing feed, newest first", path: "feeds/%s/visits",
		limit:   "maximum number of requests, up to 2000",
		columns: []string{"WHEN", "CLIENT", "STATUS", "COUNTED"},
		print: func(w io.Writer, v *feed.Visit) {
			row(w, terminal.Ago(v.Time), v.Client, v.Status, yesNo(v.Counted))
		},
	}.command()
	return withServer(group("feed", "List and check outgoing feeds, and see who fetches them",
		list[feeds.Feed]{
			use: "list", short: "List the outgoing feeds", path: "feeds", unpaged: true,
			columns: []string{"FEED", "PROFILE", "ITEMS", "WINDOW", "RETIRES AFTER", "CONSUMER", "URL"},
			print: func(w io.Writer, f *feeds.Feed) {
				retires := "never"
				if f.RetireAfter > 0 {
					retires = strconv.Itoa(f.RetireAfter) + " fetches"
				}
				row(w, f.Type, f.Profile, f.Items, f.Window, retires, cmp.Or(strings.Join(f.Counted, ", "), "none"), f.URL)
			},
		}.command(),
		visits, newOutgoingCheck(),
	))
}

// checkResult is the output of feed check.
type checkResult struct {
	Feed    string   `json:"feed"`
	Profile string   `json:"profile"`
	Bytes   int      `json:"bytes"`
	Faults  []string `json:"faults"`
}

func newOutgoingCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FEED",
		Short: "Check an outgoing feed against the requirements of its consumer",
		Long: `Fetch an outgoing feed and check it against the requirements of its consumer. FEED is the name of a feed, or a name with a
format, such as news.atom. The fetch is not counted as an impression. If the feed requires a password, the one in the
configuration is used.

The exit code is 1 if the consumer would reject the feed.`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			var page feed.Page[feeds.Feed]
			if err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/feeds", nil, &page); err != nil {
				return err
			}
			typ, _, _ := strings.Cut(args[0], ".")
			i := slices.IndexFunc(page.Items, func(f feeds.Feed) bool { return f.Type == typ })
			if i < 0 {
				return fmt.Errorf("feed %q does not exist; run feedwire feed list", typ)
			}
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			document, err := c.Outgoing(cmd.Context(), args[0], feed.OutgoingFeeds(cfg.Outgoing()).Find(typ))
			if err != nil {
				return err
			}
			profile := page.Items[i].Profile
			result := checkResult{args[0], profile, len(document), consumer.Check(profile, document, time.Now())}
			err = show(cmd, result, func(w io.Writer) {
				for _, fault := range result.Faults {
					fmt.Fprintln(w, terminal.OneLine(fault))
				}
				fmt.Fprintf(w, "%s: %d bytes as %s, faults: %d\n", result.Feed, result.Bytes, profile, len(result.Faults))
			})
			if err == nil && len(result.Faults) > 0 {
				err = errors.New("the consumer would reject the feed")
			}
			return err
		}),
	}
}
