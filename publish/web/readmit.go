package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// readmitAfter is the default of Options.Readmit.
const readmitAfter = 15 * time.Second

// whileAdmitted serves a response that lasts. It ends the context of the request when the visitor loses the needed scope: the session
// has ended, the token is revoked, or the role is lower. While the store cannot answer, the response goes on.
func (k *Kit) whileAdmitted(need feed.Scope, api bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancel(r.Context())
		var watch sync.WaitGroup
		watch.Go(func() {
			defer end()
			again := time.NewTicker(k.Readmit)
			defer again.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-again.C:
				}
				if v, err := k.lookUp(api)(r.WithContext(ctx)); err == nil && !v.May(need) {
					return
				}
			}
		})
		defer watch.Wait()
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
