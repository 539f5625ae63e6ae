// The pages of readers: local times, marks without a reload, keys, swipes, new entries that wait, and the player.
"use strict";

navigator.serviceWorker?.register("/read/worker.js", { scope: "/read" }).catch(() => {}); // without it, pages need the network

for (const time of document.querySelectorAll("main time")) {
  const at = new Date(time.dateTime);
  time.title = at.toLocaleString();
  if (!/ago|now/.test(time.textContent)) time.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

// Pictures that cannot be shown leave no gap. Those of a text show their description.
for (const picture of document.querySelectorAll("img.picture, .text img")) {
  const collapse = () => {
    if (picture.matches(".picture")) picture.hidden = true;
    else for (const side of ["width", "height"]) picture.removeAttribute(side);
  };
  if (picture.complete && !picture.naturalWidth) collapse();
  else picture.addEventListener("error", collapse);
}

// Forms with data-do change one entry. The page follows without a reload.
const opposite = { read: "unread", unread: "read", save: "unsave", unsave: "save" };
const verbs = { read: "Mark as read", unread: "Mark as unread", save: "Save", unsave: "Unsave" };
const said = { read: "Read", unread: "Unread", save: "Saved", unsave: "No longer saved" };

document.addEventListener("submit", (event) => {
  if (!event.submitter?.matches("[data-do=mark], [data-do=save]")) return;
  event.preventDefault();
  change(event.submitter);
});

async function change(button) {
  const form = button.form, [, path, did] = form.action.match(/^(.*\/)(\w+)$/);
  let response;
  button.disabled = true;
  try {
    response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
  } catch {
    return announce("The change was not saved: the server is unreachable.");
  } finally {
    button.disabled = false;
  }
  if (response.type !== "opaqueredirect") return form.submit(); // shows the reason
  const next = opposite[did], name = button.ariaLabel.slice(verbs[did].length);
  form.action = path + next;
  button.textContent = verbs[next];
  button.ariaLabel = verbs[next] + name;
  undo = () => change(button);
  if (button.dataset.do === "mark") {
    const row = button.closest("[data-row]");
    row.classList.remove("new");
    row.classList.toggle("read", did === "read");
    row.querySelector("[data-state]")?.replaceChildren(did === "read" ? " · read" : "");
    countUnread(row.dataset.row, did === "read" ? -1 : 1);
  }
  announce(said[did] + name);
}

// countUnread changes the numbers of unread entries: of all, of a source and of its folder.
function countUnread(source, by) {
  const followed = document.querySelector(`[data-source="${source}"]`), folder = followed?.parentElement.previousElementSibling;
  for (const part of [document.querySelector(".views"), followed, folder]) {
    const count = part?.querySelector("[data-unread]");
    if (!count) continue;
    count.textContent = Math.max(0, Number(count.textContent) + by);
    (count.closest(".unread") ?? count).hidden = count.textContent === "0";
  }
}

// Keys. Those of the desk that act on articles do nothing here.
const entry = document.querySelector(".entry");
const pressed = (what) => () => { const button = currentRow()?.querySelector(`[data-do=${what}]`); if (!button) return false; change(button); };
const follow = (selector) => () => { const link = document.querySelector(selector); if (!link) return false; link.click(); };
Object.assign(keys, {
  m: pressed("mark"),
  s: pressed("save"),
  v: () => { const link = currentRow()?.querySelector("[data-original]"); if (!link) return false; window.open(link.href, "_blank", "noopener"); },
  ...(entry && { j: follow("a[rel=next]"), k: () => { history.back(); }, u: follow("[data-up]") }),
});

// Swipes over a row: to the right marks it, to the left saves it.
let touch = null;
document.addEventListener("touchstart", (event) => {
  const row = event.touches.length === 1 && !event.target.closest("pre, audio, video") && event.target.closest("[data-row]");
  touch = row ? { row, x: event.touches[0].clientX, y: event.touches[0].clientY } : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (!touch) return;
  const x = event.changedTouches[0].clientX - touch.x, y = event.changedTouches[0].clientY - touch.y;
  const button = touch.row.querySelector(x > 0 ? "[data-do=mark]" : "[data-do=save]");
  touch = null;
  if (button && Math.abs(x) > 90 && Math.abs(y) < 40) change(button);
}, { passive: true });

// Rows that leave the window at its top are marked, if the reader wants that.
const scrolled = document.querySelector("[data-on-scroll]");
if (scrolled) {
  const box = scrolled.querySelector("input");
  scrolled.hidden = false;
  box.checked = localStorage.getItem("mark-on-scroll") === "1";
  box.addEventListener("change", () => localStorage.setItem("mark-on-scroll", box.checked ? "1" : "0"));
  const seen = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting, boundingClientRect } of changes) {
      const button = target.querySelector("[data-do=mark]");
      if (box.checked && !isIntersecting && boundingClientRect.bottom < 0 && !target.matches(".read") && !button.disabled) change(button);
    }
  });
  for (const row of rows()) seen.observe(row);
}

// New entries wait behind a button, so that the list never moves.
const waiting = document.querySelector("[data-waiting]");
const checkEvery = 120_000; // ms
if (waiting) setInterval(checkForNew, checkEvery);

async function checkForNew() {
  if (document.hidden) return;
  let page;
  try {
    const response = await fetch(location.href);
    if (!response.ok || response.redirected) return;
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return;
  }
  const links = (within) => [...within.querySelectorAll("[data-row] h2 a")].map((link) => link.getAttribute("href"));
  const first = links(document)[0], all = links(page), count = first ? all.indexOf(first) : all.length;
  waiting.hidden = count === 0;
  waiting.textContent = count > 0 ? `${count} new` : "New entries";
}
waiting?.addEventListener("click", () => { scrollTo(0, 0); location.reload(); });

// The player goes on where it was, at the speed that the reader chose.
for (const player of document.querySelectorAll("audio, video")) {
  const key = "position " + player.src;
  const speed = document.createElement("button");
  const speeds = [1, 1.25, 1.5, 2];
  const setSpeed = (value) => {
    player.playbackRate = player.defaultPlaybackRate = value;
    speed.textContent = `${value}×`;
    speed.ariaLabel = `Speed ${value}`;
    localStorage.setItem("speed", value);
  };
  speed.type = "button";
  speed.className = "second speed";
  setSpeed(Number(localStorage.getItem("speed")) || 1);
  speed.addEventListener("click", () => setSpeed(speeds[(speeds.indexOf(player.playbackRate) + 1) % speeds.length]));
  player.after(speed);
  let stored = 0;
  player.addEventListener("loadedmetadata", () => { player.currentTime = Number(localStorage.getItem(key)) || 0; });
  player.addEventListener("timeupdate", () => {
    if (Math.abs(player.currentTime - stored) < 5) return;
    stored = player.currentTime;
    localStorage.setItem(key, stored);
  });
  player.addEventListener("ended", () => localStorage.removeItem(key));
}
