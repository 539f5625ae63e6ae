package instant_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/instant"
)

// blogPost returns a page of about 100 KB like that of a blog.
func blogPost() string {
	const part = `<!-- wp:paragraph -->
<p class="has-text-align-left">The council met on <a href="https://example.org/2026/11/council?utm_source=x">Tuesday evening</a> and
decided, after a <strong>long debate</strong>, that the old bridge will be closed to cars from next spring. Several speakers said that
the detour of four kilometres would be hard on the shops in the old town; others hoped for <em>quieter streets</em> &amp; cleaner air.</p>
<!-- /wp:paragraph -->

<h3 class="wp-block-heading" id="h-what">What happens next</h3>
<p>The plans can be seen in the town hall until the end of the month. Written remarks are welcome, the mayor said. &#8220;We read them
all&#8221;, she added. The engineers have measured the piers twice and found cracks in both of them.</p>
<figure class="wp-block-image size-large"><img decoding="async" loading="lazy" width="1024" height="683" src="https://cdn.example.org/2026/11/bridge-1024x683.jpg" alt="The bridge" class="wp-image-1234" srcset="https://cdn.example.org/2026/11/bridge-1024x683.jpg 1024w, https://cdn.example.org/2026/11/bridge-300x200.jpg 300w" sizes="(max-width: 1024px) 100vw, 1024px" /><figcaption class="wp-element-caption">The bridge in autumn. <em>Photo: A. Nother</em></figcaption></figure>
<ul class="wp-block-list"><li>Closing in April</li><li>Works until <b>October</b></li><li>Opening for cyclists in November</li></ul>
<div class="entry-content"><p>The bus line 12 will go round by the station. Tickets stay valid, and the ride takes nine minutes longer than it does
today, says the timetable that was shown to the council.</p><blockquote class="wp-block-quote"><p>It will be worth it.</p><cite>The mayor</cite></blockquote></div>
`
	return strings.Repeat(part, 50)
}

// BenchmarkTransform reports the HTML read per second of wall time and of processor time, which depends less on other
// programs, and the bytes allocated per byte of HTML.
func BenchmarkTransform(b *testing.B) {
	a := article(blogPost())
	b.SetBytes(int64(len(a.Content)))
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	used := processorTime(b)
	for b.Loop() {
		if _, _, err := transform(a, instant.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	used = processorTime(b) - used
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.N)*float64(len(a.Content))/1e6/used.Seconds(), "cpu-MB/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(a.Content)), "B/input-byte")
}

// processorTime returns the processor time of this process.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
