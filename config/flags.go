package config

import (
	"strings"

	"github.com/spf13/pflag"
)

// Flags adds one flag for each option to a set. The flags store their text; Load parses it, so that it reports all problems
// together.
func Flags(fs *pflag.FlagSet) {
	for _, o := range tables().Options {
		short, _, _ := strings.Cut(o.Doc, ". ")
		kind, _, _ := strings.Cut(o.kind, ",")
		f := fs.VarPF(&flagText{kind: kind, list: o.list}, o.flag(), "", strings.TrimSuffix(short, "."))
		f.DefValue = o.Default
		if o.Default == "false" {
			f.NoOptDefVal = "true"
		}
	}
}

// readFlags reads the flags that were set.
func (l *loader) readFlags(fs *pflag.FlagSet) {
	for _, o := range tables().Options {
		if f := fs.Lookup(o.flag()); f != nil && f.Changed {
			l.setFlat(o, place{File: "--" + o.flag()}, f.Value.String())
		}
	}
}

// flagText is a pflag.Value that stores its text. A list may be given in several flags.
type flagText struct {
	kind string
	list bool
	text string
}

func (f *flagText) String() string { return f.text }
func (f *flagText) Type() string   { return f.kind }

func (f *flagText) Set(s string) error {
	if f.list && f.text != "" {
		s = f.text + "," + s
	}
	f.text = s
	return nil
}
