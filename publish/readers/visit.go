package readers

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	visitCookie = "feedwire_read"
	visitPause  = 30 * time.Minute // after which a request begins another visit
	visitLife   = 365 * 24 * time.Hour
)

// lastVisit returns when the visit before this one ended; zero: there was none in this browser. If the request continues the visit, a
// cookie records it: "<end of the visit before>.<last request>", in Unix seconds.
func (rs *Readers) lastVisit(w http.ResponseWriter, r *http.Request, record bool) time.Time {
	var before, last int64
	if cookie, err := r.Cookie(visitCookie); err == nil {
		if _, err := fmt.Sscanf(cookie.Value, "%d.%d", &before, &last); err != nil {
			before, last = 0, 0
		}
	}
	now := rs.web.Now()
	if now.Sub(time.Unix(last, 0)) > visitPause {
		before = last
	}
	if record {
		rs.setCookie(w, visitCookie, fmt.Sprintf("%d.%d", before, now.Unix()), "/read", visitLife)
	}
	if before <= 0 {
		return time.Time{}
	}
	return time.Unix(before, 0)
}

// setCookie stores a value in the browser for the pages below a path.
func (rs *Readers) setCookie(w http.ResponseWriter, name, value, path string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a Secure cookie would not come back
		Name: name, Value: value, Path: path, MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: strings.HasPrefix(rs.web.PublicURL, "https://"), SameSite: http.SameSiteLaxMode,
	})
}
