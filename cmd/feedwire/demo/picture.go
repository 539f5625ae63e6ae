package demo

import (
	"bytes"
	"crypto/sha256"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"strings"
)

// Size of the pictures.
const (
	pictureWidth  = 640
	pictureHeight = 360
)

// picture serves a picture as PNG: readers get no SVG, which can contain scripts.
func (o *demoOrigin) picture(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !strings.HasSuffix(name, ".png") {
		http.NotFound(w, r)
		return
	}
	var body bytes.Buffer
	if err := png.Encode(&body, landscape(sha256.Sum256([]byte(name)))); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveDocument(w, r, "image/png", body.Bytes(), o.started)
}

// landscape draws the sun over two hills in colours that follow from a seed.
func landscape(seed [sha256.Size]byte) image.Image {
	hue := float64(seed[0]) * 360 / 256
	const sky, sun, far, near = 0, 1, 2, 3
	p := image.NewPaletted(image.Rect(0, 0, pictureWidth, pictureHeight),
		color.Palette{hsl(hue, 0.5, 0.85), color.RGBA{255, 246, 213, 255}, hsl(hue, 0.35, 0.6), hsl(hue, 0.35, 0.4)})
	horizon, centre := 180+float64(seed[1])/4, 120+float64(seed[2])
	for x := range pictureWidth {
		wave := math.Sin(2 * math.Pi * float64(x) / pictureWidth)
		for y := range pictureHeight {
			switch fy := float64(y); {
			case fy > horizon-30*wave:
				p.SetColorIndex(x, y, near)
			case fy > horizon-30+45*wave:
				p.SetColorIndex(x, y, far)
			case math.Hypot(float64(x)-centre, fy-90) < 36:
				p.SetColorIndex(x, y, sun)
			default:
				p.SetColorIndex(x, y, sky)
			}
		}
	}
	return p
}

// hsl returns the colour of a hue in degrees, a saturation and a lightness from 0 to 1.
func hsl(hue, saturation, lightness float64) color.Color {
	channel := func(n float64) uint8 {
		k := math.Mod(n+hue/30, 12)
		a := saturation * min(lightness, 1-lightness)
		return uint8(255 * (lightness - a*max(-1, min(k-3, 9-k, 1))))
	}
	return color.RGBA{channel(0), channel(8), channel(4), 255}
}
