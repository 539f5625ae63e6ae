package publish

import (
	"bytes"
	"slices"
)

// share has the renderings of what is shown lie in the document made of them, so that they are in memory once. The others
// get memory of their own, for none may hold an earlier document.
func (c *choice) share(body []byte) {
	var shown [][]byte // as they stand in the document
	for _, it := range slices.Backward(c.shown) {
		shown = append(shown, it.encoded)
	}
	inside := make(map[*byte][]byte, len(shown)) // by the first byte of the rendering
	for i, lying := range within(body, shown) {
		inside[&shown[i][0]] = lying
	}
	for key, encoded := range c.items {
		if len(encoded) == 0 {
			continue
		}
		shared, ok := inside[&encoded[0]]
		if !ok {
			shared = bytes.Clone(encoded)
		}
		c.items[key] = shared
	}
}

// within are the same renderings, which stand in body in that order, as they lie there. One that stands there in another
// way is a copy.
func within(body []byte, renderings [][]byte) [][]byte {
	lying := make([][]byte, len(renderings))
	for i, encoded := range renderings {
		at := bytes.Index(body, encoded)
		if at < 0 {
			lying[i] = bytes.Clone(encoded)
			continue
		}
		end := at + len(encoded)
		lying[i], body = body[at:end:end], body[end:]
	}
	return lying
}
