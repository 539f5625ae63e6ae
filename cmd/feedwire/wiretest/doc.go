// Package wiretest holds what the tests of the program share: an origin of feeds, a hub, the built program and a crawler.
package wiretest
