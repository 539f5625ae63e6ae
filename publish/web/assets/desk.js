// Keys for what pages can do anyway, picking all at once, and pages of articles that follow what happens.
"use strict";

const saying = document.querySelector("[data-say]");
const places = { o: "/", a: "/articles", s: "/sources", f: "/feeds", l: "/signals" };
let going = 0; // until when a key after g goes somewhere

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (going > Date.now()) {
    going = 0;
    if (places[event.key]) location.assign(places[event.key]);
    return;
  }
  const act = keys[event.key];
  if (act && act() !== false) event.preventDefault();
});

const keys = {
  g: () => { going = Date.now() + 1500; },
  j: () => step(1),
  k: () => step(-1),
  p: () => press("publish"),
  u: () => press("withdraw"),
  x: () => { const box = here()?.querySelector("[name=pick]"); if (!box) return false; box.click(); },
  z: () => { const undo = document.querySelector(".undo button"); if (!undo) return false; undo.click(); },
  "/": () => { const field = document.querySelector("[data-search], [type=search]"); if (!field) return false; field.focus(); field.select(); },
  "?": () => { document.getElementById("keys").showModal(); },
};

const rows = () => [...document.querySelectorAll("[data-row]")];

// here is the row with the focus, or else the only one.
function here() {
  const all = rows();
  return document.activeElement?.closest("[data-row]") || (all.length === 1 ? all[0] : null);
}

function step(by) {
  const all = rows();
  if (!all.length) return false;
  const at = all.indexOf(here());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
  (next.querySelector("th a, a") || next.querySelector("button"))?.focus();
  next.scrollIntoView({ block: "nearest" });
}

function press(what) {
  const button = here()?.querySelector(`[data-do=${what}]`);
  if (button) button.click();
  else say(here() ? "That cannot be done with it now." : "Go to an article first, with j.");
}

function say(text) {
  if (saying) saying.textContent = text;
}

// Picking. It is set up anew whenever the list was drawn anew.
function setUp() {
  const all = document.querySelector("[data-pick-all]");
  if (!all) return;
  const boxes = [...document.querySelectorAll("[name=pick]")];
  const told = document.querySelector("[data-picked]");
  const tell = () => {
    const n = boxes.filter((box) => box.checked).length;
    told.textContent = n ? `${n} selected:` : "With selected:";
    all.checked = n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
  };
  all.closest("label").hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; tell(); });
  for (const box of boxes) box.addEventListener("change", tell);
  tell();
}
setUp();

// Pages that follow: when the server says that something changed, the parts are taken from the page as it is now. What is
// picked, and where the focus is, stays.
const followed = document.querySelector("[data-live-page]");
if (followed && window.EventSource) {
  const stream = new EventSource(followed.dataset.livePage);
  stream.addEventListener("changed", refresh);
}

let loading = false, again = false;
async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok && !answer.redirected) redraw(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the next event comes */ } finally {
    loading = false;
    if (again) { again = false; refresh(); }
  }
}

function redraw(page) {
  const picked = new Set([...document.querySelectorAll("[name=pick]:checked")].map((box) => box.value));
  const focus = document.activeElement;
  const row = focus?.closest("[data-row]")?.dataset.row;
  const doing = focus?.dataset.do, picking = focus?.name === "pick";
  const link = focus?.closest("[data-part]") && focus.getAttribute("href");
  const said = headline();
  const before = states();
  for (const part of document.querySelectorAll("[data-part]:not([data-part=notice])")) {
    const news = page.querySelector(`[data-part=${part.dataset.part}]`);
    if (!news) continue;
    part.className = news.className;
    part.replaceChildren(...news.childNodes);
  }
  document.title = page.title;
  for (const box of document.querySelectorAll("[name=pick]")) box.checked = picked.has(box.value);
  if (row) {
    const same = rows().find((one) => one.dataset.row === row);
    (same?.querySelector(picking ? "[name=pick]" : doing ? `[data-do=${doing}]` : "th a, button") || same?.querySelector("th a"))?.focus();
  } else if (link) {
    document.querySelector(`[data-part] a[href="${CSS.escape(link)}"]`)?.focus();
  }
  setUp();
  if (headline() !== said) return say(headline());
  const news = [...states()].filter(([name, state]) => before.get(name) !== state);
  if (news.length === 1) say(news[0].join(": "));
  else if (news.length) say(`${news.length} articles changed.`);
}

const headline = () => document.querySelector("h1").lastChild.textContent.trim();

// states are the rows as they would be said.
function states() {
  return new Map(rows().map((one) => [
    (one.querySelector("th a") || one.querySelector("b"))?.textContent.trim(),
    [...one.querySelectorAll(".badge, .impressions")].map((part) => part.textContent.trim()).join(" "),
  ]));
}
