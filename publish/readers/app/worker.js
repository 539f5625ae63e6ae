// The service worker of readers: pages that were loaded can be read while the network is away. It stores pages of one account only.
"use strict";

const store = "read";
const most = 200; // pages and files

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  const page = request.mode === "navigate";
  if (request.method !== "GET" || origin !== location.origin || !(page || /^\/(assets|read\/images)\//.test(pathname))) return;
  event.respondWith(answer(request, page));
});

async function answer(request, page) {
  let response;
  try {
    response = await fetch(request);
  } catch {
    const cache = await caches.open(store);
    return (await cache.match(request)) || (page && (await cache.match("/read"))) || Response.error();
  }
  if (page && (response.type === "opaqueredirect" || !(await isSameReader(response)))) await caches.delete(store); // to the sign-in page
  if (response.ok) await keep(request, response.clone());
  return response;
}

// isSameReader reports whether a page is of the account whose pages are stored, or of no account.
async function isSameReader(response) {
  const reader = response.headers.get("X-Feedwire-Reader");
  const stored = await (await caches.open(store)).match("/read/reader");
  return !reader || !stored || (await stored.text()) === reader;
}

async function keep(request, response) {
  const cache = await caches.open(store);
  const reader = response.headers.get("X-Feedwire-Reader");
  if (reader) await cache.put("/read/reader", new Response(reader));
  await cache.put(request, response);
  const keys = await cache.keys();
  for (const key of keys.slice(1, Math.max(1, keys.length - most))) await cache.delete(key);
}
