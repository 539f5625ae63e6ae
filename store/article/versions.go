package article

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// maxVersion bounds the content of a stored version, in bytes. A version with longer content is stored without it.
const maxVersion = 256 << 10

// packVersion encodes the current version of an article.
func packVersion(a *feed.Article, now time.Time) []byte {
	v := feed.Version{Time: now.UTC().Truncate(time.Second), Digest: a.Digest, Title: a.Title, Content: a.Content}
	if len(v.Content) > maxVersion {
		v.Content, v.Cut = "", true
	}
	plain, _ := json.Marshal(v) // strings and a time always encode
	var packed bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&packed)
	_, _ = w.Write(plain)
	_ = w.Close() // a bytes.Buffer never fails
	return packed.Bytes()
}

// writers are reused, because each allocates tables of 1.2 MB.
var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// unpackVersion decodes the result of packVersion. A damaged version is empty.
func unpackVersion(packed string) (v feed.Version) {
	const longest = 8 * maxVersion // JSON may encode one byte as six
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(strings.NewReader(packed)), longest))
	if err == nil {
		_ = json.Unmarshal(plain, &v)
	}
	return v
}

// QueryArticleVersions adds the command that reads the versions of an article.
func (s *Store) QueryArticleVersions(b *core.Batch, uuid string) {
	b.Add("LRANGE", s.keys.versions(uuid), 0, -1)
}

// ReadArticleVersions takes the reply to the command of QueryArticleVersions. The newest version is first.
func (s *Store) ReadArticleVersions(r *core.Replies) (all []feed.Version) {
	for _, packed := range r.Texts() {
		all = append(all, unpackVersion(packed))
	}
	return all
}
