package topics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Topics below a former public URL are aliases of the present ones as long as they have subscriptions, which are renewed or end.

// readFormerURLs stores the present public URL and reads the former ones.
func (c *Catalog) readFormerURLs(ctx context.Context) error {
	all, err := c.store.AddPublicURL(ctx, c.opts.PublicURL)
	if err == nil {
		former := slices.DeleteFunc(all, func(url string) bool { return url == c.opts.PublicURL })
		c.former.Store(&former)
	}
	return err
}

// FormerURLs returns the former public URLs whose topics have subscriptions.
func (c *Catalog) FormerURLs() []string {
	if former := c.former.Load(); former != nil {
		return *former
	}
	return nil
}

// current returns the present URL of a topic below a former public URL. It returns other topics unchanged.
func (c *Catalog) current(topic string) string {
	for _, former := range c.FormerURLs() {
		if rest, below := strings.CutPrefix(topic, former+"/"); below {
			return c.opts.PublicURL + "/" + rest
		}
	}
	return topic
}

// withAliases returns topics and their URLs below the former public URLs.
func (c *Catalog) withAliases(topics ...string) []string {
	all := slices.Clone(topics)
	for _, former := range c.FormerURLs() {
		for _, topic := range topics {
			if rest, below := strings.CutPrefix(topic, c.opts.PublicURL+"/"); below {
				all = append(all, former+"/"+rest)
			}
		}
	}
	return all
}

// resolveAlias returns the present URL of a topic. feed.ErrNotFound: it is below a former public URL and has no subscriptions.
func (c *Catalog) resolveAlias(ctx context.Context, topic string) (string, error) {
	if c.former.Load() == nil {
		if err := c.readFormerURLs(ctx); err != nil {
			return "", err
		}
	}
	current := c.current(topic)
	if current == topic {
		return topic, nil
	}
	have, err := c.store.HaveSubscribers(ctx, []string{topic})
	if err == nil && !have[0] {
		err = fmt.Errorf("topic below a former public URL: %w", feed.ErrNotFound)
	}
	return current, err
}

// UpdateAliases reads the former public URLs, and forgets those without topics that have subscriptions.
func (c *Catalog) UpdateAliases(ctx context.Context, subscribed []feed.Topic) error {
	if err := c.readFormerURLs(ctx); err != nil {
		return err
	}
	for _, former := range c.FormerURLs() {
		if slices.ContainsFunc(subscribed, func(t feed.Topic) bool { return strings.HasPrefix(t.URL, former+"/") }) {
			continue
		}
		if err := c.store.ForgetPublicURL(ctx, former); err != nil {
			return err
		}
	}
	return nil
}
