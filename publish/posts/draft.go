package posts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxImage  = 5 << 20                            // bytes of an upload
	maxUpload = feed.MaxPostMedia*maxImage + 1<<20 // bytes of a request
)

// draft is a post in a request.
type draft struct {
	Caption string  `json:"caption"`
	Media   []media `json:"media"`
}

// media is an image by its URL, or a stored upload.
type media struct {
	url    string
	stored *feed.Enclosure // nil: none
}

// UnmarshalJSON reads a URL.
func (m *media) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &m.url) }

// saveFile stores an uploaded image.
type saveFile func(upload []byte) (feed.Enclosure, error)

// draftOf returns the post in a request: JSON, or a form whose fields "media" are files or URLs. Each file is stored before the next one is
// read, so that one of them is in memory.
func draftOf(r *http.Request, save saveFile) (d draft, err error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "multipart/form-data" {
		err = d.readForm(r, save)
	} else {
		err = web.Decode(r, &d)
	}
	if err != nil {
		return d, err
	}
	if len(d.Caption) > feed.MaxCaption {
		return d, feed.Invalid("caption", fmt.Sprintf("it has %d bytes; use at most %d", len(d.Caption), feed.MaxCaption))
	}
	if n := len(d.Media); n < 1 || n > feed.MaxPostMedia {
		return d, wrongCount(n)
	}
	for i := range d.Media {
		m := &d.Media[i]
		if m.stored != nil {
			continue
		}
		u, err := url.Parse(strings.TrimSpace(m.url))
		why := ""
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
			why = "use an absolute http or https URL of an image"
		case u.User != nil:
			why = "the URL contains a user name or password, which all readers would get; remove it"
		case !validPort(u.Port()):
			why = "a port is a number from 1 to 65535"
		}
		if why != "" {
			return d, feed.Invalid(fmt.Sprintf("media.%d", i), why)
		}
		m.url = u.String()
	}
	return d, nil
}

func wrongCount(images int) error {
	return fmt.Errorf("a post with %d images %w: send 1 to %d", images, feed.ErrUnusable, feed.MaxPostMedia)
}

// validPort reports whether a port of a URL, if there is one, can exist.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// readForm reads the parts of a form. It stops at one image too many.
func (d *draft) readForm(r *http.Request, save saveFile) error {
	form, err := r.MultipartReader()
	if err != nil {
		return fmt.Errorf("%w form: %w", feed.ErrInvalid, err)
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(part, maxImage+1))
		}
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
			err = fmt.Errorf("%w form: it is incomplete: %w", feed.ErrInvalid, err)
		}
		if err != nil {
			return err
		}
		switch name := part.FormName(); {
		case len(text) > maxImage:
			return fmt.Errorf("%s is %w: a file has up to %d MiB", name, feed.ErrTooLarge, maxImage>>20)
		case name == "caption":
			d.Caption = string(text)
		case name != "media":
			return feed.Invalid(name, "this field does not exist")
		case len(d.Media) == feed.MaxPostMedia:
			return wrongCount(feed.MaxPostMedia + 1)
		case part.FileName() == "":
			d.Media = append(d.Media, media{url: string(text)})
		default:
			stored, err := save(text)
			if err != nil {
				return fmt.Errorf("media.%d: %w", len(d.Media), err)
			}
			d.Media = append(d.Media, media{stored: &stored})
		}
	}
}
