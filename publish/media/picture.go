package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"time"

	"github.com/bep/imagemeta"
	_ "golang.org/x/image/webp" // for Decode

	"github.com/feedwire/feedwire/store/feed"
)

// maxPixels bounds what a decoder holds: the pixels of an image, or of all frames of a GIF.
const maxPixels = 40_000_000

// pixelsOfFrame is the least that a frame of a GIF counts: decoding and encoding a tiny one costs as much as these.
const pixelsOfFrame = 10_000

const jpegQuality = 88

// picture is an image as feedwire encoded it. It has the pixels of the upload and nothing else.
type picture struct {
	file          []byte
	ext           string // "jpg", "png", "gif"
	width, height int
}

// recode decodes an image by its content and encodes it anew. feed.ErrUnusable: it is no image of a known type, it is damaged, or it has
// too many pixels. Nothing is decoded before the pixels are counted.
func recode(file []byte) (p picture, err error) {
	size, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return p, unusable("it is no JPEG, PNG, GIF or WebP image")
	}
	pixels := int64(size.Width) * int64(size.Height)
	if format == "gif" {
		frames, err := gifPixels(file)
		if err != nil {
			return p, unusable("it is a damaged gif image")
		}
		pixels = max(pixels, frames)
	}
	if pixels > maxPixels || pixels <= 0 {
		return p, unusable(fmt.Sprintf("it has %d × %d pixels, or too many frames; use at most %d million pixels",
			size.Width, size.Height, maxPixels/1_000_000))
	}
	var out bytes.Buffer
	if format == "gif" {
		var all *gif.GIF
		if all, err = gif.DecodeAll(bytes.NewReader(file)); err == nil {
			err = gif.EncodeAll(&out, all)
		}
		p = picture{ext: "gif", width: size.Width, height: size.Height}
	} else {
		var img image.Image
		if img, _, err = image.Decode(bytes.NewReader(file)); err == nil {
			p, err = encode(&out, upright(img, file, format), format)
		}
	}
	if err != nil {
		return p, unusable("it is a damaged " + format + " image")
	}
	p.file = out.Bytes()
	return p, nil
}

func unusable(reason string) error { return fmt.Errorf("an image %w: %s", feed.ErrUnusable, reason) }

// encode writes photographs as JPEG, and everything else as PNG.
func encode(out *bytes.Buffer, img image.Image, format string) (picture, error) {
	p := picture{ext: "png", width: img.Bounds().Dx(), height: img.Bounds().Dy()}
	if _, opaque := img.(*image.YCbCr); format == "jpeg" || opaque { // or a WebP without transparency
		p.ext = "jpg"
		return p, jpeg.Encode(out, img, &jpeg.Options{Quality: jpegQuality})
	}
	return p, png.Encode(out, img)
}

// gifPixels returns the pixels of all frames of a GIF, each as pixelsOfFrame at least, without decoding them.
func gifPixels(file []byte) (sum int64, err error) {
	at := 13 // after header and screen descriptor
	colors := func(packed byte) int {
		if packed&0x80 == 0 {
			return 0
		}
		return 3 << (packed&7 + 1)
	}
	if len(file) < at {
		return 0, errShort
	}
	at += colors(file[10])
	for at < len(file) {
		switch file[at] {
		case 0x21: // extension: label, data
			at += 2
		case 0x2c: // frame: place and size, flags, colors, size of codes, data
			if at+10 > len(file) {
				return 0, errShort
			}
			sum += max(int64(binary.LittleEndian.Uint16(file[at+5:]))*int64(binary.LittleEndian.Uint16(file[at+7:])), pixelsOfFrame)
			at += 10 + colors(file[at+9]) + 1
		case 0x3b: // end
			return sum, nil
		default:
			return 0, errShort
		}
		for at < len(file) && file[at] != 0 { // blocks of data
			at += 1 + int(file[at])
		}
		at++
	}
	return 0, errShort
}

var errShort = errors.New("truncated")

// upright turns a JPEG as its EXIF data says, which the stored image does not have.
func upright(src image.Image, file []byte, format string) image.Image {
	turn := 1
	if format == "jpeg" {
		_, _ = imagemeta.Decode(imagemeta.Options{ // damaged data turn nothing
			R: bytes.NewReader(file), ImageFormat: imagemeta.JPEG, Sources: imagemeta.EXIF, Timeout: time.Second,
			ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return tag.Tag == "Orientation" && tag.Namespace == "IFD0" },
			HandleTag: func(tag imagemeta.TagInfo) error {
				if n, ok := tag.Value.(uint16); ok {
					turn = int(n)
				}
				return nil
			},
		})
	}
	if turn < 2 || turn > 8 {
		return src
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	places := [...]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return h - 1 - y, x },
		7: func(x, y int) (int, int) { return h - 1 - y, w - 1 - x },
		8: func(x, y int) (int, int) { return y, w - 1 - x },
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if turn >= 5 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := places[turn](x, y)
			dst.Set(tx, ty, src.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return dst
}
