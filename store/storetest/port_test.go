package storetest

import "testing"

func TestProcessesReserveDifferentPorts(t *testing.T) {
	firsts := make(map[int]bool)
	for range 10 { // a lock belongs to the open file, so that each block is another process here
		var b block
		if err := b.reserve(); err != nil {
			t.Fatal(err)
		}
		defer b.lock.Close()
		if firsts[b.first] {
			t.Errorf("port %d is reserved twice", b.first)
		}
		firsts[b.first] = true
	}
}

func TestServerWhosePortIsTakenMovesToAnother(t *testing.T) {
	first := RedisTCP(t)
	second := newServer(t, "tcp", "--save", "", "--appendonly", "no")
	second.addr = first.addr // as if another program had been faster
	second.start()
	if second.addr == first.addr {
		t.Fatalf("two servers listen at %s", first.addr)
	}
	Commands(t, second.Dial).Do("SET", "greeting", "Good evening, harbour")
	if n := Commands(t, first.Dial).Int("DBSIZE"); n != 0 {
		t.Errorf("the first server has %d keys of the second one", n)
	}
}
