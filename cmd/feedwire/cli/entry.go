package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/store/feed"
)

// maxEntries is the maximum size of a file with entries in bytes, as in the API.
const maxEntries = 8 << 20

func newEntry() *cobra.Command {
	return withServer(group("entry", "Write, read and take down entries",
		newEntryAdd(),
		list[feed.Entry]{
			use: "list SOURCE", short: "List the entries of a source, newest first", path: "sources/%s/entries", limit: "maximum number of entries, up to 200",
			columns: []string{"ENTRY", "WHEN", "GUID", "TITLE"},
			print: func(w io.Writer, e *feed.Entry) {
				row(w, e.Number(), terminal.Ago(e.Timestamp), terminal.Cut(e.GUID, 40), terminal.Cut(e.Title, 60))
			},
		}.command(),
		newEntryShow(), newEntryEdit(),
		newRemove("remove NUMBER...", "Take entries down: remove them everywhere, and do not create them again", "entries"),
		newEntryExpire(),
	))
}

func newEntryAdd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add SOURCE [FILE]",
		Short: "Create entries of a local source",
		Long: `Create an entry of a local source from flags, or from a file with a JSON object as the API returns it; "-" reads standard input.
Flags replace members of the file.

If the file has a list of up to 200 objects, each of them creates an entry, or replaces the entry with its guid.`,
		Example: `  feedwire source add feedwire:local/notes --title Notes
  feedwire entry add feedwire:local/notes --title "Low tide at noon" --content "<p>Mind the slipway.</p>"
  feedwire entry add feedwire:local/notes entries.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, many, err := entryInput(cmd, args[1:])
			if err != nil {
				return err
			}
			path := "sources/" + client.Path(args[0]) + "/entries"
			if many != nil {
				return runBulk(cmd, path+"/bulk", map[string]any{"entries": many})
			}
			return showWritten(cmd, http.MethodPost, path, body, "created")
		},
	}
	addEntryFlags(cmd.Flags())
	cmd.Flags().String("guid", "", "name of the entry in its source (default: assigned)")
	return cmd
}

// showWritten sends an entry and prints the response.
func showWritten(cmd *cobra.Command, method, path string, body any, done string) error {
	e, err := request[feed.Entry](cmd, method, path, body)
	if err != nil {
		return err
	}
	return show(cmd, e, func(w io.Writer) { fmt.Fprintln(w, done, e.Number(), e.GUID) })
}

// withEntryName adds --source to a command about one entry. run gets the path of the entry in the API, relative to /api/v1/.
func withEntryName(cmd *cobra.Command, run func(cmd *cobra.Command, path string, args []string) error) *cobra.Command {
	source := cmd.Flags().String("source", "", "id or URL of a source; then NUMBER is the guid of one of its entries")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := "entries/" + client.Path(strings.TrimPrefix(args[0], "Entry:"))
		if *source != "" {
			path = "sources/" + client.Path(*source) + "/entries/" + client.Path(args[0])
		}
		return run(cmd, path, args)
	}
	return cmd
}

func newEntryShow() *cobra.Command {
	return withEntryName(&cobra.Command{Use: "show NUMBER", Short: "Show an entry"}, func(cmd *cobra.Command, path string, _ []string) error {
		e, err := request[feed.Entry](cmd, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		return show(cmd, e, func(w io.Writer) { printEntry(w, &e) })
	})
}

func printEntry(w io.Writer, e *feed.Entry) {
	row(w, "entry", e.Number())
	row(w, "source", e.FeedURL)
	row(w, "guid", e.GUID)
	row(w, "title", e.Title)
	rowIf(w, "link", e.Link)
	rowIf(w, "authors", strings.Join(e.Authors, ", "))
	rowIf(w, "categories", strings.Join(e.Categories(), ", "))
	row(w, "timestamp", timestamp(e.Timestamp))
	row(w, "published", timestamp(e.Published))
	row(w, "updated", timestamp(e.Updated))
	rowIf(w, "summary", e.Summary)
	rowIf(w, "content", e.Content)
}

func newEntryEdit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit NUMBER [FILE]",
		Short: "Change an entry of a local source",
		Long: `Change those fields of an entry that flags or the JSON object in a file name; "-" reads standard input. The value null in the file
