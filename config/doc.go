// Package config reads, defaults and checks the configuration of the daemon.
//
// options.yaml contains all options: names, kinds, defaults and descriptions. The file, the environment, the flags, the example
// file, config show, the reload and docs/reference/configuration.md follow that table. Package reflect finds the fields.
//
// A flag overrides the environment, the environment overrides the file, and the file overrides the default. Load reports all
// problems together, each with its place.
package config
