package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestTraceOfAPollIsTold(t *testing.T) {
	web := newOrigin(t)
	web.set("/feed.xml", posts(3)...)
	d := start(t, storetest.RedisAOF(t), "")
	src := d.add(web.URL+"/feed.xml", map[string]any{"request": map[string]any{"headers": map[string]string{"X-Key": "s3cret"}}})
	web.set("/feed.xml", append(posts(2), item{"p2", "Post 2, edited", "<p>Body of post 2.</p>"}, item{"p3", "Post 3", "x"})...)

	trace, err := pollTraced(t.Context(), d.client, src.URL)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	printTrace(&out, &trace, time.Now())
	for _, want := range []string{
		"conditional", "address\t127.0.0.1", "If-None-Match", "X-Key: (hidden)", "200 OK", "4 entries",
		"new\tPost 3", "changed\tPost 2, edited  p2: its guid is known and differs in title", "same\tPost 0", "next poll\tin ", "adaptive interval",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the trace does not say %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "s3cret") {
		t.Errorf("the trace holds a secret:\n%s", out.String())
	}
	if got := d.poll(src); len(got.Polls) != 3 || got.Polls[1].New != 1 || got.Polls[1].Modified != 1 {
		t.Errorf("the history is %+v", got.Polls)
	}
}
