// Package websub encodes and decodes WebSub (W3C Recommendation of 23 January 2018): the links of a topic, the requests and
// verifications between subscriber and hub, and the signatures of deliveries. It does no I/O and has no state, so that both
// sides of the protocol can use it. Section numbers are those of the Recommendation.
package websub
