// Package websub is WebSub (W3C Recommendation of 23 January 2018) as it stands on the wire: how a topic names its hubs,
// what a subscriber and a hub say to each other, and how deliveries are signed. It does no I/O and keeps nothing, so that
// both sides of the protocol share it. Sections are those of the Recommendation.
package websub
