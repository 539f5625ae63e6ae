package parser

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/feedwire/feedwire/store/feed"
)

// maxGUID bounds a guid in bytes. Longer ones are replaced by their hash because the store uses guids as keys.
const maxGUID = 512

// identify sets the GUID and the aliases of each entry and removes repeated entries. The policy says what a GUID is made
// of. If a complete document shows that the policy does not distinguish the entries, identify falls back to the next one.
// It ignores names that several entries share: they would move to the next entry that is inserted above.
func identify(all []*post, policy feed.Identity, whole bool) ([]*post, feed.Identity) {
	all = withoutRepeats(all)
	guids, links := make(map[string]int), make(map[string]int)
	for _, p := range all {
		guids[p.guid]++
		links[p.entry.Link]++
	}
	linkShared := func(p *post) bool { return p.entry.Link != "" && links[p.entry.Link] > 1 }
	guidShared := func(p *post) bool { return p.guid != "" && guids[p.guid] > 1 || p.guid == "" && linkShared(p) }
	unfit := func(shared func(*post) bool) bool {
		n := 0
		for _, p := range all {
			if shared(p) {
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
	for _, p := range all {
		guid, link := p.guid, p.entry.Link
		name := guid
		switch {
		case policy == feed.IdentityText:
			name = ""
		case policy == feed.IdentityLink || guid == "":
			if name = link; linkShared(p) {
				name = ""
			}
		case guids[guid] > 1:
			name = guid + "|" + link
		}
		if name == "" {
			name = textual(&p.entry)
		}
		if len(name) > maxGUID {
			name = hashed(name)
		}
		if taken[name] {
			name = hashed(name + p.entry.DigestV1())
		}
		if taken[name] {
			continue
		}
		taken[name] = name != ""
		p.entry.GUID = name
		if policy != feed.IdentityText && (name == guid || name == link) {
			p.entry.Aliases = append(p.entry.Aliases, feed.GUIDAlias(name, p.opaque && name == guid))
		}
		if alias := feed.LinkAlias(link); alias != "" {
			p.entry.Aliases = append(p.entry.Aliases, alias)
		}
		out = append(out, p)
	}
	return out, policy
}

// withoutRepeats removes entries that have the guid, link and title of one above, or the content if one of these is
// missing.
func withoutRepeats(all []*post) []*post {
	guids := make(map[string]int)
	for _, p := range all {
		guids[p.guid]++
	}
	type double struct{ guid, link, title, digest string }
	seen := make(map[double]bool)
	out := all[:0]
	for _, p := range all {
		if guids[p.guid] > 1 {
			d := double{p.guid, p.entry.Link, p.entry.Title, ""}
			if d.guid == "" || d.link == "" || d.title == "" {
				d.digest = p.entry.DigestV1()
			}
			if seen[d] {
				continue
			}
			seen[d] = p.guid+p.entry.Link+p.entry.Title+p.entry.Content != ""
		}
		out = append(out, p)
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
	case e.DigestV1() != (&feed.Entry{}).DigestV1(): // it has authors, or fields that version 1 knew
		return hashed(e.DigestV1())
	case len(e.Extra) > 0:
		fields, _ := json.Marshal(e.Extra) // sorted, and texts always encode
		return hashed(string(fields))
	case !e.Published.IsZero() || !e.Updated.IsZero(): // an item without texts
		return hashed(feed.FormatTime(e.Published) + feed.FormatTime(e.Updated))
	}
	return ""
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}
