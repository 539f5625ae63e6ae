package wiretest

import (
	"bytes"
	"sync"
	"time"
)

// Logbook keeps what a program logs, and when it complained.
type Logbook struct {
	mu         sync.Mutex
	text       bytes.Buffer
	complaints []time.Time // of lines that are no INFO
}

func (l *Logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(p) { // each line is one write
		if !bytes.Contains(line, []byte(`"level":"INFO"`)) {
			l.complaints = append(l.complaints, time.Now())
		}
	}
	return l.text.Write(p)
}

func (l *Logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Busiest is the most complaints in one second since a time.
func (l *Logbook) Busiest(since time.Time) (most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := 0
	for i, at := range l.complaints {
		if at.Before(since) {
			first = i + 1
			continue
		}
		for at.Sub(l.complaints[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
