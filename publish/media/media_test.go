package media_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/media"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// site stores and serves images of the account 7.
type site struct {
	*webtest.Desk
	*storetest.Newsroom
	*media.Media
	t      *testing.T
	limits media.Limits
}

// each runs a test with images in a directory and in a bucket.
func each(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	t.Run("directory", func(t *testing.T) { test(t, newSite(t, media.Dir(t.TempDir()))) })
	t.Run("bucket", func(t *testing.T) {
		_, bucket := newS3(t)
		test(t, newSite(t, bucket))
	})
}

func newSite(t *testing.T, files media.Files) *site {
	t.Helper()
	n := storetest.EmptyNewsroom(t)
	s := &site{webtest.Over(n, n.Clock.Now), n, nil, t, media.Limits{Day: 1 << 20, Total: 1 << 20}}
	s.Media = media.New(n, s.Kit, media.Options{Files: files, Limits: func() media.Limits { return s.limits }})
	s.Mount(s.Media)
	return s
}

func picture(t *testing.T, gray uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	img.SetGray(1, 1, color.Gray{Y: gray})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// save stores an image of the account 7 and returns its path.
func (s *site) save(gray uint8) feed.Enclosure {
	s.t.Helper()
	f, err := s.Save(s.t.Context(), 7, picture(s.t, gray))
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// post writes a post of the account 7.
func (s *site) post(guid string, files ...feed.Enclosure) feed.Entry {
	s.t.Helper()
	e := feed.Entry{FeedURL: feed.MemberURL(7), GUID: guid, Title: guid, Timestamp: s.Clock.Time, Published: s.Clock.Time}
	e.Set(feed.FieldEnclosures, feed.EncodeList(files))
	if _, _, err := s.AddSource(s.t.Context(), feed.Source{URL: e.FeedURL}); err != nil {
		s.t.Fatal(err)
	}
	if err := errors.Join(s.SaveEntry(s.t.Context(), &e), s.UpdatePost(s.t.Context(), 7, e.ID)); err != nil {
		s.t.Fatal(err)
	}
	return e
}

func (s *site) status(f feed.Enclosure) int {
	return s.Call("GET", strings.TrimPrefix(f.URL, "https://wire.example"), "").Code
}

func TestImageIsServedForEverAndWithoutScripts(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		f := s.save(1)
		rec := s.Call("GET", strings.TrimPrefix(f.URL, "https://wire.example"), "")
		if rec.Code != 200 || int(f.Length) != rec.Body.Len() || f.Width != 4 || f.Height != 4 || f.Type != "image/png" {
			t.Fatalf("got %d, %+v", rec.Code, f)
		}
		for name, want := range map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
			"Cache-Control": "public, max-age=31536000, immutable",
		} {
			if got := rec.Header().Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		if again := s.save(1); again.URL != f.URL {
			t.Errorf("the same image is at %s and %s", f.URL, again.URL)
		}
		for _, path := range []string{"/media/7/x.png", "/media/8/" + filepath.Base(f.URL), "/media/0/" + filepath.Base(f.URL), "/media/7/..%2f7%2f" + filepath.Base(f.URL)} {
			if rec := s.Call("GET", path, ""); rec.Code != 404 {
				t.Errorf("%s got %d", path, rec.Code)
			}
		}
	})
}

func TestUploadsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		size := int64(s.save(1).Length)
		s.limits.Day = size + 1
		if _, err := s.Save(t.Context(), 7, picture(t, 2)); !isQuota(err) {
			t.Errorf("above the bound of a day: %v", err)
		}
		s.limits = media.Limits{Day: 1 << 20, Total: size + 1}
		if _, err := s.Save(t.Context(), 8, picture(t, 2)); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("above the bound of all: %v", err)
		}
		s.limits.Day = 0
		if _, err := s.Save(t.Context(), 8, picture(t, 2)); !errors.Is(err, feed.ErrForbidden) {
			t.Errorf("without uploads: %v", err)
		}
	})
}

func isQuota(err error) bool {
	_, ok := errors.AsType[*feed.QuotaError](err)
	return ok
}

func TestImageIsDeletedWithItsLastPost(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		one, two := s.save(1), s.save(2)
		first, second := s.post("first", one, two), s.post("second", two)
		remove := func(e feed.Entry) {
			t.Helper()
			_, err := s.TakeDownEntry(t.Context(), e.ID)
			if err := errors.Join(err, s.Removed(t.Context(), &e)); err != nil {
				t.Fatal(err)
			}
		}
		remove(first)
		if s.status(one) != 404 || s.status(two) != 200 {
			t.Errorf("after the first: %d and %d", s.status(one), s.status(two))
		}
		s.Clock.Advance(time.Minute)
		s.save(2) // for a post that is written now
		remove(second)
		if s.status(two) != 200 {
			t.Errorf("the image of an upload that is under way: %d", s.status(two))
		}
	})
}

func TestSweepDeletesImagesThatNoPostHas(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		used, lost := s.save(1), s.save(2)
		s.post("one", used)
		sweep := func() {
			t.Helper()
			if err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		sweep()
		if s.status(lost) != 200 {
			t.Error("an image is deleted before its post can be written")
		}
		s.Clock.Advance(2 * time.Hour)
		s.SetAway(true)
		if err := s.Sweep(t.Context()); err == nil {
			t.Error("a sweep without the store succeeded")
		}
		s.SetAway(false)
		if s.status(lost) != 200 || s.status(used) != 200 {
			t.Error("images are deleted without the store")
		}
		sweep()
		if s.status(lost) != 404 || s.status(used) != 200 {
			t.Errorf("after two hours: unused %d, used %d", s.status(lost), s.status(used))
		}
		if err := s.Erase(s.t.Context(), 7); err != nil || s.status(used) != 404 {
			t.Errorf("after the erasure: %d, %v", s.status(used), err)
		}
	})
}

func TestLastImageOfAnAccountLeavesNoDirectory(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, media.Dir(dir))
	s.save(1)
	s.save(2)
	if err := s.Erase(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
