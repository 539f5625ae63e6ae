package entries

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// maxSaves limits how often a write is repeated because others write the same entry.
const maxSaves = 5

// create serves POST /api/v1/sources/{id}/entries: it creates an entry, with a guid of its own if the body has none.
func (es *Entries) create(w http.ResponseWriter, r *http.Request) error {
	source, body, err := es.localBody(r)
	if err != nil {
		return err
	}
	named := feed.Entry{}
	if body.guid() == "" {
		named.GUID = newGUID(r, 0)
	}
	e, err := body.entry(&source, &named, es.web.Now())
	if err != nil {
		return err
	}
	if named.GUID != "" {
		if err := es.refuseRemoved(r, source.URL, named.GUID); err != nil {
			return err
		}
	}
	if e, err = es.createOnce(r, e); err != nil {
		return err
	}
	answerCreated(w, &e)
	return nil
}

// Create checks an entry of a local source and creates it, with a guid that is the same for repetitions of the request.
func (es *Entries) Create(r *http.Request, e feed.Entry) (feed.Entry, error) {
	e.GUID = newGUID(r, 0)
	e, err := parser.Written(e, es.web.Now())
	if err == nil {
		err = es.refuseRemoved(r, e.FeedURL, e.GUID)
	}
	if err != nil {
		return e, err
	}
	return es.createOnce(r, e)
}

// Edit checks and stores what change changes in an entry of a local source. feed.ErrNotFound: there is no such entry.
func (es *Entries) Edit(r *http.Request, id string, change func(e *feed.Entry)) error {
	stored, err := es.store.Entry(r.Context(), id)
	if err != nil {
		return err
	}
	e := stored
	change(&e)
	if e, err = parser.Written(e, es.web.Now()); err == nil {
		_, err = es.save(r, e, &stored, "")
	}
	return err
}

// createOnce creates an entry, or returns it if the request has created it before.
func (es *Entries) createOnce(r *http.Request, e feed.Entry) (feed.Entry, error) {
	saved, err := es.save(r, e, &feed.Entry{}, "")
	if errors.Is(err, feed.ErrExists) && web.OnceID(r) != "" {
		first, failed := es.store.EntryByGUID(r.Context(), e.FeedURL, e.GUID)
		if failed == nil && first.Digest() == e.Digest() { // the response to the first request was lost
			return first, nil
		}
	}
	return saved, err
}

// newGUID returns a guid for the entry of a request with a number. It is the same for repetitions of the request.
func newGUID(r *http.Request, number int) string {
	if id := web.OnceID(r); id != "" {
		return web.Hash(fmt.Sprintf("%s %d", id, number))
	}
	return rand.Text()
}

// refuseRemoved returns feed.ErrConflict if a repetition of a request would bring back the entry with a guid from newGUID.
func (es *Entries) refuseRemoved(r *http.Request, feedURL, guid string) error {
	if web.OnceID(r) == "" {
		return nil
	}
	gone, err := es.store.IsTakenDown(r.Context(), feedURL, guid)
	if err == nil && gone {
		err = fmt.Errorf("creating entry %s again is %w: it was removed after this request had created it; use another Idempotency-Key",
			guid, feed.ErrConflict)
	}
	return err
}

// put serves PUT /api/v1/sources/{id}/entries/{guid}: it creates the entry with a guid, or replaces it.
func (es *Entries) put(w http.ResponseWriter, r *http.Request) error {
	source, body, err := es.localBody(r)
	if err != nil {
		return err
	}
	e, created, err := es.replace(r, &source, r.PathValue("guid"), body)
	switch {
	case err != nil:
		return err
	case created:
		answerCreated(w, &e)
	default:
		web.JSON(w, http.StatusOK, e)
	}
	return nil
}

// writeMany serves POST /api/v1/sources/{id}/entries/bulk: it does what put does with each entry, and what create does with one
// without a guid.
func (es *Entries) writeMany(a *web.Action) func(*http.Request) (web.Bulk, error) {
	return func(r *http.Request) (all web.Bulk, err error) {
		source, err := es.localSource(r)
		if err != nil {
			return all, err
		}
		var body struct {
			Entries []json.RawMessage `json:"entries"`
		}
		if err := web.Decode(r, &body); err != nil {
			return all, err
		}
		bodies, guids := make([]entryBody, len(body.Entries)), make([]string, len(body.Entries))
		for i, raw := range body.Entries {
			_ = json.Unmarshal(raw, &bodies[i]) // nil if it is no object
			guids[i] = cmp.Or(bodies[i].guid(), newGUID(r, i))
		}
		next := 0
		return es.web.Bulk(r, a, "entries", guids, func(r *http.Request, guid string) (item web.BulkItem, err error) {
			one, raw := bodies[next], body.Entries[next]
			next++
			if one == nil {
				return item, fmt.Errorf("%w entry: got %.40s, want a JSON object", feed.ErrInvalid, raw)
			}
			if one.guid() == "" {
				if err := es.refuseRemoved(r, source.URL, guid); err != nil {
					return item, err
				}
			}
			e, created, err := es.replace(r, &source, guid, one)
			if item.Entry, item.Status = e.ID, http.StatusOK; created {
				item.Status = http.StatusCreated
			}
			return item, err
		})
	}
}

