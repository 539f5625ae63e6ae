package parser

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/feedwire/feedwire/store/feed"
)

// maxGUID bounds a guid in bytes. Longer ones are replaced by their hash because the store uses guids as keys.
const maxGUID = 512

// named is an entry with the guid of its document.
type named struct {
	entry  feed.Entry
	guid   string // may be empty or shared with other entries
	opaque bool   // the document says that the guid is not a URL
	base   string // of its links
}

// identify sets the GUID and the aliases of each entry and removes repeated entries. The policy says what a GUID is made
// of. If a complete document shows that the policy does not distinguish the entries, identify falls back to the next one.
// It ignores names that several entries share: they would move to the next entry that is inserted above.
func identify(all []named, policy feed.Identity, whole bool) ([]named, feed.Identity) {
	all = withoutRepeats(all)
	guids, links := make(map[string]int), make(map[string]int)
	for i := range all {
		guids[all[i].guid]++
		links[all[i].entry.Link]++
	}
	linkShared := func(n *named) bool { return n.entry.Link != "" && links[n.entry.Link] > 1 }
	guidShared := func(n *named) bool { return n.guid != "" && guids[n.guid] > 1 || n.guid == "" && linkShared(n) }
	unfit := func(shared func(*named) bool) bool {
		n := 0
		for i := range all {
			if shared(&all[i]) {
				n++
			}
		}
		return whole && 20*n > len(all)
	}
	if policy == "" {
		policy = feed.IdentityGUID
	}
	if policy == feed.IdentityGUID && unfit(guidShared) {
		policy = feed.IdentityLink
	}
	if policy == feed.IdentityLink && unfit(linkShared) {
		policy = feed.IdentityText
	}
	taken := make(map[string]bool, len(all))
	out := all[:0]
	for _, n := range all {
		guid, link := n.guid, n.entry.Link
		name := guid
		switch {
		case policy == feed.IdentityText:
			name = ""
		case policy == feed.IdentityLink || guid == "":
			if name = link; linkShared(&n) {
				name = ""
			}
		case guids[guid] > 1:
			name = guid + "|" + link
		}
		if name == "" {
			name = textual(&n.entry)
		}
		if len(name) > maxGUID {
			name = hashed(name)
		}
		if taken[name] {
			name = hashed(name + n.entry.DigestV1())
		}
		if taken[name] {
			continue
		}
		taken[name] = name != ""
		n.entry.GUID = name
		if policy != feed.IdentityText && (name == guid || name == link) {
			n.entry.Aliases = append(n.entry.Aliases, feed.GUIDAlias(name, n.opaque && name == guid))
		}
		if alias := feed.LinkAlias(link); alias != "" {
			n.entry.Aliases = append(n.entry.Aliases, alias)
		}
		out = append(out, n)
	}
	return out, policy
}

// withoutRepeats removes entries that have the guid, link and title of one above, or the content if one of these is
// missing.
func withoutRepeats(all []named) []named {
	guids := make(map[string]int)
	for i := range all {
		guids[all[i].guid]++
	}
	type double struct{ guid, link, title, digest string }
	seen := make(map[double]bool)
	out := all[:0]
	for i := range all {
		if n := &all[i]; guids[n.guid] > 1 {
			d := double{n.guid, n.entry.Link, n.entry.Title, ""}
			if d.guid == "" || d.link == "" || d.title == "" {
				d.digest = n.entry.DigestV1()
			}
			if seen[d] {
				continue
			}
			seen[d] = n.guid+n.entry.Link+n.entry.Title+n.entry.Content != ""
		}
		out = append(out, all[i])
	}
	return out
}

// textual returns a name made of the texts of an entry, preferably link and title because they are edited least.
func textual(e *feed.Entry) string {
	switch {
	case e.Link != "" && e.Title != "":
		return hashed(e.Link + "\n" + e.Title)
	case e.Link+e.Title+e.Content != "":
		return hashed(e.Link + "\n" + e.Title + "\n" + e.Content)
	case len(e.Authors)+len(e.Extra) > 0:
		return hashed(e.DigestV1())
	case !e.Published.IsZero() || !e.Updated.IsZero(): // an item without texts
		return hashed(feed.FormatTime(e.Published) + feed.FormatTime(e.Updated))
	}
	return ""
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}
