package web

import "fmt"

// Fact is a labelled text or time on a page. If Link is set, the text is a link.
type Fact struct {
	Name, Text, Link string
	Note             string // after the text, which may be a link
	Time             Moment
}

// Facts collects facts and leaves out empty ones.
type Facts []Fact

// Text adds a text.
func (f *Facts) Text(name, text string) {
	if text != "" {
		*f = append(*f, Fact{Name: name, Text: text})
	}
}

// Link adds a link that shows its URL.
func (f *Facts) Link(name, url string) {
	if url != "" {
		*f = append(*f, Fact{Name: name, Text: url, Link: url})
	}
}

// Time adds a time.
func (f *Facts) Time(name string, m Moment) {
	if m.Text != "" {
		*f = append(*f, Fact{Name: name, Time: m})
	}
}

// Count adds a positive number.
func (f *Facts) Count(name string, n int) {
	if n > 0 {
		f.Text(name, fmt.Sprint(n))
	}
}
