// A subscriber of the library LIBRARY at HUB for TOPIC. It prints what the library tells, each a line of JSON, and takes its
// leave when its input ends.
const { LIBRARY, HUB, TOPIC, PORT, SECRET } = process.env;
const subscriber = require(LIBRARY).createServer({ callbackUrl: `http://127.0.0.1:${PORT}/callback`, secret: SECRET });

for (const event of ["subscribe", "unsubscribe", "denied", "error", "feed"]) {
  subscriber.on(event, (about) => {
    console.log(JSON.stringify({ event, topic: about.topic, feed: about.feed?.toString(), error: String(about.error ?? "") }));
  });
}
subscriber.on("listen", () => subscriber.subscribe(TOPIC, HUB));
subscriber.listen(PORT, "127.0.0.1");
process.stdin.on("end", () => subscriber.unsubscribe(TOPIC, HUB)).resume();
