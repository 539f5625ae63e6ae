package feedxml

import "bytes"

// Locate returns encoded entries as parts of the document that contains them in this order, so that they need no memory of
// their own. An entry that the document encodes differently is copied.
func Locate(document []byte, entries [][]byte) [][]byte {
	located := make([][]byte, len(entries))
	for i, encoded := range entries {
		at := bytes.Index(document, encoded)
		if at < 0 {
			located[i] = bytes.Clone(encoded)
			continue
		}
		end := at + len(encoded)
		located[i], document = document[at:end:end], document[end:]
	}
	return located
}
