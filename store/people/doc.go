// Package people stores accounts with their sessions and one-time links, tokens of the API, the audit log, and the responses to
// requests with an Idempotency-Key.
//
// A secret is stored as its hash only: <hash> is feed.HashSecret, and passwords are hashed by the caller.
//
// # Keys
//
// All keys belong to the desk. <name> is the name of an account. Times are Unix seconds.
//
//	accounts               set      names of all accounts
//	account:<name>         hash     name, role, password (bcrypt; empty: none was chosen), created, last_sign_in, disabled,
//	                                generation: a session with another generation is not valid; link: <hash> of the only valid
//	                                one-time link, empty if it was used
//	account:<name>:sessions zset    <hash> of its sessions by the end of their life; TTL 720 h
//	account:<name>:known   zset     the last 20 networks (feed.NetworkOf; whole addresses by older versions) that it signed in from,
//	                                by time; TTL 2160 h
//	session:<hash>         hash     account, created, seen, address, agent, generation; TTL 12 h
//	link:<hash>            string   a one-time link: the account whose password it sets, empty for the first account; TTL 1 h
//	attempts:<whose>       hash     sign-ins from an address ("from …") or as an account ("as …") that failed or are under way:
//	                                count, until: when the next one is allowed, if there were too many; TTL 2 h
//	tokens                 hash     id → token of the API, as JSON, with the hash of its secret
//	tokens:used            hash     id → when it was last used
//	audit                  stream   changes by people: time, who, action, kind, id, name, feed (the object), before, after, from; trimmed
//	                                by age; the newest 200,000 or a few more. Entries of layout 1 have on instead of the object
//	article:<uuid>:deeds   list     the last 50 audit entries about an article, newest first, as JSON. Package article deletes it with
//	                                the article
//	answer:<id>            hash     of a request with an Idempotency-Key, sum: of the request; while it is under way, token; then the
//	                                response: status, type, location, body, told (the body was omitted); TTL 24 h
package people
