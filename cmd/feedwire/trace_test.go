package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestTraceOfAPollIsTold(t *testing.T) {
	t.Parallel()
	web := newOrigin(t)
	web.set("/feed.xml", posts(3)...)
	d := start(t, storetest.RedisAOF(t), "")
	src := d.add(web.URL+"/feed.xml", map[string]any{"request": map[string]any{"headers": map[string]string{"X-Key": "s3cret"}}})
	web.set("/feed.xml", append(posts(2), item{"p2", "Post 2, edited", "<p>Body of post 2.</p>"}, item{"p3", "Post 3", "x"})...)

	trace, err := pollTraced(t.Context(), d.client, src.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	printTrace(&out, &trace, time.Now())
	for _, want := range []string{
		"conditional", "address\t127.0.0.1", "If-None-Match", "X-Key: (hidden)", "200 OK", "entries: 4",
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

func TestSourceShowTellsThePaceAndTheWayOut(t *testing.T) {
	web := newOrigin(t)
	d := start(t, storetest.RedisAOF(t), "")
	web.page("/page")
	src := d.add(web.URL+"/page", nil)
	out, errs, code := d.cli("", "source", "show", src.ID)
	if code != exitOK {
		t.Fatalf("%d %s", code, errs)
	}
	for _, want := range []string{"  rate", "  floor", "1 in a row: 1h0m0s", "(not_a_feed, 1 in a row)", "way out", "feedwire source add"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if _, status, html := d.signUp(t, "ann").sees("/sources/" + src.ID); !strings.Contains(html, "How often it posts") {
		t.Errorf("the page does not tell the pace: %d", status)
	}
}
