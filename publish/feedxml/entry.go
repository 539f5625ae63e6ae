package feedxml

import (
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Channel describes a feed. Addresses are absolute; empty fields are left out.
type Channel struct {
	Title, Link, Description string
	Language                 string // BCP 47
	Copyright                string
	Logo, DarkLogo, Icon     string
	Authors                  []feed.Person
	Categories               []feed.Category
	Self, Hub                string
	Changed                  time.Time // if zero, RSS omits it and Atom has 1970
	SyndicationRights        bool      // of the images; RSS only, if the profile has an element for it
	Podcast                  *Podcast  // nil: the feed is no podcast
	Deleted                  []Deleted // RSS has no element for them
}

// Podcast describes a feed to directories of podcasts. Its artwork is the logo.
type Podcast struct {
	feed.Podcast
	Author     string
	Categories []feed.Category // of Apple's directory
}

// PodcastOf returns what the description of a source says about a podcast; nil if it is none.
func PodcastOf(about *feed.About) *Podcast {
	if !about.IsPodcast() {
		return nil
	}
	p := &Podcast{Podcast: about.Podcast}
	for _, author := range about.Authors {
		p.Author = strings.TrimPrefix(p.Author+", "+author.Name, ", ")
	}
	for _, c := range about.Categories {
		if c.Scheme == feed.SchemeITunes {
			p.Categories = append(p.Categories, c)
		}
	}
	return p
}

// Deleted is an entry that readers must remove (RFC 6721).
type Deleted struct {
	IDs  IDs
	Time time.Time
}

// Entry is one entry of a feed in the terms that all formats share. Addresses are absolute; empty fields are left out.
type Entry struct {
	Feed        *Channel // that it is in, for formats in which each entry names its feed
	IDs         IDs
	Title       string
	ShortTitle  string // only in RSS, if the profile has an element for it
	Headline    string // replaces a missing title where the format requires one
	Excerpt     string // plain text; replaces a missing description of an RSS item without a title
	Link        string
	Published   time.Time // zero if unknown
	Modified    time.Time
	Authors     []feed.Person
	Categories  []feed.Category
	Description string         // plain text
	Summary     string         // the description as HTML, if there is any
	Image       feed.Enclosure // the zero value means none
	ImageText   string         // what the image shows; as ShortTitle
	Files       []feed.Enclosure
	AllFiles    bool   // RSS lists all files, not only the first one
	Content     string // HTML

	Analytics, Advertisement string // HTML; as ShortTitle

	Contributors []feed.Person
	Persons      []feed.Person // in a podcast
	Media        []feed.Enclosure
	Chapters     []feed.Chapter
	Transcripts  []feed.Transcript

	Fields map[string]string // the scalar ones by the names of feed.Scalars; others are ignored
}

// withImage returns the main image and the files. Formats that have no place for the image list it among the files.
func (e *Entry) withImage() []feed.Enclosure {
	isImage := func(file feed.Enclosure) bool { return file.URL == e.Image.URL }
	if e.Image.URL == "" || slices.ContainsFunc(e.Files, isImage) {
		return e.Files
	}
	return slices.Concat([]feed.Enclosure{e.Image}, e.Files)
}

// IDs identify an entry permanently. Atom's is an IRI.
type IDs struct{ RSS, Atom, JSON string }
