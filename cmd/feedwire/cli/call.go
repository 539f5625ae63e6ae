package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/web"
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
	c, err := newClient(cmd)
	if err != nil {
		return err
	}
	if err := c.Call(cmd.Context(), method, "/api/v1/"+objectPath(path, args), nil, nil); err != nil {
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
