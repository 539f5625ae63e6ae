package instant

import (
	"net/url"
	"strings"
)

// playerURL returns the address at which the page of a video can be embedded. It returns other addresses unchanged.
func playerURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	first, rest, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	switch strings.TrimPrefix(strings.TrimPrefix(u.Hostname(), "www."), "m.") {
	case "youtu.be":
		return "https://www.youtube.com/embed/" + first
	case "youtube.com":
		switch id := u.Query().Get("v"); {
		case first == "watch" && id != "":
			return "https://www.youtube.com/embed/" + url.PathEscape(id)
		case (first == "shorts" || first == "live" || first == "v") && rest != "":
			return "https://www.youtube.com/embed/" + rest
		}
	case "vimeo.com":
		if first != "" && strings.Trim(first, "0123456789") == "" {
			return "https://player.vimeo.com/video/" + first
		}
	case "dailymotion.com":
		if first == "video" && rest != "" {
			return "https://www.dailymotion.com/embed/video/" + rest
		}
	}
	return address
}
