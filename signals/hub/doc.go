// Package hub is a WebSub hub (W3C Recommendation of 23 January 2018), except for the deliveries (signals/delivery). A Front
// accepts requests, stores them and verifies them with the callbacks. A Catalog knows the topics. Outlets make the
// distributions of a topic.
package hub
