// Package people identifies visitors and signs them in: accounts with passwords, sessions, one-time links, tokens of the API, and
// names that a proxy in front of the daemon sends.
package people
