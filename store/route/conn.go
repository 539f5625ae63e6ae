package route

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	// mostRedirects bounds how often a command follows MOVED and ASK.
	mostRedirects = 5

	// mostPatience is how long a command waits for its slot while that moves from one node to another.
	mostPatience = time.Second
)

// clusterConn sends each command to the node that has its slot. It must not be used by several goroutines at once.
type clusterConn struct {
	cluster *Cluster
	ctx     context.Context // of the borrower: it bounds waiting for connections to nodes
	sent    []command
	replies []answer
	err     error // of a connection to a node, once the caller has been told
}

// command is one command of a pipeline.
type command struct {
	name  string
	args  []any
	until context.Context // when to stop waiting for the reply; nil: at the timeout
}

// answer is the reply to a command. Broken says that err is the end of a connection, and no reply.
type answer struct {
	reply  any
	err    error
	broken bool
}

func (c *clusterConn) Close() error { return nil }

func (c *clusterConn) Err() error { return c.err }

func (c *clusterConn) Do(name string, args ...any) (any, error) {
	return c.DoWithTimeout(-1, name, args...)
}

// DoWithTimeout sends one command and waits for its reply; a negative timeout is that of the options.
func (c *clusterConn) DoWithTimeout(timeout time.Duration, name string, args ...any) (any, error) {
	return c.tell(c.do(timeout, command{name: name, args: args}))
}

// DoContext sends one command and waits for its reply until the context ends.
func (c *clusterConn) DoContext(ctx context.Context, name string, args ...any) (any, error) {
	return c.tell(c.do(-1, command{name: name, args: args, until: ctx}))
}

// ReceiveContext is Receive: Flush has read the replies.
func (c *clusterConn) ReceiveContext(context.Context) (any, error) { return c.Receive() }

func (c *clusterConn) Send(name string, args ...any) error {
	c.sent = append(c.sent, command{name: name, args: args})
	return nil
}

// Flush sends what waits, to each node its part, and reads the replies. The order is kept among commands of one slot.
func (c *clusterConn) Flush() error {
	sent := c.sent
	c.sent, c.replies = nil, nil
	answers := make([]answer, len(sent))
	parts := make(map[string][]int) // places in sent by host
	for i, cmd := range sent {
		host, err := c.cluster.owner(c.ctx, slotOf(cmd.name, cmd.args))
		if err != nil {
			answers[i].err = err
			continue
		}
		parts[host] = append(parts[host], i)
	}
	flying := make(map[string]redis.Conn, len(parts))
	for host, places := range parts {
		conn, err := c.lend(host)
		if err != nil {
			c.cluster.suspect()
			continue // nothing was sent: each looks for its way below
		}
		flying[host] = conn
		for _, i := range places {
			if conn.Send(sent[i].name, sent[i].args...) != nil {
				break // seen again by Receive
			}
		}
		_ = conn.Flush() // likewise
	}
	for host, conn := range flying {
		for _, i := range parts[host] {
			answers[i] = c.receive(conn)
		}
		_ = conn.Close() // it goes back to the pool, which drops it after an error
	}
	for host, places := range parts { // when all connections are given back
		for _, i := range places {
			if redirects(answers[i].err) || flying[host] == nil {
				answers[i] = c.do(-1, sent[i])
			}
		}
	}
	c.replies = answers
	return nil
}

func (c *clusterConn) Receive() (any, error) {
	if len(c.replies) == 0 {
		return nil, errors.New("receive: no command was sent")
	}
	next := c.replies[0]
	c.replies = c.replies[1:]
	return c.tell(next)
}

// ReceiveWithTimeout is Receive: what was sent was read by Flush.
func (c *clusterConn) ReceiveWithTimeout(time.Duration) (any, error) { return c.Receive() }

// tell hands an answer to the caller.
func (c *clusterConn) tell(a answer) (any, error) {
	if a.broken && c.err == nil {
		c.err = a.err
	}
	return a.reply, a.err
}

func (c *clusterConn) lend(host string) (redis.Conn, error) {
	n, err := c.cluster.node(host)
	if err != nil {
		return nil, err
	}
	return n.GetContext(c.ctx)
}

// receive reads one reply.
func (c *clusterConn) receive(conn redis.Conn) (a answer) {
	a.reply, a.err = conn.Receive()
	if conn.Err() != nil {
		a.broken = true
		c.cluster.suspect()
	}
	return a
}

// do leads a command to its node, wherever that is by now.
func (c *clusterConn) do(timeout time.Duration, cmd command) answer {
	slot, start := slotOf(cmd.name, cmd.args), time.Now()
	host, asking, unreached := "", false, false
	for moves := 0; ; {
		var err error
		if host == "" {
			if host, err = c.cluster.owner(c.ctx, slot); err != nil {
				return answer{err: err}
			}
		}
		conn, err := c.lend(host)
		if err != nil {
			c.cluster.suspect()
			now, lost := c.cluster.owner(c.ctx, slot)
			if lost != nil || now == host || unreached {
				return answer{err: err}
			}
			host, asking, unreached = "", false, true
			continue
		}
		got := c.once(conn, timeout, asking, cmd)
		_ = conn.Close() // it goes back to the pool, which drops it after an error
		word, rest, _ := strings.Cut(replyError(got.err), " ")
		asking = false
		switch word {
		case "MOVED", "ASK":
			if moves++; moves > mostRedirects {
				return got
			}
			number, at, _ := strings.Cut(rest, " ")
			if strings.HasPrefix(at, ":") { // the node does not know under which name the other one is reached
				at = host[:strings.LastIndexByte(host, ':')] + at
			}
			host, asking = at, word == "ASK"
			if word == "MOVED" {
				n, _ := strconv.Atoi(number) // -1 where it is none
				c.cluster.moved(n, at)
			}
		case "TRYAGAIN": // part of its keys are here, part are there
			if time.Since(start) > mostPatience || !c.pause(10*time.Millisecond) {
				return got
			}
			host, moves = "", 0
		case "CLUSTERDOWN", "READONLY":
			c.cluster.suspect()
			return got
		default:
			return got
		}
	}
}

// once sends a command to a node.
func (c *clusterConn) once(conn redis.Conn, timeout time.Duration, asking bool, cmd command) answer {
	if asking {
		_ = conn.Send("ASKING") // a failure shows with the command
	}
	var a answer
	switch {
	case cmd.until != nil:
		a.reply, a.err = redis.DoContext(conn, cmd.until, cmd.name, cmd.args...)
	case timeout < 0:
		a.reply, a.err = conn.Do(cmd.name, cmd.args...)
	default:
		a.reply, a.err = redis.DoWithTimeout(conn, timeout, cmd.name, cmd.args...)
	}
	if conn.Err() != nil {
		a.broken = true
		if !errors.Is(a.err, context.Canceled) {
			c.cluster.suspect()
		}
	}
	return a
}

// pause waits; false where the caller does not.
func (c *clusterConn) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.ctx.Done():
		return false
	}
}

// replyError is the text of an error that a server replied; empty for any other.
func replyError(err error) string {
	var reply redis.Error
	if errors.As(err, &reply) {
		return string(reply)
	}
	return ""
}

// redirects reports whether an answer says that the command was not carried out, and where or when it would be.
func redirects(err error) bool {
	word, _, _ := strings.Cut(replyError(err), " ")
	return word == "MOVED" || word == "ASK" || word == "TRYAGAIN"
}
