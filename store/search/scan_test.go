//go:build !race

package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The index finds what a scan of all texts finds.
func TestSearchEqualsAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("quay crane tide ferry north south pilot storm light cargo river gate")
	pick := func() string { return vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))] }
	sentence := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = pick()
		}
		return strings.Join(words, " ")
	}
	w, texts := newWire(), make(map[int]string)
	for n := 1; n <= 300; n++ {
		title, body := sentence(2), sentence(1+r.IntN(12))
		texts[n] = " " + title + " . " + body + " "
		w.put(n, harbour, title, body, func(e *feed.Entry) { e.Timestamp = noon.Add(time.Duration(n/7) * time.Second) })
	}
	d := start(t, w)
	has := func(n int, term string) bool { return strings.Contains(texts[n], " "+term+" ") }
	for range 100 {
		var query, terms []string
		var excluded []bool
		for range 1 + r.IntN(3) {
			term, not := pick(), r.IntN(5) == 0
			if r.IntN(3) == 0 {
				term += " " + pick()
			}
			text := `"` + term + `"`
			if not {
				text = "-" + text
			}
			query, terms, excluded = append(query, text), append(terms, term), append(excluded, not)
		}
		var want []string
		for n := 1; n <= 300; n++ {
			matches := true
			for i, term := range terms {
				matches = matches && has(n, term) != excluded[i]
			}
			if matches {
				want = append(want, fmt.Sprint(n))
			}
		}
		got := strings.Fields(d.find(strings.Join(query, " ")))
		if !slices.IsSortedFunc(got, func(a, b string) int { return second(b) - second(a) }) {
			t.Errorf("%s: not newest first: %v", query, got)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
}

func second(number string) int {
	n, _ := strconv.Atoi(number)
	return n / 7
}
