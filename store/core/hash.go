package core

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Fields are the fields of a struct that a hash stores.
type Fields []field

// field is a field of a struct, and of the hash that stores it.
type field struct {
	name   string
	index  []int // of reflect.Value.FieldByIndex
	commas bool  // the elements of a list are separated by commas; otherwise it is stored as JSON
}

// FieldsOf returns the fields of a struct with a tag such as redis:"name", and those of the structs in it.
func FieldsOf[T any]() Fields { return fieldsOf(reflect.TypeFor[T]()) }

func fieldsOf(t reflect.Type) (all Fields) {
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

// Named returns the fields with some names.
func (all Fields) Named(names ...string) Fields {
	return slices.DeleteFunc(slices.Clone(all), func(f field) bool { return !slices.Contains(names, f.name) })
}

// format returns the stored form of the field of a struct; empty for the zero value.
func (f *field) format(of reflect.Value) string {
	v, n := of.FieldByIndex(f.index), int64(0)
	switch value := v.Addr().Interface().(type) {
	case *time.Duration, *feed.Duration:
		v = reflect.ValueOf(v.Int() / int64(time.Second))
	case *time.Time:
		return StampOrNone(*value)
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
		n = int64(Bit(v.Bool()))
	case reflect.Int, reflect.Int64:
		n = v.Int()
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
	case *time.Duration, *feed.Duration:
		v.SetInt(number() * int64(time.Second))
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
		case reflect.Int, reflect.Int64:
			v.SetInt(number())
		case reflect.Uint8, reflect.Uint32:
			v.SetUint(uint64(number()))
		}
	}
}

// Read sets the fields of a struct from a hash.
func (all Fields) Read(hash map[string]string, to any) {
	v := reflect.ValueOf(to).Elem()
	for i := range all {
		if text := hash[all[i].name]; text != "" {
			all[i].parse(v, text)
		}
	}
}

// Names returns the names, as arguments of HMGET.
func (all Fields) Names() (names []any) {
	for i := range all {
		names = append(names, all[i].name)
	}
	return names
}

// ReadList is Read for the reply of HMGET for Names.
func (all Fields) ReadList(texts []string, to any) {
	v := reflect.ValueOf(to).Elem()
	for i, text := range texts {
		if text != "" {
			all[i].parse(v, text)
		}
	}
}

// Pairs returns the names and the stored forms of all fields.
func (all Fields) Pairs(of any) (pairs []any) {
	for i := range all {
		pairs = append(pairs, all[i].name, all[i].format(reflect.ValueOf(of).Elem()))
	}
	return pairs
}

// Changes returns the pairs to set and the names to delete, so that a hash of was becomes one of is, a struct of the same type.
func (all Fields) Changes(was, is any) (set, unset []any) {
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	for i := range all {
		f := &all[i]
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
