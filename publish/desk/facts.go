package desk

import "fmt"

// fact is a line of what is known: its name and a text or a time. Link makes a link of the text.
type fact struct {
	Name, Text, Link string
	Time             moment
}

// facts collects those that are not empty.
type facts []fact

func (f *facts) text(name, text string) {
	if text != "" {
		*f = append(*f, fact{Name: name, Text: text})
	}
}

func (f *facts) link(name, url string) {
	if url != "" {
		*f = append(*f, fact{Name: name, Text: url, Link: url})
	}
}

func (f *facts) time(name string, m moment) {
	if m.Text != "" {
		*f = append(*f, fact{Name: name, Time: m})
	}
}

func (f *facts) count(name string, n int) {
	if n > 0 {
		f.text(name, fmt.Sprint(n))
	}
}
