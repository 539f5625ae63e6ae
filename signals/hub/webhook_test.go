package hub

import (
	"net/http"
	"testing"
	"time"
)

func TestV(t *testing.T) {
	h := http.Header{}
	signWebhook(h, "whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", []byte(`{"event_type":"ping","data":{"success":true}}`), time.Unix(1731705121, 0))
	t.Log(h)
	h = http.Header{}
	signWebhook(h, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0))
	t.Log(h)
}
