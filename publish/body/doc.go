// Package body sanitises the HTML of an entry for readers and consumers that show it unchanged. The result is a safe,
// balanced fragment of bounded depth with absolute addresses, which loads no code. Warnings name what was removed or
// replaced.
//
// Clean has three steps. The writer (clean.go, nest.go, table.go) reads the source's tags once and writes the allowed ones,
// correctly nested. bluemonday (policy.go) applies the same allowlist again: the only step not written here protects readers
// from a mistake in the writer. balance.go proves that an HTML parser reads the result exactly as it is written, so that no
// mutation of it is dangerous. The second and third step are skipped if a stricter and faster check (settled.go) proves that they
// return the markup as it is: plain prose with links, lists and images.
//
// bluemonday with only an address resolver in front of it (parse, resolve, render, sanitise) cannot
// replace the writer: 70 of the tests here fail. It loses images that scripts would load, turns players into empty frames
// where links should be, does not bound the depth, cannot warn, and breaks tables; its result changes when it is parsed
// again.
package body
