// Package feedtest checks feeds in tests against their specifications: RSS 2.0 with the RSS profile of best practice,
// RFC 4287 and JSON Feed 1.1. It shares no code with the writers of feeds. Each function returns a list of faults, one
// sentence each that begins with the place. The list is empty if the feed is valid.
package feedtest
