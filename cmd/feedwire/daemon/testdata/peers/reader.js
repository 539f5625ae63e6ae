// A reader app that syncs with SITE as NAME by the Fever API, with fresh-ts, a library for FreshRSS. It marks the first unread entry as
// read and the second one as saved, and prints what it sees as JSON.
const { SITE, NAME, PASSWORD } = process.env;
const { FreshFetchClient } = require("fresh-ts");

async function sync() {
  const client = new FreshFetchClient({ host: SITE, username: NAME, password: PASSWORD });
  const { feeds } = await client.getFeeds();
  const { groups, feeds_groups: members } = await client.getGroups();
  const [first, second] = await client.getUnreads();
  await client.setMark("read", first.id);
  await client.setMark("saved", second.id);
  const titles = (items) => items.map((item) => item.title);
  console.log(JSON.stringify({
    feeds: feeds.map((feed) => feed.url),
    groups: groups.map((group) => group.title),
    grouped: members[0].feed_ids === String(feeds[0].id),
    first: first.title,
    content: first.html,
    unread: titles(await client.getUnreads()),
    saved: titles(await client.getSaved()),
    all: titles(await client.getItemsFromDates(0)),
  }));
}

sync().catch((error) => {
  console.error(error);
  process.exit(1);
});
