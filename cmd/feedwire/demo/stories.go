package demo

// demoStory is one post. Its body is HTML and well-formed XML with relative links.
type demoStory struct {
	slug, title, author, summary, body string
}

// harbourStories are the posts of /harbour.rss, oldest first. The first six stand in it from the start.
func harbourStories() []demoStory {
	return []demoStory{
		{"crane-seven", "Crane seven learns to whistle", "Ilse Brandt",
			"A loose grating turned the oldest crane of the harbour into an instrument.",
			`<p>For three nights people on the north quay heard a low, patient note whenever the wind stood in the west. The
harbour office counted eleven calls, two of them from people who wanted to know the composer.</p>
<p>On Tuesday a fitter climbed <a href="/posts/crane-register">crane seven</a> with a torch and found the reason: one
loose grating, forty metres up, humming like the reed of an organ.</p>
<blockquote><p>I tightened three bolts and left the fourth. It would have been a pity.</p></blockquote>
<p>The note is now a little higher, and nobody has complained since.</p>`},
		{"tide-table", "Why the printed tide table still sells", "Ilse Brandt",
			"Four hundred copies, every year, to people who all own a telephone.",
			`<p>The harbour bookshop orders four hundred tide tables each autumn and has none left by February. All of the
buyers carry a telephone that knows the tide to the minute.</p>
<h2>What paper can do</h2>
<ul><li>It works with wet gloves.</li><li>It shows the whole month at one look.</li><li>It can be written on: half of
last year's copies came back with notes in the margin.</li></ul>
<p>The bookseller keeps those. She says they are the better log of the harbour, and she may be right: see
<a href="fog-signal">the story of the fog signal</a>, which began with a line in pencil.</p>`},
		{"crane-register", "Twelve cranes, one register", "Jonas Ekholm",
			"A book from 1911 knows more about the quay than the computer does.",
			`<p>In the harbour archive lies a register with a page for each crane: who built it, who drove it, what it dropped.
The last entry is from this spring.</p>
<figure><img src="/img/crane-register.svg" alt="A line of twelve cranes along a quay" width="640" height="360"/>
<figcaption>The north quay, as the register draws it.</figcaption></figure>
<p>The computer in the office next door holds the same cranes under other numbers. When a gear has to be ordered,
someone walks over and looks into the book.</p>`},
		{"fog-signal", "The fog signal that answered", "Marta Oyelaran",
			"Two horns, four seconds apart, and a note in the margin of a tide table.",
			`<p>A pilot noticed that the horn on the mole seemed to have an echo, but only on some days, and never from the
same side. She wrote the days into her <a href="/posts/tide-table">tide table</a>.</p>
<p>After a month the pattern was plain. It was no echo: a school across the bay had built a horn of its own and was
answering.</p>
<blockquote><p>We thought somebody should.</p><p>Class 7b</p></blockquote>
<p>The harbour master has asked them to stop in real fog, and to go on otherwise.</p>`},
		{"night-ferry", "A seat on the night ferry", "Jonas Ekholm",
			"The last boat carries bread, newspapers and eleven regulars.",
			`<p>The boat of 23:40 is on no poster. It carries bread for the island, tomorrow's newspapers, and whoever knows
that it goes.</p>
<h2>The regulars</h2>
<ol><li>a nurse who sleeps from the first buoy to the last,</li><li>two brothers who have played the same card game
since 2009,</li><li>a man with a cello, who does not play it on board.</li></ol>
<p>On some nights the crew switches off the deck lights at the halfway mark. Nobody is told why. One looks up, and
knows.</p>`},
		{"rope-walk", "Three hundred metres of rope, made walking", "Marta Oyelaran",
			"The rope walk is as long as the rope. There is no shortcut.",
			`<p>To lay a rope of three hundred metres one needs a building of three hundred metres, and somebody who walks it
backwards, twice a day.</p>
<figure><img src="../img/rope-walk.svg" alt="A long low hall with a single window at its end" width="640"
height="360"/></figure>
<p>The machine in the shed could do it in a tenth of the length. The sailmaker tried its rope for one season and came
back: it was as strong, he said, but it did not lie still.</p>
<p>There is a film of the walk, four minutes long, in one take:</p>
<iframe src="https://video.example/embed/rope-walk" width="560" height="315" title="The rope walk"></iframe>`},
		{"seal-berth", "Berth 14 is taken", "Ilse Brandt",
			"A seal has moved in, and the harbour has drawn up a contract.",
			`<p>Since Sunday a grey seal has slept on the steps of berth 14. The yacht that rents it is at sea until May.</p>
<p>The harbour office has sent the owners a form, <em>sublease of a berth</em>, filled in as far as possible. Under
<strong>length over all</strong> it says: about two metres.</p>
<blockquote><p>Accepted. The tenant may stay. Please do not raise the rent.</p></blockquote>`},
		{"salt-scale", "The scale that is always wrong", "Jonas Ekholm",
			"It shows two kilograms too many, and everyone knows.",
			`<p>The scale at the fish hall shows two kilograms too many. It has done so since a winter in which somebody stored
salt beneath it.</p>
<p>It was never repaired, because everyone subtracts. A new scale, bought in June, shows the truth, and for a week
all of them were two kilograms short.</p>
<p>The old one is back. The new one weighs <a href="/posts/seal-berth">the seal</a>.</p>`},
		{"harbour-clock", "Ten past, by the harbour clock", "Marta Oyelaran",
			"The clock on the customs house is wrong on purpose.",
			`<p>The clock on the customs house has been four minutes fast for as long as anyone remembers. Visitors report it.
Residents do not.</p>
<h2>A reason, perhaps</h2>
<p>The ferry used to leave on the hour by the clock of the pier, which was right. Four minutes is what it takes to
walk from one to the other, with a suitcase.</p>
<p>The <a href="night-ferry">night ferry</a> leaves when everybody is there.</p>`},
		{"blue-paint", "Eleven blues", "Ilse Brandt",
			"The pilot boats are blue. The question is which.",
			`<p>When the paint for the pilot boats ran out, the yard ordered <q>the same blue</q>. It arrived in eleven tins, each
a little different, each with the same number.</p>
<ul><li>Boat one is the blue of a school notebook.</li><li>Boat two is the blue of a gas flame.</li><li>Boat three was
painted at dusk, and nobody is sure.</li></ul>
<figure><img src="/img/blue-paint.svg" alt="Three boats in three blues" width="640" height="360"/><figcaption>One, two,
three.</figcaption></figure>
<p>From the mole, in the rain, they look alike.</p>`},
		{"lost-anchor", "Found: one anchor", "Jonas Ekholm",
			"Somebody has lost three tonnes of iron and not noticed.",
			`<p>The dredger brought up an anchor on Thursday: three tonnes, good condition, no name. The harbour has put it on the
lawn with a sign.</p>
<blockquote><p>Found. Owner please call. Bring a lorry.</p></blockquote>
<p>So far there have been four calls. Three asked whether one may sit on it. One may.</p>`},
		{"lamp-room", "The last keeper of the lamp room", "Marta Oyelaran",
			"The light has run by itself for thirty years. Somebody still winds the clock.",
			`<p>The lamp on the mole has lit itself since 1994. The room behind it has a desk, a stove and a clock that has to be
wound every eighth day.</p>
<p>It is wound. The key hangs at the <a href="/posts/harbour-clock">customs house</a>, with a list of names that is now
in its third sheet.</p>
<h2>How to join</h2>
<p>Ask for the key. Bring it back.</p>`},
	}
}

