package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// flag returns an image of 4 × 2 pixels that is red on the left and blue on the right.
func flag() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 64, 32))
	for x := range 64 {
		for y := range 32 {
			c := color.RGBA{R: 255, A: 255}
			if x >= 32 {
				c = color.RGBA{B: 255, A: 255}
			}
			img.Set(x, y, c)
		}
	}
	return img
}

func encoded(t *testing.T, write func(out *bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngFile(t *testing.T) []byte {
	t.Helper()
	return encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, flag()) })
}

// exifJPEG returns a JPEG that was taken with the camera turned, with a place and a thumbnail in its EXIF data.
func exifJPEG(t *testing.T) []byte {
	t.Helper()
	file := encoded(t, func(out *bytes.Buffer) error { return jpeg.Encode(out, flag(), nil) })
	tiff := []byte("II*\x00\x08\x00\x00\x00" + "\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00" + "\x00\x00\x00\x00" + "GPS 54.1 N 10.2 E")
	exif := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return bytes.Join([][]byte{file[:2], segment, exif, file[2:]}, nil)
}

func gifFile(t *testing.T, frames int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for range frames {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White}))
		all.Delay = append(all.Delay, 10)
	}
	return encoded(t, func(out *bytes.Buffer) error { return gif.EncodeAll(out, all) })
}

// resized returns a PNG whose header claims another size.
func resized(t *testing.T, width, height uint32) []byte {
	t.Helper()
	file := pngFile(t)
	binary.BigEndian.PutUint32(file[16:], width)
	binary.BigEndian.PutUint32(file[20:], height)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestImageIsEncodedAnewWithoutMetadata(t *testing.T) {
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	script := []byte("<script>alert(1)</script>")
	for name, tt := range map[string]struct {
		file          []byte
		ext           string
		width, height int
	}{
		"turned JPEG":     {exifJPEG(t), "jpg", 32, 64},
		"PNG and script":  {append(pngFile(t), script...), "png", 64, 32},
		"GIF":             {gifFile(t, 3), "gif", 8, 8},
		"GIF and script":  {append(gifFile(t, 1), script...), "gif", 8, 8},
		"JPEG and script": {append(exifJPEG(t), script...), "jpg", 32, 64},
		"WebP":            {webp, "png", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := recode(tt.file)
			if err != nil || p.ext != tt.ext || p.width != tt.width || p.height != tt.height {
				t.Fatalf("got %s %d × %d, %v", p.ext, p.width, p.height, err)
			}
			for _, hidden := range []string{"Exif", "GPS", "script"} {
				if bytes.Contains(p.file, []byte(hidden)) {
					t.Errorf("the stored image has %q", hidden)
				}
			}
			size, _, err := image.DecodeConfig(bytes.NewReader(p.file))
			if err != nil || size.Width != tt.width || size.Height != tt.height {
				t.Errorf("the stored image has %d × %d pixels, %v", size.Width, size.Height, err)
			}
		})
	}
}

// Orientation 6 says that the left of the picture is its top.
func TestTurnedPhotographIsUpright(t *testing.T) {
	p, err := recode(exifJPEG(t))
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(p.file))
	if err != nil {
		t.Fatal(err)
	}
	red, _, _, _ := img.At(16, 4).RGBA()
	_, _, blue, _ := img.At(16, 60).RGBA()
	if red < 0xc000 || blue < 0xc000 {
		t.Errorf("red at the top is %x, blue at the bottom is %x", red, blue)
	}
}

func TestWhatIsNoUsableImageIsRefused(t *testing.T) {
	bomb := gifFile(t, 1)
	frame := bytes.IndexByte(bomb[13+6:], 0x2c) + 13 + 6
	binary.LittleEndian.PutUint16(bomb[frame+5:], 65535)
	binary.LittleEndian.PutUint16(bomb[frame+7:], 65535)
	for name, file := range map[string][]byte{
		"nothing":             {},
		"text":                []byte("hello"),
		"HTML":                []byte("<html><script>alert(1)</script>"),
		"SVG with a script":   []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"PDF":                 []byte("%PDF-1.7\n"),
		"30,000 × 30,000":     resized(t, 30_000, 30_000),
		"no width":            resized(t, 0, 32),
		"too small for size":  resized(t, 5000, 5000),
		"truncated PNG":       pngFile(t)[:60],
		"truncated JPEG":      exifJPEG(t)[:300],
		"truncated GIF":       gifFile(t, 2)[:40],
		"GIF of tiny frames":  gifFile(t, maxPixels/pixelsOfFrame+1),
		"GIF of large frames": bomb,
		"GIF header, script":  []byte("GIF89a/*" + strings.Repeat("x", 20) + "*/=1;alert(1)"),
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := recode(file); !errors.Is(err, feed.ErrUnusable) {
				t.Errorf("it became %s with %d bytes, %v", p.ext, len(p.file), err)
			}
		})
	}
}

func FuzzRecode(f *testing.F) {
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if sum, err := gifPixels(file); err == nil && sum < 0 {
			t.Error("negative pixels")
		}
		if len(file) < 10_000 {
			_, _ = recode(file)
		}
	})
}
