package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// call is a command that sends one request to the API and prints the response.
type call[T any] struct {
	use, short, long, example string

	method string                  // empty: POST
	path   string                  // as in request; %s stands for the first argument
	body   func(args []string) any // nil: none
	bulk   func(args []string) any // body for several objects, at the path without %s/; nil: one object only
	check  func(v *T) error        // may reject the response; may be nil
	print  func(w io.Writer, v *T, args []string)
}

func (c call[T]) command() *cobra.Command {
	return &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, RunE: c.run}
}

func (c call[T]) run(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && c.bulk != nil {
		return runBulk(cmd, strings.Replace(c.path, "%s/", "", 1), c.bulk(args))
	}
	var body any
	if c.body != nil {
		body = c.body(args)
	}
	v, err := request[T](cmd, cmp.Or(c.method, http.MethodPost), objectPath(c.path, args), body)
	if err == nil && c.check != nil {
		err = c.check(&v)
	}
	if err != nil {
		return err
	}
	return show(cmd, v, func(w io.Writer) { c.print(w, &v, args) })
}

// newShow returns the command that prints an object.
func newShow[T any](name, short, path string, rows func(w io.Writer, v *T)) *cobra.Command {
	return call[T]{
		use: "show " + name, short: short, method: http.MethodGet, path: path,
		print: func(w io.Writer, v *T, _ []string) { rows(w, v) },
	}.command()
}

// newRemove returns the command that deletes objects of a collection of the API.
func newRemove(use, short, collection string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return runBulk(cmd, collection+"/remove", map[string][]string{collection: args})
		}
		return echo(cmd, http.MethodDelete, collection+"/%s", args, cmd.Name()+"d", cmd.Name()+"d")
	}}
}

// echo sends a request without a response body and prints the first argument.
func echo(cmd *cobra.Command, method, path string, args []string, key, text string) error {
	if _, err := request[client.Raw](cmd, method, objectPath(path, args), nil); err != nil {
		return err
	}
	return show(cmd, map[string]string{key: args[0]}, func(w io.Writer) { fmt.Fprintln(w, text, args[0]) })
}

// runBulk applies one action to several objects in one request and prints the result of each. path is relative to /api/v1/.
func runBulk(cmd *cobra.Command, path string, body any) error {
	all, err := request[web.Bulk](cmd, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	err = show(cmd, all, func(w io.Writer) {
		row(w, "NAME", "DONE", "REASON")
		for _, item := range all.Items {
			if item.Problem == nil {
				row(w, item.ID, "yes", "-")
			} else {
				row(w, item.ID, "no", item.Problem.Detail)
			}
		}
	})
	if err == nil && all.Failed > 0 {
		err = fmt.Errorf("%d of %d failed", all.Failed, len(all.Items))
	}
	return err
}

// list is a command that prints a list of the API as a table.
type list[T any] struct {
	use, short, long, example string

	path    string                         // as in call
	query   func(args []string) url.Values // empty values are left out; may be nil
	unpaged bool                           // the API returns it at once
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
		if !l.unpaged {
			query.Set("limit", strconv.Itoa(most))
		}
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
	all := []T{}
	for {
		page, err := request[feed.Page[T]](cmd, http.MethodGet, path+"?"+query.Encode(), nil)
		all = append(all, page.Items...)
		if err != nil || page.Next == "" || l.onePage {
			return all, err
		}
		query.Set("cursor", page.Next)
	}
}
