package store

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"sync"
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
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&packed)
	_, _ = w.Write(plain)
	_ = w.Close() // a buffer takes everything
	return packed.Bytes()
}

// writers are used again: each has tables of 1.2 MB.
var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is one
	return w
}}

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
