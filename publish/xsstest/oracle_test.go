package xsstest_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/xsstest"
)

func TestFaultsFindsWhatRuns(t *testing.T) {
	for _, markup := range []string{
		`<script>alert(1)</script>`, `<img src="https://a.example/" onerror="x">`, `<a href="javascript:x">x</a>`, `<a href="java&#9;script:x">x</a>`,
		`<p style="x">x</p>`, `<iframe src="https://a.example/"></iframe>`, `<svg></svg>`, `<math></math>`, `<form></form>`, `<base href="/">`,
		`<meta charset="x">`, `<object></object>`, `<img srcset="https://a.example/ 1x, data:x 2x">`, `<iframe srcdoc="x"></iframe>`,
		`<p title="</noscript><script>x</script>">x</p>`, `<p title="</textarea><img src=x onerror=x>">x</p>`, `<!-- --!><script>x</script> -->`,
		`<style>x</style>`, `<img src="data:image/png;base64,x">`, `<a href="//a.example/">x</a>`, `<a href="relative">x</a>`,
	} {
		if len(xsstest.Faults(markup, xsstest.Allowed{})) == 0 {
			t.Errorf("no fault found in %s", markup)
		}
	}
}

func TestFaultsFindsNothingInArticles(t *testing.T) {
	for _, markup := range []string{
		``, `text`, `<p>a <b>b</b> <a href="https://a.example/?a=b&amp;c=d" title="&lt;script&gt;">c</a></p>`, `<table><tbody><tr><td>x</td></tr></tbody></table>`,
		`<figure><picture><source srcset="https://a.example/1 1x, https://a.example/2 2x"/><img src="https://a.example/" alt=""/></picture></figure>`,
		`<video src="https://a.example/" controls=""></video>`, `&lt;script&gt;x&lt;/script&gt;`, `<a href="mailto:a@b.example">x</a>`,
	} {
		if faults := xsstest.Faults(markup, xsstest.Allowed{}); len(faults) > 0 {
			t.Errorf("%s: %s", markup, strings.Join(faults, "\n"))
		}
	}
}

func TestAllowedIsNoFault(t *testing.T) {
	allowed := xsstest.Allowed{
		Frame:  func(src string) bool { return src == "https://a.example/" },
		Script: func(src string) bool { return src == "https://a.example/x.js" },
		Images: true,
		Style:  true,
	}
	const markup = `<iframe src="https://a.example/"></iframe><script src="https://a.example/x.js"></script>` +
		`<img src="data:image/png;base64,x" style="x">`
	if faults := xsstest.Faults(`<p>`+markup+`</p>`, allowed); len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
	for _, markup := range []string{
		`<iframe src="https://b.example/"></iframe>`, `<script src="https://a.example/x.js">x</script>`, `<script src="https://b.example/"></script>`,
		`<img src="data:image/svg+xml,x">`,
	} {
		if len(xsstest.Faults(markup, allowed)) == 0 {
			t.Errorf("no fault found in %s", markup)
		}
	}
}

func TestPayloadsAreManyAndDiffer(t *testing.T) {
	all := xsstest.Payloads()
	seen := make(map[string]bool)
	for _, p := range all {
		seen[p] = true
	}
	if len(seen) < 250 {
		t.Errorf("got %d payloads that differ, of %d", len(seen), len(all))
	}
}

func TestPageFindsWhatIsNotOfItsTemplate(t *testing.T) {
	const page = `<!doctype html><html><head><title>%s</title><link rel="icon" href="/assets/icon.svg"></head><body><form action="/a" method="post"><input value="%s">` +
		`<textarea>%s</textarea></form><a href="https://a.example/?x=%s" title='%s'>%s</a><script src="/assets/a.js" defer></script></body></html>`
	fill := func(text string) string { return strings.ReplaceAll(page, "%s", text) }
	for _, text := range []string{"", "&lt;script&gt;", "a &amp; b"} {
		if faults := xsstest.Page(fill(text)); len(faults) > 0 {
			t.Errorf("%s: %s", text, strings.Join(faults, "\n"))
		}
	}
	for at := range strings.Count(page, "%s") {
		parts := strings.Split(page, "%s")
		if damaged := strings.Join(parts[:at+1], "") + xsstest.Probe + strings.Join(parts[at+1:], ""); len(xsstest.Page(damaged)) == 0 {
			t.Errorf("the probe in place %d is not found", at)
		}
	}
	for _, markup := range []string{
		`<script>x</script>`, `<script src="//evil.example/x.js"></script>`, `<img src="https://evil.example/">`, `<a href="javascript:x">`, `<a href="//evil.example/">`, `<p onclick=x>`,
		`<p style="x">`, `<form action="https://evil.example/">`, `<button formaction="//evil.example/">`, `<meta http-equiv="refresh">`, `<base href="/">`, `<iframe>`, `<a href=" javascript:x">`,
	} {
		if len(xsstest.Page(fill("")+markup)) == 0 {
			t.Errorf("no fault found in %s", markup)
		}
	}
}