// replace creates the entry of a source with a guid, or replaces it, if the condition of the request holds.
func (es *Entries) replace(r *http.Request, source *feed.Source, guid string, body entryBody) (e feed.Entry, created bool, err error) {
	for range maxSaves {
		stored, err := es.store.EntryByGUID(r.Context(), source.URL, guid)
		state := ""
		if created = errors.Is(err, feed.ErrNotFound); created {
			stored = feed.Entry{GUID: guid}
		} else if err != nil {
			return e, false, err
		} else {
			state = stateOf(&stored)
		}
		if err := web.CheckCondition(r, state); err != nil {
			return e, false, err
		}
		if e, err = body.entry(source, &stored, es.web.Now()); err != nil {
			return e, false, err
		}
		seen := ""
		if web.HasCondition(r) {
			seen = stored.Digest()
		}
		e, err = es.save(r, e, &stored, seen)
		if !errors.Is(err, feed.ErrChanged) && !errors.Is(err, feed.ErrExists) && !errors.Is(err, feed.ErrNotFound) {
			return e, created, err
		}
	}
	return e, false, fmt.Errorf("entry %s: %w", guid, feed.ErrChanged)
}

// save writes an entry in place of the stored one, which has no ID if there is none, if its digest is still the one seen; "": any. An
// edit without a new date was made now.
func (es *Entries) save(r *http.Request, e feed.Entry, stored *feed.Entry, seen string) (feed.Entry, error) {
	if stored.ID != "" && e.Digest() != stored.Digest() && (e.Updated.IsZero() || e.Updated.Equal(stored.Updated)) {
		e.Updated = es.web.Now()
		e.Timestamp = e.Updated.Truncate(time.Second)
	}
	if err := es.store.SaveSeenEntry(r.Context(), &e, seen); err != nil {
		return e, err
	}
	web.Changed(r, feed.EntryObject(&e), stored.Title, e.Title)
	return es.store.Entry(r.Context(), e.ID)
}

// defaultKeep is how many entries remain if a request does not name a number.
const defaultKeep = 50

// Expired is the result of expiring entries.
type Expired struct {
	Expired int `json:"expired"`
}

// expire serves POST /api/v1/sources/{id}/entries/expire: it deletes all but the newest entries of a source.
func (es *Entries) expire(r *http.Request) (done Expired, err error) {
	source, err := es.sourceOf(r)
	if err != nil {
		return done, err
	}
	body := struct {
		Keep int `json:"keep"`
	}{defaultKeep}
	if err := web.Decode(r, &body); err != nil {
		return done, err
	}
	if body.Keep < 1 || body.Keep > feed.MaxKeepEntries {
		return done, feed.Invalid("keep", fmt.Sprintf("use a number from 1 to %d", feed.MaxKeepEntries))
	}
	done.Expired, err = es.store.ExpireEntries(r.Context(), source.URL, body.Keep)
	web.Changed(r, feed.SourceObject(&source), "", fmt.Sprintf("the newest %d remain of %d", body.Keep, body.Keep+done.Expired))
	return done, err
}

// localBody returns the source in the path and the entry in the body.
func (es *Entries) localBody(r *http.Request) (source feed.Source, body entryBody, err error) {
	if source, err = es.localSource(r); err == nil {
		err = web.Decode(r, &body)
	}
	return source, body, err
}

// localSource returns the source in the path. feed.ErrConflict as for checkLocal.
func (es *Entries) localSource(r *http.Request) (feed.Source, error) {
	source, err := es.sourceOf(r)
	if err == nil {
		err = checkLocal(&source)
	}
	return source, err
}

// checkLocal returns feed.ErrConflict if no one writes entries of a source here: it is not local, or it has the posts of a member.
func checkLocal(source *feed.Source) error {
	why := ""
	switch {
	case !source.Local():
		why = "its entries come from its feed; add a local source such as " + feed.LocalURL("notes")
	case source.OfMember():
		why = "only the member writes these posts; you can take them down"
	default:
		return nil
	}
	return fmt.Errorf("writing an entry of %s is %w: %s", source.URL, feed.ErrConflict, why)
}

func answerCreated(w http.ResponseWriter, e *feed.Entry) {
	w.Header().Set("Location", "/api/v1/entries/"+e.Number())
	web.JSON(w, http.StatusCreated, e)
}
