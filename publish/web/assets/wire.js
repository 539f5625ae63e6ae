// Pages that reload, buttons that copy an address or a link, and live signals.
"use strict";

let fresh = 0; // timer of the next version of the page; 0: the page is final
let freshEvery = null; // its meta element
keepFresh(document.querySelector("meta[name=refresh]"));
document.addEventListener("recovered", () => {
  if (!fresh) return;
  clearTimeout(fresh);
  renew();
});

// keepFresh replaces the content of the page by its current version, in intervals and after an outage.
function keepFresh(every) {
  freshEvery = every;
  fresh = every ? setTimeout(renew, every.content * 1000) : 0;
}

// renew waits while a person works in the page: with the focus, selected text or open details.
async function renew() {
  const main = document.querySelector("main");
  if (document.hidden || !getSelection().isCollapsed || main.contains(document.activeElement) || main.querySelector("[open]")) {
    return keepFresh(freshEvery);
  }
  let response;
  try {
    response = await fetch(location.href);
  } catch {
    return keepFresh(freshEvery); // the daemon is unreachable
  }
  if (response.status === 503) return keepFresh(freshEvery); // the page shows what it knows
  if (response.redirected) return location.reload(); // to the sign-in page
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of ["main", "footer"]) document.querySelector(part).replaceWith(page.querySelector(part));
  keepFresh(page.querySelector("meta[name=refresh]")); // no refresh: the page is final
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    if (field.select) field.select();
    else getSelection().selectAllChildren(field);
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// The table shows the newest mostRows signals. As many wait between two draws; older ones are dropped.
const mostRows = 200;
const drawEvery = 250; // ms
const announceEvery = 5000; // ms, so that screen readers keep up

const table = document.querySelector("table[data-live]");
if (table) follow(table);

function follow(table) {
  const rows = table.tBodies[0];
  const bar = document.querySelector(".live");
  const state = document.querySelector("[data-live-state]");
  const hold = document.querySelector("[data-live-hold]");
  const empty = document.querySelector("[data-live-empty]");
  const text = table.dataset.liveText.toLowerCase();
  let waiting = [], seen = 0, onHold = false, announced = 0, online = false;

  const announce = () => {
    announced = Date.now();
    state.textContent = (online ? "Live" : "Not live") + (seen ? ` · ${seen.toLocaleString("en")} since this page was opened` : "");
    bar.classList.toggle("on", online && !onHold);
  };
  const receive = (event) => {
    const signal = JSON.parse(event.data);
    if (!signal.feed_url.toLowerCase().includes(text)) return;
    seen++;
    table.dataset.liveSeen = seen;
    waiting.push(signal);
    if (waiting.length > mostRows) waiting.shift();
  };
  openStream(table.dataset.live, (stream) => {
    for (const kind of ["feed_created", "feed_modified", "post_created", "post_modified", "comment_created", "entry_voted", "list_modified"]) stream.addEventListener(kind, receive);
    stream.addEventListener("open", () => { online = true; announce(); });
    stream.addEventListener("error", () => { online = false; announce(); });
  });
  hold.addEventListener("click", () => {
    onHold = !onHold;
    hold.setAttribute("aria-pressed", onHold);
    announce();
  });
  bar.hidden = false;
  announce();

  setInterval(() => {
    if (Date.now() - announced > announceEvery && seen) announce();
    if (onHold || !waiting.length || document.hidden) return;
    const news = document.createDocumentFragment();
    for (const signal of waiting.reverse()) news.append(row(signal));
    waiting = [];
    rows.prepend(news);
    while (rows.rows.length > mostRows) rows.lastElementChild.remove();
    if (empty) empty.hidden = true;
  }, drawEvery);
}

// row returns the row of a signal, as the template signal-row renders it. Text of a source is never parsed as markup.
function row(signal) {
  const tr = element("tr", "row");
  const post = signal.post || {};
  const when = element("td", "cell", "when");
  const time = document.createElement("time");
  time.dateTime = time.title = signal.time;
  time.textContent = signal.time.slice(11, 19);
  when.append(link("/signals/" + encodeURIComponent(signal.id), time));
  const kind = element("td", "cell", "kind");
  kind.textContent = signal.kind.replaceAll("_", " ");
  const about = element("th", "rowheader");
  about.scope = "row";
  const name = document.createElement("span");
  name.dir = "auto";
  name.textContent = post.title || signal.guid || subject(signal);
  about.append(/^https?:\/\//i.test(post.link || "") ? link(post.link, name) : name);
  if (name.textContent !== signal.feed_url) {
    const from = document.createElement("span");
    from.className = "from";
    from.textContent = signal.feed_url;
    about.append(" ", from);
  }
  const changed = element("td", "cell", "changed");
  changed.textContent = Object.keys(signal.changed || {}).sort().join(", ");
  tr.append(when, kind, about, changed);
  return tr;
}

// subject returns what a signal is about that is not about a post, as feed.Signal.Subject does.
function subject(signal) {
  switch (signal.kind) {
    case "comment_created": return `${signal.entry} comment ${signal.comment}`;
    case "entry_voted": return `${signal.entry} +${signal.votes.up} −${signal.votes.down}`;
    case "list_modified": return `list ${signal.list}`;
  }
  return signal.feed_url;
}

function element(name, role, className = "") {
  const e = document.createElement(name);
  e.setAttribute("role", role);
  e.className = className;
  return e;
}

function link(to, child) {
  const a = document.createElement("a");
  a.href = to;
  a.append(child);
  return a;
}
