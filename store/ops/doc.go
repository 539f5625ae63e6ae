// Package ops backs up, restores and copies a whole store, examines its server, and stores jobs that daemons work on.
//
// Backup and RestoreBackup treat all keys alike. CopyTo knows the families of keys only if the layouts of both stores differ: a
// key then goes to its place in the other layout, and keys whose content that layout divides are rewritten.
//
// # Keys
//
// All keys belong to the desk. Times are Unix seconds. The mark of a closed store is a key of package core.
//
//	job:<id>               string   an import, as JSON; TTL 24 h after its last progress
//	job:<id>:results       list     results for the sources of an import, as JSON, in the order of its list; TTL likewise
//	job:<id>:work          hash     of an import that has not ended, work: the list, token: of the daemon that works on it; TTL
//	                                likewise
//	jobs                   zset     ids of imports that have not ended, by the time at which a daemon may claim them: the end of the
//	                                claim while a daemon works on it
package ops
