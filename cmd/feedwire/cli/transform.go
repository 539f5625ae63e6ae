package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/page"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// transformed is the JSON output of the command.
type transformed struct {
	placement.Preview
	Article feed.Article `json:"article"` // without its content
	Valid   bool         `json:"valid"`
	Rules   []string     `json:"rules"` // rules that cannot be used, and why
}

func newTransform() *cobra.Command {
	var given page.Article
	var published, consumer, rulesFile, zone string
	cmd := &cobra.Command{
		Use:   "transform FILE|URL",
		Short: "Print the markup that feedwire makes of an article",
		Long: `Read an article as HTML from a file, a URL or standard input ("-"), and print the markup that an outgoing feed would contain.
Changes and violations of the format are printed to standard error with severity, rule, location, message and remedy. The
exit code is 1 if a feed would block the article.

The input is a web page, whose head contains title, URL, date and authors, or a fragment of HTML. Flags override the page, and
a GlobalRule of the rules file overrides both. A missing value is an error; the markup then contains a placeholder.`,
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if _, err := time.LoadLocation(zone); err != nil {
				return usage(fmt.Errorf("time zone %q: write it like Europe/Berlin or UTC", zone))
			}
			rules := &setup.Rules{}
			if rulesFile != "" {
				var err error
				if rules, err = setup.ReadRulesFile(wants.Name, rulesFile); err != nil {
					return usage(fmt.Errorf("rules %s: %w", rulesFile, err))
				}
			}
			var raw parser.Raw
			if err := readDocument(cmd, args[0], &raw); err != nil {
				return err
			}
			if err := page.Check(raw.Body); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			content, err := page.Decode(raw.Body, raw.ContentType)
			if err != nil {
				return fmt.Errorf("read %s: %w", args[0], err)
			}
			read := page.Read(content)
			read.Override(&given)
			if rules.Feeds[wants.Name].MapsPage() {
				read.Content = content
			}
			read.Resolve(raw.URL)
			out := feed.Outgoing{Type: wants.Name, Profile: wants.Name, Language: read.Language, TimeZone: zone}
			done, err := transform(cmd.Context(), &read, &wants, out, rules)
			if err != nil {
				return err
			}
			done.Rules = append(done.Rules, rules.Warnings...)
			return printTransformed(cmd, &done)
		},
	}
	f := cmd.Flags()
	f.StringVar(&given.Title, "title", "", "title of the article")
	f.StringVar(&given.Canonical, "canonical", "", "canonical URL, also the base of relative links")
	f.StringVar(&published, "published", "", "time of publication, such as 2026-11-20T08:00:00Z")
	f.StringArrayVar(&given.Authors, "author", nil, "name of an author; repeatable")
	f.StringVar(&given.Language, "language", "", "language of the article, such as en or ar")
	f.StringVar(&zone, "time-zone", "UTC", "time zone of dates that rules find and that name none, such as Europe/Berlin")
	f.StringVar(&rulesFile, "rules", "", "rules file, see docs/reference/transformer.md")
	f.StringVar(&consumer, "profile", profile.InstantArticles, "profile of the consumer, see docs/reference/profiles.md")
	f.StringP("output", "o", "table", "output format: table (markup) or json")
	return cmd
}

// transform previews the article of a page in the feed out with a profile.
func transform(ctx context.Context, p *page.Article, wants *profile.Profile, out feed.Outgoing, rules *setup.Rules) (transformed, error) {
	a := feed.Article{
		Title: p.Title, Canonical: p.Canonical, Authors: p.Authors, Published: p.Published, Modified: p.Modified,
		Content: p.Content,
	}
	publisher := publish.New(nil, []feed.Outgoing{out}, publish.Options{FeedRules: rules.Feeds})
	preview, err := publisher.Preview(ctx, a, out.Type)
	missing := []validate.Finding{}
	if err == nil && preview.Markup == "" && wants.Body == profile.BodyInstant {
		missing = preview.Findings
		shown := a
		fillMissing(&shown)
		preview, err = publisher.Preview(ctx, shown, out.Type)
	}
	if err != nil {
		return transformed{}, err
	}
	preview.Findings = append(missing, slices.DeleteFunc(preview.Findings, func(f validate.Finding) bool {
		return slices.ContainsFunc(missing, func(known validate.Finding) bool { return known.Rule == f.Rule })
	})...)
	a.Content = ""
	valid := preview.Blocked == "" && !validate.HasErrors(missing)
	return transformed{Preview: preview, Article: a, Valid: valid, Rules: []string{}}, nil
}

// fillMissing sets placeholders for the fields without which no document can be made.
func fillMissing(a *feed.Article) {
	a.Title = cmp.Or(strings.TrimSpace(a.Title), "Untitled")
	if u, err := url.Parse(a.Canonical); err != nil || u.Host == "" {
		a.Canonical = "https://article.invalid/"
	}
	if a.Published.IsZero() {
		a.Published = time.Unix(0, 0)
	}
}

func printTransformed(cmd *cobra.Command, done *transformed) error {
	warn := func(format string, args ...any) {
		fmt.Fprintln(cmd.ErrOrStderr(), terminal.OneLine(fmt.Sprintf(format, args...)))
	}
	err := show(cmd, done, func(io.Writer) {
		fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSuffix(done.Markup, "\n"))
		for _, rule := range done.Rules {
			warn("warning: rules: %s", rule)
		}
		for _, w := range done.Warnings {
			switch {
			case w.Markup == "": // a number of changes
				warn("warning: %s", w.Message)
			case w.Code == "": // from package body
				warn("warning: %s: %s", w.Message, w.Markup)
			default:
				warn("warning: %s, at %s: %s: %s", w.Code, w.Place, w.Message, w.Markup)
			}
		}
		for _, f := range done.Findings {
			warn("%s: %s, at %s: %s. %s", f.Severity, f.Rule, f.Place, f.Message, f.Remedy)
		}
		if done.Blocked != "" && !validate.HasErrors(done.Findings) { // blocked by a requirement of the profile
			warn("error: %s, at article: %s", done.Feed, done.Blocked)
		}
	})
	if err == nil && !done.Valid {
		err = errors.New("the article is invalid; a feed would block it")
	}
	return err
}
