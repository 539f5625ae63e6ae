package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// maxParsed is the maximum size of a document in bytes. It corresponds to fetch.max_bytes of the daemon.
const maxParsed = 64 << 20

// readDocument reads a URL, a file, or standard input for "-". Flags override the headers of a response.
func readDocument(cmd *cobra.Command, name string, raw *parser.Raw) error {
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		fetched, err := fetchDocument(cmd.Context(), name)
		if err != nil {
			return err
		}
		for flag, given := range map[string]*string{
			"url": &fetched.URL, "content-type": &fetched.ContentType,
			"content-location": &fetched.ContentLocation, "content-language": &fetched.ContentLanguage,
		} {
			if cmd.Flags().Changed(flag) {
				*given, _ = cmd.Flags().GetString(flag)
			}
		}
		*raw = fetched
		return nil
	}
	var err error
	raw.Body, err = readFile(cmd.InOrStdin(), name, maxParsed)
	return err
}

// fetchDocument fetches a URL with the guarded client of the daemon. It allows the private addresses of the host in the URL, but
// not those of redirects.
func fetchDocument(ctx context.Context, address string) (parser.Raw, error) {
	address, err := feed.CanonicalURL(address)
	if err != nil {
		return parser.Raw{}, usage(err)
	}
	u, _ := url.Parse(address) // a canonical URL is valid
	var named []netip.Prefix
	addresses, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname()) // Get reports the error
	for _, ip := range addresses {
		ip = ip.Unmap()
		named = append(named, netip.PrefixFrom(ip, ip.BitLen()))
	}
	got, err := newFetcher(named).Get(ctx, &feed.Source{URL: address}, fetch.Request{URL: address})
	if err != nil {
		return parser.Raw{}, err
	}
	return parser.NewRaw(got.Body, got.Header, got.URL, time.Now()), nil
}

// newFetcher returns the client of the daemon for documents, with the private networks that it may reach.
func newFetcher(networks []netip.Prefix) *fetch.Client {
	return fetch.New(fetch.Options{UserAgent: setup.UserAgent(&config.Config{}), AllowNetworks: networks, MaxBytes: maxParsed}, 1)
}

// readFile reads a file, or standard input for "-", of up to limit bytes.
func readFile(stdin io.Reader, name string, limit int64) ([]byte, error) {
	from := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // only read
		from = file
	}
	body, err := io.ReadAll(io.LimitReader(from, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("%s is larger than %d MiB; split it", name, limit>>20)
	}
	return body, nil
}
