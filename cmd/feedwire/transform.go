package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// transformed is what becomes of a page, as the command prints it.
type transformed struct {
	publish.Preview
	Article feed.Article `json:"article"` // as it was read, without its content
	Valid   bool         `json:"valid"`
	Rules   []string     `json:"rules"` // what of the file of rules is not used
}

func newTransform() *cobra.Command {
	var given page
	var published, consumer, rulesFile string
	cmd := &cobra.Command{
		Use:   "transform FILE|URL",
		Short: "Print the markup feedwire makes of a page",
		Long: `Reads HTML from a file, from the web, or from standard input for "-", and prints the markup that an outgoing feed would
carry. What was changed or left out, and where the result falls short of the format, goes to standard error: severity, rule,
place, message and remedy. The exit code is 1 where a feed would hold the article back.

The HTML is a page, whose head tells title, address, date and authors, or a fragment of one. The flags win over the page.
What neither tells is missing, an error; the markup then has a stand-in for it.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			wants, known := profile.Find(consumer, nil)
			if !known {
				return usage(fmt.Errorf("profile %q: use one of %s", consumer, strings.Join(profile.Names(), ", ")))
			}
			if published != "" {
				var err error
				if given.Published, err = time.Parse(time.RFC3339, published); err != nil {
					return usage(fmt.Errorf("published %q: write it like 2026-11-20T08:00:00Z", published))
				}
			}
			var rules *instant.Rules
			var unused []string
			if rulesFile != "" {
				var err error
				if rules, unused, err = readRulesFile(rulesFile); err != nil {
					return usage(fmt.Errorf("rules %s: %w", rulesFile, err))
				}
			}
			var raw ingest.Raw
			if err := readDocument(cmd, args[0], &raw); err != nil {
				return err
			}
			if err := refuseOthers(raw.Body); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			content, err := textOf(&raw)
			if err != nil {
				return fmt.Errorf("read %s: %w", args[0], err)
			}
			read := readPage(content)
			read.override(&given)
			read.Canonical = absolute(raw.URL, read.Canonical)
			done, err := read.transform(cmd.Context(), &wants, rules)
			if err != nil {
				return err
			}
			done.Rules = append(done.Rules, unused...)
			return printTransformed(cmd, &done)
		},
	}
	f := cmd.Flags()
	f.StringVar(&given.Title, "title", "", "title of the article")
	f.StringVar(&given.Canonical, "canonical", "", "its address, also for its relative links")
	f.StringVar(&published, "published", "", "when it was published, like 2026-11-20T08:00:00Z")
	f.StringArrayVar(&given.Authors, "author", nil, "name of an author; may be given more than once")
	f.StringVar(&given.Language, "language", "", "its language, like en or ar")
	f.StringVar(&rulesFile, "rules", "", "file with the publisher's rules, see docs/transformer.md")
	f.StringVar(&consumer, "profile", profile.InstantArticles, "what the consumer wants, one of "+strings.Join(profile.Names(), ", "))
	f.StringP("output", "o", "table", "table (markup, and the rest on standard error) or json")
	return cmd
}

// refuseOthers says why a document cannot be a page; nil: it can.
func refuseOthers(body []byte) error {
	kind, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if !strings.HasPrefix(kind, "text/") && (kind != "application/octet-stream" || bytes.IndexByte(body, 0) >= 0) {
		return fmt.Errorf("this is %s, not HTML; give a page or a part of one", kind)
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); slices.Contains([]string{"rss", "feed", "rdf:rdf"}, string(name)) {
				return errors.New("this is a feed, not a page; feedwire parse shows its entries, give the address of one")
			}
			return nil
		}
	}
}

// textOf is a document in UTF-8.
func textOf(raw *ingest.Raw) (string, error) {
	if utf8.Valid(raw.Body) {
		return string(raw.Body), nil
	}
	decoded, err := charset.NewReader(bytes.NewReader(raw.Body), raw.ContentType)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(decoded, 4*maxParsed))
	return string(text), err
}

// absolute is the address of a page: what it says, seen from where it was fetched.
func absolute(fetched, canonical string) string {
	base, err := url.Parse(fetched)
	if err != nil || fetched == "" {
		return canonical
	}
	ref, err := base.Parse(canonical)
	if err != nil {
		return canonical
	}
	ref.Fragment = ""
	return ref.String()
}

// transform makes the markup of a page, as a feed of that profile would.
func (p *page) transform(ctx context.Context, wants *profile.Profile, rules *instant.Rules) (transformed, error) {
	a := feed.Article{
		Title: p.Title, Canonical: p.Canonical, Authors: p.Authors, Published: p.Published, Modified: p.Modified,
		Content: p.Content,
	}
	var missing []instant.Finding
	shown := a
	if wants.Body == profile.BodyInstant {
		missing = instant.ValidateArticle(a)
		standIn(&shown)
	}
	out := feed.Outgoing{Type: wants.Name, Profile: wants.Name, Language: p.Language}
	publisher := publish.New(nil, []feed.Outgoing{out}, publish.Options{FeedRules: map[string]*instant.Rules{out.Type: rules}})
	preview, err := publisher.Preview(ctx, shown, out.Type)
	if err != nil {
		return transformed{}, err
	}
	preview.Findings = appendNew(missing, preview.Findings)
	a.Content = ""
	valid := preview.HeldBack == "" && !instant.Refused(missing)
	return transformed{Preview: preview, Article: a, Valid: valid, Rules: []string{}}, nil
}

// standIn gives an article what a document cannot be made without.
func standIn(a *feed.Article) {
	a.Title = cmp.Or(strings.TrimSpace(a.Title), "Untitled")
	if u, err := url.Parse(a.Canonical); err != nil || u.Host == "" {
		a.Canonical = "https://article.invalid/"
	}
	if a.Published.IsZero() {
		a.Published = time.Unix(0, 0)
	}
}

// appendNew adds the findings whose rule has not been found broken by the article itself.
func appendNew(found, more []instant.Finding) []instant.Finding {
	all := append([]instant.Finding{}, found...)
	for _, f := range more {
		if !slices.ContainsFunc(found, func(known instant.Finding) bool { return known.Rule == f.Rule }) {
			all = append(all, f)
		}
	}
	return all
}

func printTransformed(cmd *cobra.Command, done *transformed) error {
	tell := func(format string, args ...any) {
		fmt.Fprintln(cmd.ErrOrStderr(), oneLine(fmt.Sprintf(format, args...)))
	}
	err := show(cmd, done, func(io.Writer) {
		fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSuffix(done.Markup, "\n"))
		for _, rule := range done.Rules {
			tell("warning: rules: %s", rule)
		}
		for _, w := range done.Warnings {
			if w.Code == "" { // the cleaner of the other profiles knows no codes
				tell("warning: %s: %s", w.Message, w.Markup)
				continue
			}
			tell("warning: %s, at %s: %s: %s", w.Code, w.Place, w.Message, w.Markup)
		}
		for _, f := range done.Findings {
			tell("%s: %s, at %s: %s. %s", f.Severity, f.Rule, f.Place, f.Message, f.Remedy)
		}
		if done.HeldBack != "" && !instant.Refused(done.Findings) { // it is the consumer who refuses it
			tell("error: %s, at article: %s", done.Feed, done.HeldBack)
		}
	})
	if err == nil && !done.Valid {
		err = errors.New("the article is not valid, so a feed would hold it back")
	}
	return err
}