// observatoryStories are the entries of /observatory.atom, oldest first.
func observatoryStories() []demoStory {
	return []demoStory{
		{"quiet-comet", "A comet that nobody ordered", "Dr. Amina Sol",
			"Found on a plate that was taken of something else.",
			`<p>The plate was meant for a cluster in Cassiopeia. In its lower corner stands a smudge that is on no other plate of
that week.</p>
<h2>Where to look</h2>
<ol><li>Find the bright W of Cassiopeia.</li><li>Go down from its last stroke, three fingers wide.</li><li>Wait until
your eyes have stopped expecting anything.</li></ol>
<p>It will not be back for eleven thousand years, so <em>this week</em> is a good one.</p>`},
		{"dome-squeak", "On the squeak of the west dome", "Peter Lindqvist",
			"It has three notes, and they tell the time.",
			`<p>The west dome squeaks at three places of its turn. Observers learn them without noticing, and know in the dark
which way they are looking.</p>
<figure><img src="/img/west-dome.svg" alt="The west dome with its shutter half open" width="640" height="360"/>
<figcaption>The shutter, half open.</figcaption></figure>
<p>Last month it was oiled. For two nights everything was pointed a little to the left. The oil has been wiped off
again.</p>`},
		{"cloud-log", "Four hundred nights of cloud", "Dr. Amina Sol",
			"What an observatory writes down when there is nothing to see.",
			`<p>The log of the small telescope has four hundred entries that say <q>cloud</q>. They are not all the same.</p>
<blockquote><p>Cloud. Stayed up in case. Soup at three.</p></blockquote>
<p>Read one after the other they are a good description of the valley: where the fog comes from, who was awake, and
what there was to eat. A student is making a map of it. See also <a href="dome-squeak">the squeak of the dome</a>.</p>`},
		{"borrowed-star", "The star we borrowed", "Peter Lindqvist",
			"Every guide star has served somebody else before.",
			`<p>To hold a telescope still for an hour one picks a star beside the thing one wants to see, and never lets go of
it. The picked star is not studied. It only has to be there.</p>
<p>Ours had been picked by an observer in 1957, too, for the same patch of sky. His note said: <strong>reliable</strong>.
We have nothing to add.</p>`},
	}
}

