// Package feedxml writes feeds as RSS 2.0, Atom (RFC 4287), JSON Feed 1.1, news sitemaps and lists of single articles. Outgoing
// feeds, republished sources and the hub's distributions share it.
//
// gorilla/feeds provides the elements of Atom and the feed object of JSON Feed. It cannot represent several authors of an
// entry, links to a hub, the RSS elements that a consumer names, or entries that are encoded once and reused. Small
// structs of this package do that.
//
// The output is always well-formed: characters that XML 1.0 does not allow become U+FFFD.
package feedxml
