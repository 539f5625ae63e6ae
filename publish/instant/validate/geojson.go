package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// geometry is how the positions of a geometry are nested (RFC 7946, section 3.1).
type geometry struct {
	levels int
	least  int  // positions of each innermost array
	closed bool // the last of them is the first
}

var geometries = map[string]geometry{
	"Point": {}, "MultiPoint": {levels: 1, least: 1}, "LineString": {levels: 1, least: 2}, "MultiLineString": {levels: 2, least: 2},
	"Polygon": {levels: 2, least: 4, closed: true}, "MultiPolygon": {levels: 3, least: 4, closed: true},
}

// checkFeature checks a GeoJSON Feature with a geometry other than a GeometryCollection.
func checkFeature(data []byte) error {
	var feature struct {
		Type     string
		Geometry struct {
			Type        string
			Coordinates json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &feature); err != nil {
		return err
	}
	if feature.Type != "Feature" {
		return fmt.Errorf("its type is %.40q", feature.Type)
	}
	g, ok := geometries[feature.Geometry.Type]
	if !ok {
		return fmt.Errorf("its geometry has the type %.40q", feature.Geometry.Type)
	}
	return g.check(feature.Geometry.Coordinates, g.levels)
}

// check checks positions nested in a number of arrays. A position is a longitude, a latitude and perhaps an altitude.
func (g geometry) check(data json.RawMessage, levels int) error {
	if levels == 0 {
		var position []float64
		if json.Unmarshal(data, &position) != nil || len(position) < 2 {
			return errors.New("its coordinates are not longitudes and latitudes")
		}
		if longitude, latitude := position[0], position[1]; longitude < -180 || longitude > 180 || latitude < -90 || latitude > 90 {
			return fmt.Errorf("there is no longitude %g with the latitude %g", longitude, latitude)
		}
		return nil
	}
	var inner []json.RawMessage
	if json.Unmarshal(data, &inner) != nil || len(inner) == 0 {
		return errors.New("its geometry has another type than its coordinates")
	}
	for _, one := range inner {
		if err := g.check(one, levels-1); err != nil {
			return err
		}
	}
	switch {
	case levels > 1:
	case len(inner) < g.least:
		return fmt.Errorf("its geometry has %d positions; at least %d are required", len(inner), g.least)
	case g.closed && !samePosition(inner[0], inner[len(inner)-1]):
		return errors.New("its polygon does not end where it begins")
	}
	return nil
}

func samePosition(one, other json.RawMessage) bool {
	var a, b []float64
	return json.Unmarshal(one, &a) == nil && json.Unmarshal(other, &b) == nil && slices.Equal(a, b)
}
