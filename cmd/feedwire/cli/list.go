package cli

import (
	"fmt"
	"io"
	"maps"
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
	query   func(args []string) url.Values // empty values are left out; may be nil
	onePage bool                           // prints the first page only
	limit   string                         // help of --limit, the size of the first page; empty: there is no such flag
	order   func(a, b T) int               // nil: as the API returns them
	columns []string
	print   func(w io.Writer, item *T) // prints the rows of an item
}

func (l list[T]) command() *cobra.Command {
	most := 200 // in one page
	cmd := &cobra.Command{Use: l.use, Short: l.short, Long: l.long, Example: l.example, RunE: func(cmd *cobra.Command, args []string) error {
		query := url.Values{}
		if l.query != nil {
			query = l.query(args)
			maps.DeleteFunc(query, func(_ string, values []string) bool { return slices.Equal(values, []string{""}) })
		}
		query.Set("limit", strconv.Itoa(most))
		items, err := l.fetch(cmd, objectPath(l.path, args), query)
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
	if l.limit != "" {
		l.onePage = true
		cmd.Flags().IntVar(&most, "limit", 50, l.limit)
	}
	return cmd
}

// fetch fetches all pages of the list, or the first.
func (l list[T]) fetch(cmd *cobra.Command, path string, query url.Values) ([]T, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	all := []T{}
	for {
		var page feed.Page[T]
		if err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/"+path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == "" || l.onePage {
			return all, nil
		}
		query.Set("cursor", page.Next)
	}
}
