package web

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// assets are the embedded files that pages load: the hash of the content by name. They hold no secrets.
type assets map[string]string

func newAssets() assets {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // embedded
	}
	all := make(assets)
	for _, entry := range entries {
		body, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err) // embedded
		}
		all[entry.Name()] = Hash(string(body))[:12]
	}
	return all
}

// path returns the address of a file. It changes with the content, so browsers can cache the file for good.
func (a assets) path(name string) string { return "/assets/" + name + "?v=" + a[name] }

// Asset returns the address of a file of the pages.
func (k *Kit) Asset(name string) string { return k.assets.path(name) }

func (a assets) serve(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == a[name] {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		w.Header().Set("ETag", `W/"`+a[name]+`"`) // weak: the compressed file has the same one
		http.ServeFileFS(w, r, files, "assets/"+name)
	})
}

// jitter is the most random bytes that are added to a response. Without them, the compressed size of a page would reveal whether a
// text in its address, such as a guessed token, occurs in the page (BREACH).
const jitter = 32

func newCompression() func(http.Handler) http.HandlerFunc {
	compress, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.RandomJitter(jitter, 0, false))
	if err != nil {
		panic(err) // the options are constant
	}
	return compress
}
