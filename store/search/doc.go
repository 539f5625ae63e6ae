// Package search keeps a full-text index of the entries in files. The index is derived from the store and contains nothing that is not
// there: Index.Run builds it from all entries, follows the signals, and builds it anew if it is missing, of another version or damaged. Each
// daemon has its own.
//
// Words are compared without case and accents and by their stems in the language of the entry. The index has no positions, which would
// treble its size: what a query selects is read from the store, newest first, and phrases are looked for in the texts that have their words.
package search
