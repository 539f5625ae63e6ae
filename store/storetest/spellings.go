package storetest

import (
	"fmt"
	"strings"
)

// Spellings returns hosts of URLs that must never be dialled in the default configuration: 127.0.0.<last>, 1 to 9, in every
// notation that a program may read as that address, and other addresses of loopback, private networks and cloud metadata.
// Some are no valid hosts.
func Spellings(last int) []string {
	var all []string
	for _, format := range strings.Fields(`
		127.0.0.%[1]d 127.0.0.%[1]d. 127.0.0.%[1]d.. 127.%[1]d 127.0.%[1]d 127.0.0x%[1]d 127.0.0.0x%[1]d 127.0.0.0%[1]d 127.000.000.00%[1]d
		0x7f.0.0.%[1]d 0X7F.0.0.%[1]d 0x7f.0x0.0x0.0x%[1]d 0x7f.%[1]d 0x7f.0x%[1]d 0x7f00000%[1]d 0X7F00000%[1]d 0x000000007f00000%[1]d
		0177.0.0.%[1]d 0177.0.0.0%[1]d 0177.%[1]d 01770000000%[1]d 0001770000000%[1]d 213070643%[2]d 213070643%[2]d. 383.0.0.%[1]d
		①②⑦.⓪.⓪.%[3]c １２７.0.0.%[1]d １２７．０．０．%[1]d 127。0。0。%[1]d 127｡0｡0｡%[1]d 𝟙𝟚𝟟.0.0.%[1]d ①②⑦.%[1]d ２１３０７０６４３%[2]d
		user@127.0.0.%[1]d user:pass@127.0.0.%[1]d example.com@127.0.0.%[1]d example.com:80@127.0.0.%[1]d @127.0.0.%[1]d
		127.0.0.%[1]d#@example.com 127.0.0.%[1]d?@example.com 127.0.0.%[1]d%%00.example.com 127.0.0.%[1]d%%20 127.0.0.%[1]d\@example.com
		[::ffff:127.0.0.%[1]d] [::ffff:7f00:%[1]d] [::FFFF:7F00:000%[1]d] [0:0:0:0:0:ffff:7f00:%[1]d] [::ffff:0:127.0.0.%[1]d]
		[0000:0000:0000:0000:0000:ffff:127.0.0.%[1]d] [::127.0.0.%[1]d] [::7f00:%[1]d] [64:ff9b::7f00:%[1]d] [64:ff9b::127.0.0.%[1]d]
		[64:ff9b:1::7f00:%[1]d] [64:ff9b:1:fffe::127.0.0.%[1]d] [2002:7f00:%[1]d::] [2002:7f00:%[1]d::1] [2001:0:7f00:%[1]d::]
		user@[::ffff:127.0.0.%[1]d] [::ffff:127.0.0.%[1]d%%25lo]`) {
		all = append(all, fmt.Sprintf(format, last, last+7, '①'+rune(last-1))) // 2130706433 is 127.0.0.1
	}
	return append(all, strings.Fields(`
		[::1] [0:0:0:0:0:0:0:1] [0000::0001] [::1%25lo] [::] 0.0.0.0 0 0x0 00 127.255.255.254 localhost LOCALHOST localhost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
		feed.localhost 10.0.0.1 172.16.0.1 172.31.255.254 192.168.0.1 100.64.0.1 [fc00::1] [fd00::1] [fe80::1] [fe80::1%25lo] [fec0::1]
		169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe]
		[2002:a9fe:a9fe::] [fd00:ec2::254] [fe80::a9fe:a9fe] 192.0.0.192 100.100.100.200 168.63.129.16 [::ffff:10.0.0.1] [2002:c0a8:101::]
		198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 [ff02::1] [2001:db8::1]`)...)
}