// gardenStories are the items of /garden.json, oldest first.
func gardenStories() []demoStory {
	return []demoStory{
		{"slow-compost", "Compost, slowly", "Noor van Dijk",
			"The heap has been told to take its time.",
			`<p>The book says six weeks. The heap behind the glasshouse has been at it for two years, and what comes out at its
foot is black, cool and smells of rain.</p>
<h2>What goes in</h2>
<ul><li>leaves, but not of the walnut</li><li>last year's beans, with their strings</li><li>one shovel of
<a href="/posts/old-soil">old soil</a>, so that the new one knows what to do</li></ul>
<p>And nothing that was ever called instant.</p>`},
		{"old-soil", "A spoonful of old soil", "Noor van Dijk",
			"More lives in it than in the whole town.",
			`<p>Under the lens a spoonful of the north bed is a city at rush hour. Under the lens a spoonful of the bag from the
shop is a car park at night.</p>
<figure><img src="/img/old-soil.svg" alt="A spoon of dark soil" width="640" height="360"/><figcaption>About four grams.
</figcaption></figure>
<p>We have mixed them. It took a summer.</p>`},
		{"pear-wall", "The pear that leans on the wall", "Samuel Okafor",
			"Planted by mistake, kept on purpose.",
			`<p>The pear at the south wall is no espalier. It was heeled in there for a weekend, in 1988, and the weekend was
busy.</p>
<blockquote><p>It leans because the wall is warm. So do I.</p></blockquote>
<p>It bears every second year, and in between it looks as if it were thinking about it.</p>`},
		{"rain-barrel", "A barrel, a tap, a queue", "Samuel Okafor",
			"In a dry July the rain barrel became the place to be.",
			`<p>There are nine gardens and one barrel. In the dry July the queue began at six, with cans in all colours.</p>
<p>By the end of the month it had a bench, a shelf for books and a rule: <em>whoever draws the last can tells a
story</em>. It rained on the second of August. The bench has stayed.</p>
<iframe src="https://video.example/embed/rain-barrel" width="560" height="315" title="The first rain"></iframe>`},
	}
}
