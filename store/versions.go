package store

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// maxVersion bounds the content of a version that is kept, in bytes. What is longer is kept without it.
const maxVersion = 256 << 10

// versionOf is the version that an article is now, packed.
func versionOf(a *feed.Article, now time.Time) []byte {
	v := feed.Version{Time: now.UTC().Truncate(time.Second), Digest: a.Digest, Title: a.Title, Content: a.Content}
	if len(v.Content) > maxVersion {
		v.Content, v.Cut = "", true
	}
	plain, _ := json.Marshal(v) // strings and a time always encode
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is one
	_, _ = w.Write(plain)
	_ = w.Close() // a buffer takes everything
	return packed.Bytes()
}

// versionFrom unpacks what versionOf made; what is damaged is empty.
func versionFrom(packed []byte) (v feed.Version) {
	r := flate.NewReader(bytes.NewReader(packed))
	// JSON may write one byte as six.
	plain, err := io.ReadAll(io.LimitReader(r, 8*maxVersion))
	if err == nil {
		_ = json.Unmarshal(plain, &v)
	}
	return v
}
