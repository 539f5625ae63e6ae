// An open page shows that the daemon or its store is gone, and since when. It asks while it is visible only.
"use strict";

const askEvery = 2000; // ms, less up to a quarter, so that many pages do not ask at once
const askAgain = 300; // ms
const askTimeout = 2500; // ms; with askEvery, an outage shows within 5 seconds
const recoverWithin = 2000; // ms, over which pages spread their requests after an outage

const outage = document.querySelector("[data-outage]");
let lastAnswer = new Date(), lost = ""; // lost: what is gone
let asking = 0; // timer of the next request

// clock returns a time as pages show it.
const clock = (time) => time.toISOString().slice(11, 19) + " UTC";

async function ask(again) {
  clearTimeout(asking);
  if (document.hidden) return; // until the page is shown
  let gone = "";
  try {
    const response = await fetch("/alive", { cache: "no-store", signal: AbortSignal.timeout(askTimeout) });
    if (response.status === 503) gone = (await response.text()) || "The daemon is unavailable.";
    else if (response.status >= 500) gone = "The daemon is unavailable.";
  } catch (err) {
    if (again !== true && err.name !== "TimeoutError") { // it also fails while the browser leaves the page
      asking = setTimeout(ask, askAgain, true);
      return;
    }
    gone = "The daemon does not answer.";
  }
  if (document.hidden) return; // the browser may have cut the request
  if (gone) lose(gone);
  else recover();
  asking = setTimeout(ask, askEvery * (1 - Math.random() / 4));
}

function lose(what) {
  document.documentElement.classList.add("outdated");
  if (lost !== what) show(`${what} This page shows the state of ${clock(lastAnswer)}. It updates when the connection is back.`);
  lost = what;
}

function recover() {
  const since = lastAnswer;
  lastAnswer = new Date();
  if (!lost) return;
  lost = "";
  setTimeout(() => {
    if (lost) return;
    document.documentElement.classList.remove("outdated");
    if (document.documentElement.dataset.unavailable !== undefined || document.querySelector("[data-stale]")) return location.reload();
    document.dispatchEvent(new Event("recovered"));
    if (document.querySelector("[data-live-page], [data-live], meta[name=refresh]")) return show("");
    show(`The connection is back. This page shows the state of ${clock(since)}. `);
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = "Reload";
    outage.append(again);
  }, Math.random() * recoverWithin);
}

function show(text) { outage.textContent = text; }

// openStream opens a stream of events, and again after an outage: a browser gives up after a response that is no stream.
function openStream(address, listen) {
  let stream;
  const open = () => {
    stream = new EventSource(address);
    listen(stream);
  };
  document.addEventListener("recovered", () => { if (stream.readyState === EventSource.CLOSED) open(); });
  open();
}

if (outage) {
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
  asking = setTimeout(ask, Math.random() * askEvery);
}
