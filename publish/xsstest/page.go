package xsstest

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Probe leaves whatever a text may stand in, and then is an element that no page has. It is shorter than Payloads, and as bytes in the wrong
// place it is markup wherever they are.
const Probe = `"'></title></textarea></script></style>--><xss-probe onclick="x">`

// Page lists what a complete page of ours would run, load or send elsewhere: markup that is not of its template. Scripts and pictures of the
// page are of its own host.
func Page(page string) (faults []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := z.Token()
		if foreign := slices.Contains([]string{"iframe", "object", "embed", "base", "math", "template", "style", "audio", "video", "marquee"}, token.Data); foreign || strings.Contains(token.Data, "-") {
			faults = append(faults, fmt.Sprintf("the element %s", token))
		}
		loads := token.Data == "script"
		for _, a := range token.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), strings.Contains(a.Key, "xss"), strings.ContainsAny(a.Key, `"'<`), slices.Contains([]string{"style", "srcdoc", "http-equiv"}, a.Key):
				faults = append(faults, fmt.Sprintf("the attribute %s of %.200s", a.Key, token))
			case a.Key == "src" && isLocal(a.Val):
				loads = false
			case a.Key == "src", (a.Key == "action" || a.Key == "formaction") && !isLocal(a.Val), a.Key == "href" && !isLocal(a.Val) && !isWeb(a.Val):
				faults = append(faults, fmt.Sprintf("the address in %s of %.200s", a.Key, token))
			}
		}
		if loads {
			faults = append(faults, fmt.Sprintf("a script in %.200s", token))
		}
	}
	return faults
}

// isLocal reports whether an address is on the host of its page.
func isLocal(address string) bool {
	return address == "" || address[0] == '#' || address[0] == '?' || address[0] == '/' && !strings.HasPrefix(address, "//") && !strings.HasPrefix(address, `/\`)
}

// isWeb reports whether an address is one of the web.
func isWeb(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "mailto:")
}
