package ingest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/feedwire/feedwire/store/feed"
)

// maxGUID is the longest guid that is kept as it is, in bytes; longer ones are replaced by their hash, because a guid
// is a key of the store.
const maxGUID = 512

// named is an entry with what its document calls it.
type named struct {
	entry  feed.Entry
	guid   string // as the document has it; may be empty or one that others have as well
	opaque bool   // the guid is no address, although it may look like one
	origin Origin
}

// identify gives each entry its GUID and aliases, and returns the entries without those that stand in the document twice.
// Names are chosen by the policy, which is degraded where the whole document shows that it does not tell entries apart. A
// name that several entries have is none: whoever kept it would lose it to the next one that is written above.
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
			name = hashed(name + n.entry.Digest())
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

// withoutRepeats drops entries that stand above in the document with the same guid, link and title; where one of these is
// missing, with the same content.
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
				d.digest = n.entry.Digest()
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

// textual is a name made of what an entry says: of link and title, where there is a title, because they are edited least.
func textual(e *feed.Entry) string {
	switch {
	case e.Link != "" && e.Title != "":
		return hashed(e.Link + "\n" + e.Title)
	case e.Link+e.Title+e.Content != "":
		return hashed(e.Link + "\n" + e.Title + "\n" + e.Content)
	case len(e.Authors)+len(e.Extra) > 0:
		return hashed(e.Digest())
	case !e.Published.IsZero() || !e.Updated.IsZero(): // an empty item is one, too
		return hashed(feed.FormatTime(e.Published) + feed.FormatTime(e.Updated))
	}
	return ""
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}
