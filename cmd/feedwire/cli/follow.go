package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newFollow() *cobra.Command {
	var user reader
	send := func(cmd *cobra.Command, ifMatch, method, path string, body followBody) error {
		c, err := newClient(cmd)
		if err != nil {
			return err
		}
		c.IfMatch = ifMatch
		var f feed.NamedFollow
		if err := c.Call(cmd.Context(), method, "/api/v1/"+user.of(path), body, &f); err != nil {
			return err
		}
		return show(cmd, f, func(w io.Writer) { fmt.Fprintln(w, "following", f.ID, terminal.OneLine(f.Name)) })
	}
	add := &cobra.Command{
		Use: "add ID|URL", Short: "Follow a source",
		Long: `Follow a source by its id, or by the address of a feed or page. If there is no such source, the feed that is found there becomes
a source that is in no outgoing feed.`,
		Example: `  feedwire follow add https://blog.example.org/ --folder News --user ann`,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := followChange(cmd.Flags())
			if id, err := feed.ParseSourceID(args[0]); err == nil && id == args[0] {
				return send(cmd, "", http.MethodPut, "me/follows/"+args[0], followBody{"", change})
			}
			return send(cmd, "", http.MethodPost, "me/follows", followBody{args[0], change})
		},
	}
	change := &cobra.Command{
		Use: "change ID|URL", Short: "Change title, folder and muting of a follow",
		Example: `  feedwire follow change 4c0adcbee432 --muted --user ann`,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := followChange(cmd.Flags())
			if change == (feed.FollowChange{}) {
				return usage(errors.New("nothing to change: give --title, --folder or --muted"))
			}
			err := send(cmd, "*", http.MethodPut, "me/follows/"+client.Path(args[0]), followBody{"", change})
			if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusPreconditionFailed {
				err = fmt.Errorf("the account does not follow %s; run feedwire follow add", args[0])
			}
			return err
		},
	}
	for _, cmd := range []*cobra.Command{add, change} {
		cmd.Flags().String("title", "", "name of the source for this account; empty: its own title")
		cmd.Flags().String("folder", "", "folder of the source; empty: none")
		cmd.Flags().Bool("muted", false, "leave the entries of the source out of the timeline")
	}
	imports := &cobra.Command{
		Use: "import FILE|-", Short: "Follow the sources of an OPML file",
		Long: `Follow the sources of an OPML file of up to 1 MiB; "-" reads standard input. Follows that exist do not change. The exit code is 1 if
a source was refused; the output lists the reasons.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := readFile(cmd.InOrStdin(), args[0], maxOPML)
			if err != nil {
				return err
			}
			return runBulk(cmd, user.of("me/opml"), client.Raw(body))
		},
	}
	export := &cobra.Command{
		Use: "export", Short: "Print the sources that an account follows as OPML",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := request[client.Raw](cmd, http.MethodGet, user.of("me/opml"), nil)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	}
	all := group("follow", "Follow sources, and list, mark and save entries of the timeline of an account",
		add, change, imports, export,
		list[feed.NamedFollow]{
			use: "list", short: "List the sources that an account follows", path: "me/follows", query: user.query,
			columns: []string{"ID", "NAME", "FOLDER", "MUTED", "SINCE", "URL"},
			print: func(w io.Writer, f *feed.NamedFollow) {
				muted := "-"
				if f.Muted {
					muted = "yes"
				}
				row(w, f.ID, terminal.Cut(f.Name, 40), cmp.Or(f.Folder, "-"), muted, terminal.Ago(f.Since), f.FeedURL)
			},
		}.command(),
		&cobra.Command{
			Use: "remove ID|URL", Short: "Unfollow a source; its entries leave the timeline",
			RunE: func(cmd *cobra.Command, args []string) error {
				return echo(cmd, http.MethodDelete, user.of("me/follows/%s"), args, "unfollowed", "unfollowed")
			},
		},
	)
	all.AddCommand(newReading(&user)...)
	all.AddCommand(
		list[feed.Source]{
			use: "defaults", short: "List the sources that new members follow", path: "default-follows",
			columns: []string{"ID", "TITLE", "URL"},
			print:   func(w io.Writer, s *feed.Source) { row(w, s.ID, terminal.Cut(s.About.Title, 40), s.URL) },
		}.command(),
		newDefault("default", "Make members who join from now on follow a source", http.MethodPut),
		newDefault("undefault", "Undo default; members who have joined go on following the source", http.MethodDelete),
	)
	user.addFlag(all)
	return withServer(all)
}

// newDefault returns a command that changes the default follows.
func newDefault(name, short, method string) *cobra.Command {
	return &cobra.Command{Use: name + " ID|URL", Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		return echo(cmd, method, "default-follows/%s", args, name, "changed")
	}}
}

// followBody is the body of a request that follows a source or changes a follow.
type followBody struct {
	URL string `json:"url,omitempty"`
	feed.FollowChange
}

// followChange returns the changes that flags name.
func followChange(flags *pflag.FlagSet) (change feed.FollowChange) {
	for name, to := range map[string]**string{"title": &change.Title, "folder": &change.Folder} {
		if flags.Changed(name) {
			text, _ := flags.GetString(name) // the flag exists
			*to = &text
		}
	}
	if flags.Changed("muted") {
		muted, _ := flags.GetBool("muted") // the flag exists
		change.Muted = &muted
	}
	return change
}
