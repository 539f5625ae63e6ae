package main

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

	"github.com/feedwire/feedwire/publish/consumer"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newOutgoing() *cobra.Command {
	cmd := group("feed", "List the outgoing feeds, see who comes for them, and check them as their consumers would", newOutgoingList(), newOutgoingVisits(), newOutgoingCheck())
	clientFlags(cmd)
	return cmd
}

func newOutgoingList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the outgoing feeds",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := answerTo[feed.Page[desk.OutgoingFeed]](cmd, http.MethodGet, "/api/v1/feeds", nil)
			if err != nil {
				return err
			}
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "FEED", "PROFILE", "ITEMS", "WINDOW", "RETIRES AFTER", "CONSUMER", "URL")
				for _, f := range page.Items {
					retires := "never"
					if f.RetireAfter > 0 {
						retires = strconv.Itoa(f.RetireAfter) + " fetches"
					}
					row(w, f.Type, f.Profile, strconv.Itoa(f.Items), f.Window, retires, cmp.Or(strings.Join(f.Counted, ", "), "nobody"), f.URL)
				}
			})
		},
	}
}

// checked is the answer of feed check.
type checked struct {
	Feed    string   `json:"feed"`
	Profile string   `json:"profile"`
	Bytes   int      `json:"bytes"`
	Faults  []string `json:"faults"`
}

func newOutgoingCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FEED",
		Short: "Hold the document of an outgoing feed against what its consumer asks for",
		Long: `Hold the document of an outgoing feed against what its consumer asks for, and print each fault. FEED is its name, or with
a form after it, as news.atom. The fetch counts for nothing. Where the feed asks for a password, that of the configuration
is shown. The exit code is 1 where there are faults.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			var page feed.Page[desk.OutgoingFeed]
			if err := c.call(cmd.Context(), http.MethodGet, "/api/v1/feeds", nil, &page); err != nil {
				return err
			}
			typ, _, _ := strings.Cut(args[0], ".")
			i := slices.IndexFunc(page.Items, func(f desk.OutgoingFeed) bool { return f.Type == typ })
			if i < 0 {
				return fmt.Errorf("there is no feed %q; see feedwire feed list", typ)
			}
			document, err := c.document(cmd, args[0], typ)
			if err != nil {
				return err
			}
			profile := page.Items[i].Profile
			result := checked{args[0], profile, len(document), consumer.Check(profile, document, time.Now())}
			err = show(cmd, result, func(w io.Writer) {
				for _, fault := range result.Faults {
					fmt.Fprintln(w, oneLine(fault))
				}
				fmt.Fprintf(w, "%s: %d bytes as %s, faults: %d\n", result.Feed, result.Bytes, profile, len(result.Faults))
			})
			if err == nil && len(result.Faults) > 0 {
				err = errors.New("the consumer would not take the feed as it is")
			}
			return err
		},
	}
}

// document fetches an outgoing feed without being counted, with the credentials that the configuration has for it.
func (c *client) document(cmd *cobra.Command, name, typ string) ([]byte, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, c.base+"/feed/"+id(name), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Sec-Purpose", "prefetch")
	for i := range cfg.Feeds {
		if f := &cfg.Feeds[i]; f.Type == typ && f.Username != "" {
			req.SetBasicAuth(f.Username, f.Password.Reveal())
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, fmt.Errorf("fetch feed %s: %w", name, err)
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("feed %s asks for a password; run this with the configuration of the daemon (--config)", name)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetch feed %s: %s", name, oneLine(strings.TrimSpace(string(body))))
	}
	return body, nil
}
