package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

// list is a command that prints a list of the API as a table.
type list[T any] struct {
	use, short, long, example string

	path    string                         // as in call
	query   func(args []string) url.Values // may be nil
	onePage bool                           // fetches one page only
	order   func(a, b T) int               // nil: as the API returns them
	columns []string
	print   func(w io.Writer, item *T) // prints the rows of an item
}

func (l list[T]) command() *cobra.Command {
	return &cobra.Command{Use: l.use, Short: l.short, Long: l.long, Example: l.example, RunE: func(cmd *cobra.Command, args []string) error {
		items, err := l.fetch(cmd, args)
		if err != nil {
			return err
		}
		if l.order != nil {
			slices.SortFunc(items, l.order)
		}
		return show(cmd, items, func(w io.Writer) {
			fmt.Fprintln(w, strings.Join(l.columns, "\t"))
			for i := range items {
				l.print(w, &items[i])
			}
		})
	}}
}

func (l list[T]) fetch(cmd *cobra.Command, args []string) ([]T, error) {
	path, query := objectPath(l.path, args), url.Values{}
	if l.query != nil {
		query = l.query(args)
	}
	if !l.onePage {
		return fetchAll[T](cmd, path, query)
	}
	page, err := request[feed.Page[T]](cmd, http.MethodGet, path+"?"+query.Encode(), nil)
	return page.Items, err
}

// withLimit returns the command for the first items of a list, with a flag for their number.
func (l list[T]) withLimit(usage string) *cobra.Command {
	var limit int
	query := l.query
	l.onePage, l.query = true, func(args []string) url.Values {
		q := url.Values{}
		if query != nil {
			q = query(args)
		}
		q.Set("limit", strconv.Itoa(limit))
		return q
	}
	cmd := l.command()
	cmd.Flags().IntVar(&limit, "limit", 50, usage)
	return cmd
}

// fetchAll fetches all pages of a list. path is relative to /api/v1/.
func fetchAll[T any](cmd *cobra.Command, path string, query url.Values) ([]T, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	all := []T{}
	query.Set("limit", "200")
	for {
		var page feed.Page[T]
		if err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/"+path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("cursor", page.Next)
	}
}
