package daemon

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/ingest/opml"
	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/desk/imports"
	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/publish/desk/signals"
	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/images"
	"github.com/feedwire/feedwire/publish/lamernews"
	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/media"
	"github.com/feedwire/feedwire/publish/moderation"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/posts"
	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/search"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
	entryindex "github.com/feedwire/feedwire/store/search"
)

// buildDesk creates the desk: the kit that serves pages and API, the people who use them, and the imports, which outlive a reload.
func (a *app) buildDesk(cfg *config.Config) error {
	options := people.Options{
		Now: a.store.CommonTime, PublicURL: cfg.PublicURL, Rounds: cfg.Auth.Rounds,
		Open: a.openPages, OnFailure: a.metrics.authFailed, OnRemoved: a.accountRemoved, OnMember: a.memberAdded,
		Work: a.work.Begin, Access: a.access(cfg), Logger: a.log, Registerer: a.registry,
	}
	if sender, err := setup.Mail(cfg); err != nil {
		return err
	} else if sender != nil {
		options.Mail, a.checkMail = sender.Send, sender.Check
	}
	a.people = people.New(a.store.People, options)
	a.kit = web.New(a.store.Nouns(), a.people, web.Options{
		Now: a.store.CommonTime, PublicURL: cfg.PublicURL, Version: setup.ThisBuild().Version,
		StoreKind: a.storeKind, Logger: a.log, Registerer: a.registry,
	})
	a.imports = imports.New(a.store.Nouns(), a.kit, imports.Options{
		ReadOPML: opml.Read, WriteOPML: a.writeOPML,
		OnPanic: a.metrics.panicked, Work: a.work.Begin,
	})
	files, err := filesOf(cfg)
	if err != nil {
		return err
	}
	a.media = media.New(a.store.Nouns(), a.kit, media.Options{
		Files: files, Registerer: a.registry,
		Limits: func() media.Limits { return media.Limits{Day: a.cfg().Posts.DayBytes, Total: a.cfg().Posts.TotalBytes} },
	})
	a.lists = lists.New(crashing(a.store.Nouns()), a.kit, lists.Options{
		Consumer: func() string { return setup.DaemonID(cfg) }, OnPanic: a.metrics.panicked, Open: a.openLists, Logger: a.log, Registerer: a.registry,
		Anonymous: func() bool { return a.cfg().Votes.Anonymous },
	})
	a.lists.SetRules(cfg.Groups)
	a.refused = community.NewRefused(a.registry)
	a.images = images.New(images.Options{
		Dir: filepath.Join(cfg.DataDir, "images"), Sign: a.store.Proof, Now: a.store.CommonTime, Registerer: a.registry,
	}, a.imageLimits(cfg))
	a.entries, err = entryindex.New(a.store.Nouns(), entryindex.Options{
		Dir: filepath.Join(cfg.DataDir, "search"), Text: hypertext.PlainText, Logger: a.log, Registerer: a.registry,
	})
	if err != nil {
		return err
	}
	a.store.SearchBy(a.searchEntries())
	a.mountDesk(cfg.Outgoing(), cfg.Settings(), a.publisher)
	return nil
}

// searchEntries returns what searches the index; nil: there is none.
func (a *app) searchEntries() feed.FindEntries {
	if !a.cfg().Search.Enabled {
		return nil
	}
	return a.entries.Find
}

// openLists reports whether everyone may read lists.
func (a *app) openLists() bool { return a.cfg().Lists.Public }

// memberAdded makes a new member follow the default sources. Without them the member can still read.
func (a *app) memberAdded(ctx context.Context, name string) {
	if err := a.store.WelcomeMember(ctx, name); err != nil {
		a.log.Warn("a new member does not follow all default sources", "err", err)
	}
}

// accountRemoved erases at once what the store has of a removed account. The job erase_accounts repeats it.
func (a *app) accountRemoved(ctx context.Context) {
	a.kit.DropAllCopies()
	if err := a.eraseAccounts(ctx); err != nil {
		a.log.Warn("data of a removed account is erased within minutes", "err", err)
	}
}

// writeOPML writes sources with the addresses of their republished feeds.
func (a *app) writeOPML(w io.Writer, sources []feed.Source) error {
	for i := range sources {
		sources[i].Republished = a.republish.URLs(sources[i].ID)
	}
	return opml.Write(w, sources, time.Now())
}

// reloadDesk applies the outgoing feeds, the settings, the token and the proxies of a configuration.
func (a *app) reloadDesk(cfg *config.Config) {
	a.people.Reload(a.access(cfg))
	a.images.Reload(a.imageLimits(cfg))
	a.mountDesk(cfg.Outgoing(), cfg.Settings(), a.publisher)
}

// access returns who is admitted without an account, and who may make one.
func (a *app) access(cfg *config.Config) people.Access {
	return people.Access{
		Token: a.token, ProxyHeader: cfg.Auth.ProxyHeader, ProxyNetworks: cfg.Auth.ProxyNetworks, ProxyRole: cfg.Auth.ProxyRole,
		SignUp: people.SignUpMode(cfg.People.SignUp), SignUpPerDay: cfg.People.AccountsPerDay, CheckAbout: a.checkAbout(cfg),
	}
}

