// Package people stores accounts with their sessions and one-time links, tokens of the API, and the responses to requests with an
// Idempotency-Key.
//
// A secret is stored as its hash only: <hash> is feed.HashSecret, and passwords are hashed by the caller.
//
// # Keys
//
// All keys belong to the desk. <name> is the name of an account, <id> its number, which no other account ever gets. Times are
// Unix seconds.
//
//	users.count            integer  <id> of the last account
//	users.names            zset     names of all accounts, each with the score 0, which makes pages of them; if it has not as many as staff
//	                                and members, for example after an upgrade, the next page builds it
//	users.removed          zset     <id> of removed accounts by the time of their removal, for the packages that erase what they store
//	                                about them; the last minutes
//	users.invited          hash     <id> of an account that was made with an invitation → <id> of the account that invited it, also if one of
//	                                them was removed, so that it links others; it ends with an account that invited no one
//	staff                  set      <id> of all accounts with one of the flags below
//	members                set      <id> of all other accounts
//	username.to.id:<name>  string   <id>
//	user:<id>              hash     id, username, password, salt (PBKDF2 in hexadecimal; or bcrypt without a salt, by older versions;
//	                                empty: no password was chosen), ctime, last_sign_in, flags: a (admin), e (editor), v (viewer);
//	                                disabled; generation: a session with another generation is not valid; link: <hash> of the only
//	                                valid one-time link, empty if it was used; about, email: its profile; pwd_reset: when it last
//	                                requested a link by mail; pwd_notice: when it last got a notice of another password; auth: <sum>
//	                                of its last session by token, apisecret: what requests with such a session repeat, both until
//	                                all sessions end; karma, karma_incr_time, replies and replies_seen: see package community
//	user:<id>:sessions     zset     <sum> of its sessions by the end of their life; TTL 720 h
//	user:<id>:known        zset     the last 20 networks (feed.ClientNetwork) that it signed in from, by time; TTL 2160 h
//	user:<id>:answers      zset     <id> of its requests with an Idempotency-Key by time; TTL 86520 s
//	user:<id>:invited      zset     <id> of the accounts that it invited, also of removed ones, by the time of their sign-up
//	auth:<sum>             string   a session: <id>; <sum> is feed.SessionSum of its secret; TTL 12 h
//	auth:<sum>:session     hash     created, seen, address, agent, generation; TTL 12 h
//	link:<hash>            string   a one-time link: "user:" and the <id> whose password it sets, empty for the first account; TTL 1 h
//	invitations            zset     <hash> of invitations to sign up by the end of their life; at most 100
//	invitation:<hash>      hash     creator, inviter: <id> of its account (empty: none), created, expires; TTL 168 h
//	limit:create_user:<ip>  string   1: an account was made from the network without an invitation; an IPv6 /64 is one network, with
//	                                dashes for colons; TTL 15 h
//	mails                  zset     "reset:<id>:<time>" or "changed:<id>:<time>" of mails that wait to be sent, by the time at which they are
//	                                sent next; TTL 2 h
//	limit:reset:<ip>       integer  requests for a link by mail from the network; TTL 1 h
//	limit:mail:<hash>      integer  mails that were sent to an address; <hash> is feed.HashSecret of it in lower case; TTL 24 h
//	users.today            integer  accounts that were made without an invitation; TTL 24 h after the first
//	attempts:<whose>       hash     sign-ins from an address ("from …") or as an account ("as …") that failed or are under way:
//	                                count, until: when the next one is allowed, if there were too many; TTL 2 h
//	tokens                 hash     id → token of the API, as JSON, with the hash of its secret
//	tokens:used            hash     id → when it was last used
//	tokens:fever           hash     <hash> of feed.FeverKey → id
//	answer:<id>            hash     of a request with an Idempotency-Key, sum: of the request; while it is under way, token; then the
//	                                response: status, type, location, body, told (the body was omitted); TTL 24 h
package people
