package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestProgressWritesALineForEachTenth(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewProgress(&b)
	for done := range 1001 {
		p.Show(done, 1000)
	}
	p.End()
	if got := strings.Count(b.String(), "\n"); got != 11 || !strings.HasSuffix(b.String(), "1000 of 1000\n") {
		t.Errorf("%d lines:\n%s", got, b.String())
	}
	b.Reset()
	bar := &Progress{out: &b, bar: true, shown: -1}
	bar.Show(0, 0)
	bar.End()
	if got := b.String(); !strings.Contains(got, "100 %") || !strings.HasSuffix(got, "\n") {
		t.Errorf("a bar of nothing: %q", got)
	}
}