// checkAbout returns what keeps members from writing about themselves what they may not write elsewhere in the community; nil: there is none.
func (a *app) checkAbout(cfg *config.Config) func(*feed.Account, string) error {
	if !cfg.Community.Enabled {
		return nil
	}
	list := blocklist.New(cfg.Community.Words, cfg.Community.Domains)
	return func(author *feed.Account, about string) error {
		if author.Role.Moderates() {
			return nil
		}
		return community.CheckText(list, a.refused, "about", about)
	}
}

// validator reports which articles the outgoing feeds leave out.
type validator interface {
	Blocked(a *feed.Article, typ string) string
	Verdict(a *feed.Article, typ string, read func() (feed.Article, error)) (string, error)
	BlockedArticles(typ string) []string
}

// mountDesk makes the kit serve each noun for the outgoing feeds and the settings in force.
func (a *app) mountDesk(outgoing feed.OutgoingFeeds, inForce []feed.Setting, valid validator) {
	s := a.store.Nouns()
	a.imports.SetFeeds(outgoing)
	written := entries.New(crashing(s), a.kit, entries.Options{Takedown: a.takedown, Removed: a.entryRemoved})
	posted := posts.New(s, a.kit, posts.Options{
		PerDay: func() int { return a.cfg().Posts.PerDay }, Create: written.Create, Save: a.media.Save, Remove: written.Remove,
	})
	rooms := []web.Room{
		desk.Desk{},
		overview.New(s, a.kit, overview.Options{Feeds: outgoing, Blocked: valid.Blocked, Candidates: valid.BlockedArticles}),
		articles.New(s, a.kit, articles.Options{
			Feeds: outgoing, Verdict: valid.Verdict, Preview: a.publisher.Preview, Promote: a.intake.Promote, OnTransition: a.moved,
			Search:   a.searchEntries(),
			ImageURL: a.images.URL,
		}),
		sources.New(s, a.kit, sources.Options{
			Feeds: outgoing, Republished: a.republish.URLs, Pace: a.ingester.Pace,
			Discover: a.ingester.Discover, Peek: a.ingester.Peek, Trace: a.ingester.Trace,
		}),
		written,
		a.imports,
		feeds.New(s, a.kit, feeds.Options{Feeds: outgoing, Blocked: valid.Blocked, Document: a.publisher.Document}),
		signals.New(s, a.kit, a.events),
		hub.New(s, a.kit, hub.Options{Test: a.engine.Test, Requested: func() { a.front.Wake() }}), // front is set later
		users.New(s, a.people, a.kit),
		posted,
		a.media,
		readers.New(s, a.kit, readers.Options{
			Discover: a.ingester.Discover, Peek: a.ingester.Peek, ReadOPML: opml.Read, ImageURL: a.images.URL, Search: a.searchEntries(),
			WriteOPML: func(w io.Writer, account string, follows []feed.NamedFollow) error {
				return opml.WriteFollows(w, account, follows, a.republish.URLs, time.Now())
			},
		}),
		a.images,
		a.lists,
		search.New(s, a.searchEntries(), a.kit),
		settings.New(a.kit, inForce, a.reloads.last),
	}
	if a.cfg().Community.Enabled {
		cfg := a.cfg()
		mount := community.NewMount(cfg.Community.Host, cfg.PublicURL)
		decisions := moderation.New(s)
		site := community.New(crashing(s), a.kit, community.Options{
			Mount: mount, Name: cfg.Community.Name, Title: a.ingester.Title,
			Gravatars: func() bool { return a.cfg().Community.Gravatars }, Picture: a.images.Serve,
			AddSource: posted.AddSource, Create: written.Create, Edit: written.Edit, Remove: written.Remove,
			Moderator: decisions, Blocklist: blocklist.New(cfg.Community.Words, cfg.Community.Domains), Refused: a.refused,
			NewAccounts: func() feed.NewAccountLimits { return a.cfg().Community.NewAccount },
			Review:      func() feed.Review { return a.cfg().Community.Review },
		})
		rooms = append(rooms, site, lamernews.New(s, a.people, site, lamernews.Options{
			Mount: mount, LegacyLogin: func() bool { return a.cfg().Community.LegacyLogin }, OtherSite: a.kit.FromOtherSite,
		}), decisions)
	}
	a.kit.Mount(rooms...)
}

// entryRemoved removes what other nouns have of an entry that was taken down.
func (a *app) entryRemoved(ctx context.Context, e *feed.Entry) error {
	return errors.Join(a.store.Community.RemoveNews(ctx, e.ID), a.media.Removed(ctx, e))
}

// filesOf returns where the images of posts are stored.
func filesOf(cfg *config.Config) (media.Files, error) {
	s3 := cfg.Posts.S3
	if s3.URL == "" {
		return media.Dir(cmp.Or(cfg.Posts.Media, filepath.Join(cfg.DataDir, "media"))), nil
	}
	return media.NewBucket(media.BucketOptions{URL: s3.URL, Region: s3.Region, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey.Reveal()})
}
