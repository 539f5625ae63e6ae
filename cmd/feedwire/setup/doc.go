// Package setup holds what the daemon, the commands and the demo share: token, log, rules files, build information.
package setup
