package validate

import (
	"encoding/json"
	"errors"
	"fmt"
)

// levels is how deep the positions of a geometry are nested (RFC 7946, section 3.1).
var levels = map[string]int{"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}

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
	depth, ok := levels[feature.Geometry.Type]
	if !ok {
		return fmt.Errorf("its geometry has the type %.40q", feature.Geometry.Type)
	}
	return checkPositions(feature.Geometry.Coordinates, depth)
}

// checkPositions checks positions nested in a number of arrays. A position is a longitude, a latitude and perhaps an altitude.
func checkPositions(data json.RawMessage, depth int) error {
	if depth == 0 {
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
		if err := checkPositions(one, depth-1); err != nil {
			return err
		}
	}
	return nil
}
