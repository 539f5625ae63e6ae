package media

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/feedwire/feedwire/store/feed"
)

// BucketOptions configure a Bucket. URL, AccessKey and SecretKey are required.
type BucketOptions struct {
	URL                  string // "https://s3.example.org/images"
	Region               string // empty: us-east-1
	AccessKey, SecretKey string
}

// Bucket is a bucket of an S3-compatible store with images.
type Bucket struct {
	client *minio.Client
	name   string
}

const (
	bucketTimeout = 20 * time.Second // of a call
	bucketRetries = 3
	storedAt      = "Stored" // the metadata of an image with the time at which it was stored, in Unix seconds
)

// NewBucket returns a Bucket. It does not connect. feed.ErrInvalid: the URL is not that of a bucket.
func NewBucket(opts BucketOptions) (*Bucket, error) {
	at, err := url.Parse(opts.URL)
	if err != nil || at.Host == "" || strings.Trim(at.Path, "/") == "" || strings.Contains(strings.Trim(at.Path, "/"), "/") {
		return nil, feed.Invalid("url", "use the URL of a bucket, like https://s3.example.org/images")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.Proxy, transport.DisableCompression, transport.ResponseHeaderTimeout = nil, true, bucketTimeout
	client, err := minio.New(at.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(opts.AccessKey, opts.SecretKey, ""),
		Secure: at.Scheme == "https", Region: cmp.Or(opts.Region, "us-east-1"), BucketLookup: minio.BucketLookupPath,
		Transport: transport, MaxRetries: bucketRetries,
	})
	return &Bucket{client, strings.Trim(at.Path, "/")}, err
}

// wrap returns the error of a call as the errors of Files.
func (b *Bucket) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		return fs.ErrNotExist
	}
	return fmt.Errorf("bucket %s: %w: %w", b.name, feed.ErrUnavailable, err)
}

// Put is Files.Put.
func (b *Bucket) Put(ctx context.Context, name string, file []byte, now time.Time) (isNew bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, bucketTimeout)
	defer cancel()
	_, missing := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	_, err = b.client.PutObject(ctx, b.name, name, bytes.NewReader(file), int64(len(file)), minio.PutObjectOptions{
		ContentType:  mime.TypeByExtension(path.Ext(name)),
		UserMetadata: map[string]string{storedAt: strconv.FormatInt(now.Unix(), 10)},
	})
	return missing != nil, b.wrap(err)
}

// Open is Files.Open.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, name, minio.GetObjectOptions{})
	if err == nil {
		_, err = object.Stat()
	}
	return object, b.wrap(err)
}

// Stored is Files.Stored.
func (b *Bucket) Stored(ctx context.Context, name string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, bucketTimeout)
	defer cancel()
	info, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	if err != nil {
		return time.Time{}, b.wrap(err)
	}
	if at, err := strconv.ParseInt(info.UserMetadata[storedAt], 10, 64); err == nil {
		return time.Unix(at, 0), nil
	}
	return info.LastModified, nil
}

// List is Files.List.
func (b *Bucket) List(ctx context.Context, start string) (all []File, err error) {
	ctx, cancel := context.WithTimeout(ctx, bucketTimeout)
	defer cancel()
	for object := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: start, Recursive: true}) {
		if object.Err != nil {
			return nil, b.wrap(object.Err)
		}
		all = append(all, File{object.Key, object.Size})
	}
	return all, nil
}

// Delete is Files.Delete.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, bucketTimeout)
	defer cancel()
	return b.wrap(b.client.RemoveObject(ctx, b.name, name, minio.RemoveObjectOptions{}))
}
