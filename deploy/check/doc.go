// Package check holds the files below deploy against the programs that read them: the parsers and linters of Docker, Compose
// and Kubernetes, systemd-analyze and dpkg. It is a module of its own, so that their dependencies are not those of feedwire.
package check
