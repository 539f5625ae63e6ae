package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// withServer adds the flags that locate the daemon, and --output.
func withServer(cmd *cobra.Command) *cobra.Command {
	f := cmd.PersistentFlags()
	f.String("server", "", "base URL of the daemon (default: the address in listen)")
	outputFlag(f)
	// More flags of the daemon would hide typing errors, such as --feeds for --feed.
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(all)
	for _, name := range []string{"data-dir", "listen", "api-token-file"} {
		f.AddFlag(all.Lookup(name))
	}
	return cmd
}

// withOptions adds a flag for each option of the configuration.
func withOptions(cmd *cobra.Command) *cobra.Command {
	config.Flags(cmd.Flags())
	return cmd
}

// loadConfig reads the configuration from the flags of a command, the environment and the file.
func loadConfig(cmd *cobra.Command) (*config.Config, error) {
	path, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	return config.Load(path, environ(cmd), cmd.Flags())
}

// operations returns the URL of health checks and other operations, which may have their own listener.
func operations(cfg *config.Config) string {
	return "http://" + setup.Reachable(cmp.Or(cfg.Admin.Listen, cfg.Listen))
}

// newClient returns a client for the daemon at --server, or at the addresses of the configuration. It validates --output.
func newClient(cmd *cobra.Command) (*client.Client, error) {
	if err := checkOutput(cmd); err != nil {
		return nil, err
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	token, err := setup.Token(cfg, false)
	if err != nil {
		return nil, err
	}
	base, _ := cmd.Flags().GetString("server")
	c := client.New(cmp.Or(base, "http://"+setup.Reachable(cfg.Listen)), token, 30*time.Second)
	if base == "" {
		c.Operations = operations(cfg)
	}
	return c, nil
}

// withClient returns a command that calls run with a client for the daemon.
func withClient(run func(cmd *cobra.Command, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := newClient(cmd)
		if err != nil {
			return err
		}
		return run(cmd, c, args)
	}
}

// request sends one request and decodes the response. path is that of an operation, /-/…, or relative to /api/v1/.
func request[T any](cmd *cobra.Command, method, path string, body any) (response T, err error) {
	c, err := newClient(cmd)
	if err != nil {
		return response, err
	}
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	err = c.Call(cmd.Context(), method, path, body, &response)
	return response, err
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

// objectPath returns a path with the first argument in place of %s.
func objectPath(path string, args []string) string {
	if len(args) == 0 {
		return path
	}
	return strings.Replace(path, "%s", client.Path(args[0]), 1)
}

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

// newRemove returns the command that deletes an object.
func newRemove(use, short, path string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		return echo(cmd, http.MethodDelete, path, args, cmd.Name()+"d", cmd.Name()+"d")
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
