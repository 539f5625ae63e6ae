package storetest

import (
	"math/rand/v2"
	"strings"
)

// Prose is HTML of about so many bytes that compresses as articles do.
func Prose(random *rand.Rand, size int) string {
	words := strings.Fields(`the of a to and in is it was for on are as with they at be this from have or by one had not but
		what all were when we there can an your which their said if do will each about how up out them then she many some so
		these would other into has more harbour vessel captain morning weather northern council agreement published`)
	var b strings.Builder
	b.WriteString("<p>")
	for n := 1; b.Len() < size-len("</p>"); n++ {
		b.WriteString(words[random.IntN(len(words))])
		if n%60 == 0 {
			b.WriteString(".</p>\n<p>")
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteString("</p>")
	return b.String()
}
