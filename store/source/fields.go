package source

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// field is a field of a struct, and of the hash that stores it.
type field struct {
	name   string
	index  []int // of reflect.Value.FieldByIndex
	commas bool  // the elements of a list are separated by commas; otherwise it is stored as JSON
}

// fieldsOf returns the fields of a struct with a tag such as redis:"name", and those of the structs in it.
func fieldsOf(t reflect.Type) (all []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, form, _ := strings.Cut(f.Tag.Get("redis"), ",")
		switch {
		case name == "-":
		case name != "":
			all = append(all, field{name, f.Index, form == "commas"})
		case f.Type.Kind() == reflect.Struct:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = slices.Concat(f.Index, inner.index)
				all = append(all, inner)
			}
		}
	}
	return all
}

// named returns the fields with some names.
func named(all []field, names ...string) []field {
	return slices.DeleteFunc(slices.Clone(all), func(f field) bool { return !slices.Contains(names, f.name) })
}

// format returns the stored form of the field of a struct; empty for the zero value.
func (f *field) format(of reflect.Value) string {
	v, n := of.FieldByIndex(f.index), int64(0)
	switch value := v.Addr().Interface().(type) {
	case *time.Time:
		return core.StampOrNone(*value)
	case *feed.Filters:
		return value.String()
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Slice, reflect.Map:
		if v.Len() == 0 {
			return ""
		}
		if f.commas {
			return strings.Join(v.Interface().([]string), ",")
		}
		text, _ := json.Marshal(v.Interface()) // strings always encode
		return string(text)
	case reflect.Float64:
		if v.Float() != 0 {
			return strconv.FormatFloat(v.Float(), 'g', 6, 64)
		}
	case reflect.Bool:
		n = int64(core.Bit(v.Bool()))
	case reflect.Int:
		n = v.Int()
	case reflect.Int64: // a duration
		n = v.Int() / int64(time.Second)
	case reflect.Uint8, reflect.Uint32:
		n = int64(v.Uint())
	}
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// parse decodes the stored form of the field of a struct. Damaged values become zero, but damaged filters become a filter that does
// not compile, so that polls fail instead of accepting every entry.
func (f *field) parse(of reflect.Value, text string) {
	v := of.FieldByIndex(f.index)
	number := func() int64 {
		n, _ := strconv.Atoi(text)
		return int64(n)
	}
	switch value := v.Addr().Interface().(type) {
	case *time.Time:
		*value = feed.ParseTime(text)
	case *feed.Filters:
		var err error
		if *value, err = feed.ParseFilters(text); err != nil {
			*value = feed.Filters{Keep: []feed.Filter{{Field: "damaged", Match: text}}}
		}
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString(text)
		case reflect.Bool:
			v.SetBool(text == "1")
		case reflect.Slice, reflect.Map:
			if f.commas {
				v.Set(reflect.ValueOf(slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return s == "" })))
			} else {
				_ = json.Unmarshal([]byte(text), value)
			}
		case reflect.Float64:
			n, _ := strconv.ParseFloat(text, 64)
			v.SetFloat(n)
		case reflect.Int:
			v.SetInt(number())
		case reflect.Int64: // a duration
			v.SetInt(number() * int64(time.Second))
		case reflect.Uint8, reflect.Uint32:
			v.SetUint(uint64(number()))
		}
	}
}

// readFields sets the fields of a struct from a hash.
func readFields(fields []field, to any, hash map[string]string) {
	v := reflect.ValueOf(to).Elem()
	for i := range fields {
		if text := hash[fields[i].name]; text != "" {
			fields[i].parse(v, text)
		}
	}
}

// changedFields returns the pairs to set and the names to delete, so that a hash of was becomes one of is.
func changedFields[T any](fields []field, was, is *T) (set, unset []any) {
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	for i := range fields {
		f := &fields[i]
		switch text := f.format(after); text {
		case f.format(before):
		case "":
			unset = append(unset, f.name)
		default:
			set = append(set, f.name, text)
		}
	}
	return set, unset
}
