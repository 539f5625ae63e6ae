package feed

import (
	"cmp"
	"strings"
	"time"
)

// Lease bounds the durations of subscriptions.
type Lease struct{ Min, Default, Max time.Duration }

// Grant returns the granted duration for a requested one. 0 requests the default.
func (l Lease) Grant(requested time.Duration) time.Duration {
	return min(max(cmp.Or(requested, l.Default), l.Min), l.Max)
}

// TopicLease is the lease of some topics.
type TopicLease struct {
	Topics string // the URL of a topic; with * at its end, all that begin with what precedes it
	Lease
}

// Applies reports whether the lease is that of a topic.
func (l *TopicLease) Applies(topic string) bool {
	start, all := strings.CutSuffix(l.Topics, "*")
	return topic == l.Topics || all && strings.HasPrefix(topic, start)
}
