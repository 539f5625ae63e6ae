package delivery_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

func TestDeadLettersOfAHostAreOneLineOfTheLog(t *testing.T) {
	var log bytes.Buffer
	e := delivery.NewEngine(nil, nil, nil, delivery.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var all []feed.DeliveryResult
	for i := range 100 {
		all = append(all, feed.DeliveryResult{
			Delivery: feed.Delivery{Subscription: feed.Subscription{Kind: feed.KindWebSub, Callback: fmt.Sprint("http://reader.example/", i)}},
			Outcome:  feed.Failed, Health: feed.Health{Reason: "timeout"},
		})
	}
	all[1].Delivery.Subscription.Callback = "http://other.example/"
	all[2].Health.Reason = "tls"
	all[3].Next = time.Now() // it is retried
	e.ReportDead(all)
	for _, want := range []string{"count=97", "host=other.example count=1\n", "reason=tls host=reader.example count=1\n"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 3 {
		t.Errorf("%d lines:\n%s", n, &log)
	}
}
