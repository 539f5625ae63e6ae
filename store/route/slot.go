package route

import (
	"fmt"
	"strings"
)

// slots is how many hash slots a cluster has (Redis Cluster specification, "Key distribution model").
const slots = 16384

// crcTable is the table of CRC-16/XMODEM: polynomial 0x1021, not reflected, start 0.
var crcTable = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()

// Slot returns the hash slot of a key. If the key has a non-empty part in braces, only the first such part counts.
func Slot(key string) int {
	if _, rest, found := strings.Cut(key, "{"); found {
		if tag, _, closed := strings.Cut(rest, "}"); closed && tag != "" {
			key = tag
		}
	}
	var crc uint16
	for i := range len(key) {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^key[i]]
	}
	return int(crc % slots)
}

// anySlot stands for a command that names no key.
const anySlot = -1

// slotOf returns the slot of the first key of a command. The caller ensures that the other keys are in the same slot.
func slotOf(command string, args []any) int {
	at := 0
	switch strings.ToUpper(command) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO":
		if len(args) > 1 && fmt.Sprint(args[1]) == "0" {
			return anySlot
		}
		at = 2
	case "XREAD", "XREADGROUP":
		for i, arg := range args {
			if word, ok := arg.(string); ok && strings.EqualFold(word, "STREAMS") {
				at = i + 1
				break
			}
		}
	case "XINFO", "XGROUP", "OBJECT", "MEMORY":
		at = 1
	case "PING", "INFO", "TIME", "SCRIPT", "CLUSTER", "CONFIG", "DBSIZE":
		return anySlot
	}
	if at >= len(args) {
		return anySlot
	}
	switch key := args[at].(type) {
	case string:
		return Slot(key)
	case []byte:
		return Slot(string(key))
	}
	return Slot(fmt.Sprint(args[at]))
}
