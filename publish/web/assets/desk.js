// Keyboard shortcuts, the selection of all rows, and pages of articles that update themselves.
"use strict";

const announcer = document.querySelector("[data-announce]"); // read by screen readers
const places = { o: "/", i: "/inbox", a: "/articles", s: "/sources", f: "/feeds", l: "/signals", r: "/read" };
let goUntil = 0; // ms; a key before this time completes g
let undo = null; // takes back the last change without a reload; null: there was none

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (goUntil > Date.now()) {
    goUntil = 0;
    if (places[event.key]) location.assign(places[event.key]);
    return;
  }
  const act = keys[event.key];
  if (act && act() !== false) event.preventDefault();
});

const keys = {
  g: () => { goUntil = Date.now() + 1500; },
  j: () => step(1),
  k: () => step(-1),
  p: () => press("publish"),
  w: () => press("withdraw"),
  s: () => { const box = currentRow()?.querySelector("[name=pick]"); if (!box) return false; box.click(); },
  u: () => undoLast(),
  z: () => undoLast(),
  "/": () => {
    const field = document.querySelector("[data-search], [type=search]");
    const page = document.querySelector('.places a[href="/search"]');
    if (field) { field.focus(); field.select(); } else if (page) location.assign(page.href);
    else return false;
  },
  "?": () => { document.getElementById("keys").showModal(); },
};

function undoLast() {
  const button = document.querySelector(".undo button");
  if (undo) undo();
  else if (button) button.click();
  else return false;
}

const rows = () => [...document.querySelectorAll("[data-row]")];

// currentRow returns the row with the focus, or else the only row.
function currentRow() {
  const all = rows();
  return document.activeElement?.closest("[data-row]") || (all.length === 1 ? all[0] : null);
}

function step(by) {
  const all = rows();
  if (!all.length) return false;
  const at = all.indexOf(currentRow());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
  (next.querySelector("th a, a") || next.querySelector("button"))?.focus();
  next.scrollIntoView({ block: "nearest" });
}

function press(action) {
  const button = currentRow()?.querySelector(`[data-do=${action}]`);
  if (button) button.click();
  else announce(currentRow() ? "This action is not possible for the article now." : "Press j to go to an article first.");
}

function announce(text) {
  if (announcer) announcer.textContent = text;
}

// setUpSelection connects the box that selects all rows. It runs again whenever the list is redrawn.
function setUpSelection() {
  const all = document.querySelector("[data-pick-all]");
  if (!all) return;
  const boxes = [...document.querySelectorAll("[name=pick]")];
  const count = document.querySelector("[data-picked]");
  const update = () => {
    const n = boxes.filter((box) => box.checked).length;
    count.textContent = n ? `${n} selected:` : "With selected:";
    for (const button of all.closest(".bulk").querySelectorAll("button")) button.disabled = !n;
    all.checked = n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
  };
  all.closest("label").hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; update(); });
  for (const box of boxes) box.addEventListener("change", update);
  update();
}
setUpSelection();

// Live pages: on an event of the server, each part is replaced by its current version. Selection and focus stay.
const live = document.querySelector("[data-live-page]");
if (live) {
  openStream(live.dataset.livePage, (stream) => stream.addEventListener("changed", refresh));
  document.addEventListener("recovered", refresh);
}

const redrawn = {}; // functions that redraw a part in their own way, by its name
let loading = false, stale = false;
let held = false; // a person changes the page, and it must not be redrawn until refreshHeld
let holds = 0; // how often that was so: a page from before shows nothing of the change
async function refresh() {
  if (loading || held) { stale = true; return; }
  loading = true;
  const before = holds;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (held || holds !== before) stale = true;
    else if (response.ok && !response.redirected) redraw(page);
  } catch { /* the next event tries again */ } finally {
    loading = false;
    refreshHeld();
  }
}

// refreshHeld refreshes the page if that was put off.
function refreshHeld() {
  if (held || !stale) return;
  stale = false;
  refresh();
}

function redraw(page) {
  const picked = new Set([...document.querySelectorAll("[name=pick]:checked")].map((box) => box.value));
  const focus = document.activeElement;
  const row = focus?.closest("[data-row]")?.dataset.row;
  const doing = focus?.dataset.do, picking = focus?.name === "pick";
  const link = focus?.closest("[data-part]") && focus.getAttribute("href");
  const headlineBefore = headline();
  const before = states();
  for (const part of document.querySelectorAll("[data-part]:not([data-part=notice])")) {
    const news = page.querySelector(`[data-part=${part.dataset.part}]`);
    if (!news) continue;
    part.className = news.className;
    if (redrawn[part.dataset.part]) redrawn[part.dataset.part](part, news);
    else part.replaceChildren(...news.childNodes);
  }
  document.title = page.title;
  for (const box of document.querySelectorAll("[name=pick]")) box.checked = picked.has(box.value);
  if (row) {
    const same = rows().find((one) => one.dataset.row === row);
    (same?.querySelector(picking ? "[name=pick]" : doing ? `[data-do=${doing}]:enabled` : "th a, button") || same?.querySelector("th a, button"))?.focus();
  } else if (link) {
    document.querySelector(`[data-part] a[href="${CSS.escape(link)}"]`)?.focus();
  }
  setUpSelection();
  document.dispatchEvent(new Event("redrawn"));
  if (headline() !== headlineBefore) return announce(headline());
  const news = [...states()].filter(([name, state]) => state && before.get(name) !== state);
  if (news.length === 1) announce(news[0].join(": "));
  else if (news.length) announce(`${news.length} articles changed.`);
}

const headline = () => document.querySelector("h1").lastChild.textContent.trim();

// states returns the text of each row by its title.
function states() {
  return new Map(rows().map((one) => [
    (one.querySelector("th a") || one.querySelector("b"))?.textContent.trim(),
    [...one.querySelectorAll(".badge, .impressions")].map((part) => part.textContent.trim()).join(" "),
  ]));
}