removes a field. The command fails if someone else changes the entry at the same time.`,
		Example: `  feedwire entry edit 5 --title "Low tide at one"`,
	}
	addEntryFlags(cmd.Flags())
	return withEntryName(cmd, func(cmd *cobra.Command, path string, args []string) error {
		changes, many, err := entryInput(cmd, args[1:])
		if err != nil {
			return err
		}
		if many != nil {
			return usage(fmt.Errorf("%s has a list; an edit changes one entry", args[1]))
		}
		c, err := newClient(cmd)
		if err != nil {
			return err
		}
		e, err := seenEntry(cmd, c, path)
		if err != nil {
			return err
		}
		for name, value := range changes {
			if e[name] = value; value == nil {
				delete(e, name)
			}
		}
		path = fmt.Sprintf("/api/v1/sources/%s/entries/%s", client.Path(fmt.Sprint(e["feed_url"])), client.Path(fmt.Sprint(e["guid"])))
		var changed feed.Entry
		if err := c.Call(cmd.Context(), http.MethodPut, path, e, &changed); err != nil {
			return err
		}
		return show(cmd, changed, func(w io.Writer) { fmt.Fprintln(w, "changed", changed.Number(), changed.GUID) })
	})
}

// seenEntry returns the members of an entry. From then on the client changes only what is as it was seen.
func seenEntry(cmd *cobra.Command, c *client.Client, path string) (e map[string]any, err error) {
	resp, err := c.Send(cmd.Context(), http.MethodGet, "/api/v1/"+path, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	if err := json.NewDecoder(io.LimitReader(resp.Body, client.MaxResponse)).Decode(&e); err != nil {
		return nil, fmt.Errorf("response of the daemon: %w", err)
	}
	c.IfMatch = resp.Header.Get("ETag")
	return e, nil
}

func newEntryExpire() *cobra.Command {
	var keep int
	cmd := call[entries.Expired]{
		use: "expire SOURCE", short: "Delete all but the newest entries of a source", path: "sources/%s/entries/expire",
		body: func([]string) any { return map[string]int{"keep": keep} },
		print: func(w io.Writer, done *entries.Expired, _ []string) {
			fmt.Fprintln(w, "expired", done.Expired, "entries")
		},
	}.command()
	cmd.Flags().IntVar(&keep, "keep", 50, "number of entries that remain")
	return cmd
}

// addEntryFlags adds the flags with fields of an entry.
func addEntryFlags(f *pflag.FlagSet) {
	f.String("title", "", "title, as text")
	f.String("link", "", "URL of the entry on the web")
	f.String("content", "", "content, as HTML")
	f.String("summary", "", "summary, as HTML")
	f.StringArray("author", nil, "name of an author; repeatable")
	f.StringArray("category", nil, "category; repeatable")
	f.String("language", "", "language, such as en-GB")
	f.String("date-published", "", "publication, such as 2026-11-20T12:00:00Z (default: now)")
	f.String("date-updated", "", "last edit (default: now)")
}

// entryInput returns the members of an entry from the flags and the file of a command, or the list in the file.
func entryInput(cmd *cobra.Command, file []string) (members map[string]any, many []any, err error) {
	members = make(map[string]any)
	if len(file) > 0 {
		text, err := readFile(cmd.InOrStdin(), file[0], maxEntries)
		if err != nil {
			return nil, nil, err
		}
		var target any = &members
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
			many, target = []any{}, &many
		}
		if err := json.Unmarshal(text, target); err != nil {
			return nil, nil, fmt.Errorf("%s is no JSON object or list: %w", file[0], err)
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "title", "link", "content", "summary", "language", "date-published", "date-updated", "guid":
			members[strings.ReplaceAll(f.Name, "-", "_")] = f.Value.String()
		case "author":
			members["authors"] = f.Value.(pflag.SliceValue).GetSlice()
		case "category":
			terms := []map[string]string{}
			for _, term := range f.Value.(pflag.SliceValue).GetSlice() {
				terms = append(terms, map[string]string{"term": term})
			}
			members["categories"] = terms
		}
	})
	switch {
	case many != nil && len(members) > 0:
		return nil, nil, usage(fmt.Errorf("%s has a list; flags apply to one entry", file[0]))
	case many == nil && len(members) == 0:
		return nil, nil, usage(errors.New("nothing to write: give a file, or flags such as --title"))
	}
	return members, many, nil
}
