// Package config reads, defaults and checks the configuration of the daemon.
//
// One table (options.go) says of every option what it is called, how it is read, what it is by default and what a
// person should know about it. The file, the environment, the flags, the example file, the report of what is in force
// and docs/reference/configuration.md all come from that table, so that they cannot disagree.
//
// A value comes from the first place that has it: flag, environment, file, default. Load reports all that is wrong at
// once, each problem with its place.
package config
