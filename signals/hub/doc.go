// Package hub is a WebSub hub (W3C Recommendation of 23 January 2018). It delivers the news of each topic to the
// subscribers of the topic: signed, at least once and in order.
//
// It has two types, which share only the store. A Front accepts requests, stores them and verifies them with the
// callbacks. An Engine distributes news and delivers it. Several daemons can run both on one store.
//
// The engine delivers every version of a topic to each subscription, in order, until the subscriber accepts it with a 2xx
// response. If a version contains everything that the topic has, it replaces earlier versions that were not yet delivered.
// A version that reaches a subscriber twice has the same delivery id both times. A subscription ends only if its lease
// ends, by a verified request, by a 410 response, or if a person ends it.
package hub
