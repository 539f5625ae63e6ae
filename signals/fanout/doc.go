// Package fanout brings new, changed and removed entries into the timelines of the followers of their sources.
//
// A planner reads the signals as a consumer group and divides the followers of each source into chunks. Workers apply the chunks, in any
// number of daemons. A chunk that a worker does not finish goes to another one, and after five tries to the dead letters. Every step
// can be repeated. A timeline that misses a chunk shows no removed entry, because reads check each entry, and it is complete again
// when it is built anew.
package fanout
