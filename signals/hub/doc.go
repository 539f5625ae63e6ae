// Package hub is the front of a WebSub hub (W3C Recommendation of 23 January 2018): it accepts requests, stores them and verifies them
// with the callbacks. signals/topics knows the topics, and signals/delivery delivers.
package hub
