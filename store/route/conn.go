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
	maxRedirects    = 5           // how often a command follows MOVED and ASK
	maxTryAgainTime = time.Second // how long a command waits for its slot while that moves from one node to another
)

// clusterConn sends each command to the node that has its slot. It must not be used by several goroutines at once.
type clusterConn struct {
	cluster *Cluster
	ctx     context.Context // of the borrower: it bounds waiting for connections to nodes
	sent    []command
	replies []answer
	err     error // of a connection to a node, once the caller has it
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
	return c.result(c.do(command{name: name, args: args}))
}

// DoContext sends one command and waits for its reply until the context ends.
func (c *clusterConn) DoContext(ctx context.Context, name string, args ...any) (any, error) {
	return c.result(c.do(command{name: name, args: args, until: ctx}))
}

// ReceiveContext is Receive: Flush has read the replies.
func (c *clusterConn) ReceiveContext(context.Context) (any, error) { return c.Receive() }

func (c *clusterConn) Send(name string, args ...any) error {
	c.sent = append(c.sent, command{name: name, args: args})
	return nil
}

// Flush sends the commands of Send, grouped by node, and reads the replies. Commands of one slot keep their order.
func (c *clusterConn) Flush() error {
	sent := c.sent
	c.sent, c.replies = nil, nil
	answers := make([]answer, len(sent))
	byHost := make(map[string][]int) // indexes of sent
	for i, cmd := range sent {
		host, err := c.cluster.owner(c.ctx, slotOf(cmd.name, cmd.args))
		if err != nil {
			answers[i].err = err
			continue
		}
		byHost[host] = append(byHost[host], i)
	}
	conns := make(map[string]redis.Conn, len(byHost))
	for host, indexes := range byHost {
		conn, err := c.cluster.lend(c.ctx, host)
		if err != nil {
			c.cluster.suspect()
			continue // nothing was sent: each command is sent by itself below
		}
		conns[host] = conn
		for _, i := range indexes {
			if conn.Send(sent[i].name, sent[i].args...) != nil {
				break // seen again by Receive
			}
		}
		_ = conn.Flush() // likewise
	}
	for host, conn := range conns {
		for _, i := range byHost[host] {
			answers[i] = c.receive(conn)
		}
		_ = conn.Close() // it goes back to the pool, which drops it after an error
	}
	for host, indexes := range byHost { // when all connections are given back
		for _, i := range indexes {
			if redirects(answers[i].err) || conns[host] == nil {
				answers[i] = c.do(sent[i])
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
	return c.result(next)
}

// result returns an answer to the caller, and remembers the end of a connection for Err.
func (c *clusterConn) result(a answer) (any, error) {
	if a.broken && c.err == nil {
		c.err = a.err
	}
	return a.reply, a.err
}

// receive reads one reply.
func (c *clusterConn) receive(conn redis.Conn) (a answer) {
	a.reply, a.err = conn.Receive()
	return c.examine(conn, a)
}

// examine makes the slot map be read again if an answer shows that it may be wrong.
func (c *clusterConn) examine(conn redis.Conn, a answer) answer {
	a.broken = conn.Err() != nil
	word, _ := errorReply(a.err)
	if a.broken && !errors.Is(a.err, context.Canceled) || word == "CLUSTERDOWN" || word == "READONLY" {
		c.cluster.suspect()
	}
	return a
}

// do sends a command to the node that has its slot, and follows the slot if it has moved.
func (c *clusterConn) do(cmd command) answer {
	slot, start := slotOf(cmd.name, cmd.args), time.Now()
	host, asking, unreached := "", false, false
	for moves := 0; ; {
		var err error
		if host == "" {
			if host, err = c.cluster.owner(c.ctx, slot); err != nil {
				return answer{err: err}
			}
		}
		conn, err := c.cluster.lend(c.ctx, host)
		if err != nil {
			c.cluster.suspect()
			now, lost := c.cluster.owner(c.ctx, slot)
			if lost != nil || now == host || unreached {
				return answer{err: err}
			}
			host, asking, unreached = "", false, true
			continue
		}
		got := c.once(conn, asking, cmd)
		_ = conn.Close() // it goes back to the pool, which drops it after an error
		asking = false
		switch word, rest := errorReply(got.err); word {
		case "MOVED", "ASK":
			if moves++; moves > maxRedirects {
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
			if time.Since(start) > maxTryAgainTime || !c.pause(10*time.Millisecond) {
				return got
			}
			host, moves = "", 0
		default:
			return got
		}
	}
}

// once sends a command to a node.
func (c *clusterConn) once(conn redis.Conn, asking bool, cmd command) answer {
	if asking {
		_ = conn.Send("ASKING") // a failure shows with the command
	}
	var a answer
	if cmd.until != nil {
		a.reply, a.err = redis.DoContext(conn, cmd.until, cmd.name, cmd.args...)
	} else {
		a.reply, a.err = conn.Do(cmd.name, cmd.args...)
	}
	return c.examine(conn, a)
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

// errorReply splits the text of an error that a server replied after its first word; empty for any other error.
func errorReply(err error) (word, rest string) {
	reply, _ := errors.AsType[redis.Error](err)
	word, rest, _ = strings.Cut(string(reply), " ")
	return word, rest
}

// redirects reports whether an answer says that the command was not executed, and where or when it can be.
func redirects(err error) bool {
	word, _ := errorReply(err)
	return word == "MOVED" || word == "ASK" || word == "TRYAGAIN"
}
