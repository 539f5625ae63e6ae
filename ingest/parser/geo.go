package parser

import (
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"
)

// readGeo reads the positions of GeoRSS in GML, of the W3C vocabulary, of Media RSS and of podcasts. Those of GeoRSS Simple are
// rows of feed.Fields.
func (p *post) readGeo(extensions ext.Extensions) {
	for _, where := range extensions["georss"]["where"] {
		p.readGML(where.Children)
	}
	for _, location := range extensions["media"]["location"] {
		for _, where := range location.Children["where"] {
			p.readGML(where.Children)
		}
	}
	p.readGML(extensions["gml"]) // without where
	geo := extensions["geo"]
	for _, point := range geo["Point"] {
		p.noteDegrees(point.Children)
	}
	p.noteDegrees(geo)
	for _, location := range extensions["podcast"]["location"] {
		position, _, _ := strings.Cut(strings.TrimPrefix(location.Attrs["geo"], "geo:"), ";")
		p.notePoint(position)
	}
}

func (p *post) notePoint(position string) { p.setMissing("geo_point", position) }

// noteDegrees reads a position of the W3C vocabulary. Each element holds one number, so a comma is no separator.
func (p *post) noteDegrees(geo elements) {
	lat, long := firstValue(geo["lat"]), firstValue(geo["long"])
	if lat != "" && long != "" && !strings.ContainsAny(lat+long, ", \t\r\n") {
		p.notePoint(lat + " " + long)
	}
}

// readGML reads the shapes of the Geography Markup Language that GeoRSS allows.
func (p *post) readGML(shapes elements) {
	inner := func(path ...string) string {
		at := shapes
		for _, name := range path[:len(path)-1] {
			if len(at[name]) == 0 {
				return ""
			}
			at = at[name][0].Children
		}
		return firstValue(at[path[len(path)-1]])
	}
	p.notePoint(inner("Point", "pos"))
	p.notePoint(latitudeFirst(inner("Point", "coordinates")))
	p.setMissing("geo_line", inner("LineString", "posList"))
	p.setMissing("geo_line", latitudeFirst(inner("LineString", "coordinates")))
	p.setMissing("geo_polygon", inner("Polygon", "exterior", "LinearRing", "posList"))
	p.setMissing("geo_polygon", latitudeFirst(inner("Polygon", "outerBoundaryIs", "LinearRing", "coordinates")))
	p.setMissing("geo_box", inner("Envelope", "lowerCorner")+" "+inner("Envelope", "upperCorner"))
	p.setMissing("geo_box", latitudeFirst(inner("Box", "coordinates")))
}

// latitudeFirst returns positions of GML 2, "longitude,latitude" and possibly a height, in the order of GML 3.
func latitudeFirst(coordinates string) string {
	var all []string
	for position := range strings.FieldsSeq(coordinates) {
		parts := strings.Split(position, ",")
		if len(parts) < 2 {
			return ""
		}
		all = append(all, parts[1], parts[0])
	}
	return strings.Join(all, " ")
}
