package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// assets are the embedded files that pages load, by name, each with what stands for its content. They hold no secret and are
// the same for everyone, so they need no password.
type assets map[string]string

func newAssets() assets {
	all := make(assets)
	for _, name := range []string{"desk.css", "wire.js", "desk.js", "icon.svg"} {
		body, err := files.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // embedded: cannot happen in a program that was built
		}
		sum := sha256.Sum256(body)
		all[name] = hex.EncodeToString(sum[:6])
	}
	return all
}

// path is the address of a file in pages. It changes with the content, so that browsers may keep what it leads to.
func (a assets) path(name string) string { return "/assets/" + name + "?v=" + a[name] }

// serve serves a file.
func (a assets) serve(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == a[name] {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		w.Header().Set("ETag", `W/"`+a[name]+`"`) // weak: it is that of the compressed file too
		http.ServeFileFS(w, r, files, "assets/"+name)
	})
}

// jitter is by how many bytes at most an answer is made longer at random. How well a page is compressed would else tell a
// stranger whether a text that they put into its address stands in it, as that of a token or a callback (BREACH).
const jitter = 32

// newCompression is what compresses answers for those who take that.
func newCompression() func(http.Handler) http.HandlerFunc {
	compress, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.RandomJitter(jitter, 0, false))
	if err != nil {
		panic(err) // the options are none that it refuses
	}
	return compress
}
