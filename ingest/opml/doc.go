// Package opml reads and writes lists of sources as OPML 1.0 and 2.0.
//
// Other programs read title, addresses and folders. The settings that only feedwire knows are attributes of its own
// namespace, so that Read returns what Write wrote, except secrets: header fields, user names and passwords are not
// written, because such files are passed on. Proxies are written for people and ignored by Read.
//
// The address of a local source is that of its republished feed, which other programs can read; an attribute has its URL.
package opml
