// Package delivery distributes news to the subscribers of each topic: signed, at least once and in order. Several engines
// can run on one store.
//
// An Engine delivers every version of a topic to each subscription, in order, until the subscriber accepts it with a 2xx
// response. If a version contains everything that the topic has, it replaces earlier versions that were not yet delivered.
// A version that reaches a subscriber twice has the same delivery id both times, but loses entries that were taken down in
// between. A subscription ends only if its lease ends, by a verified request, by a 410 response, or if a person ends it.
package delivery
