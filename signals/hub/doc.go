// Package hub is a WebSub hub (W3C Recommendation of 23 January 2018): subscribers ask it for topics, and it brings them
// whatever is new there, signed, at least once and in order.
//
// Three parts share nothing but the store. The front takes requests and writes them down; verification asks the
// callbacks whether they mean it; the engine distributes news and delivers it. Each may run in several daemons at once.
//
// The engine promises each subscription every version of its topic, in order, until it is taken with a 2xx answer. Where
// a version holds all that a topic has, newer ones take the place of those that were not delivered yet. A version that
// reaches a subscriber twice carries the same delivery id. Nothing but the end of its lease, a verified request, 410 or a
// person ends a subscription.
package hub
