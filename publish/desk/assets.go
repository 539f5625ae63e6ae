package desk

import "net/http"

// asset serves an embedded file, the stylesheet or the icon. They hold no secret and are the same for everyone, so they
// need no password.
func asset(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		http.ServeFileFS(w, r, files, "assets/"+name)
	}
}
