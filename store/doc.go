// Package store keeps all of feedwire's state in Redis. A Store is composed of one package for each noun.
//
// Each write is one Lua script, sent by EVALSHA, so that no crash leaves half of it; each read of many keys is one pipeline. The
// scripts open with their KEYS and ARGV; what several do alike is in scripts/fragments. They use nothing beyond what a plain
// Redis 6.2 and miniredis both have: no shebang, no Functions, no cmsgpack.
//
// # Keys
//
// Names in <> are placeholders. Times are Unix seconds. An empty prefix is the default; with Options.Prefix "news:" the
// first key is "news:ids:Entry". Members and values that name an entry never carry the prefix. Nothing has a TTL unless it is
// stated. Each noun lists its keys in its doc.go, package core those of the installation and the names in a Redis Cluster; a test
// compares the lists with what is in Redis.
package store
