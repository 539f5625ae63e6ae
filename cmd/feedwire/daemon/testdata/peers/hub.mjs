// A hub of @dwk/websub for the topic TOPIC, that reaches what is at HOSTS: its queue is the event loop, and its store a map.
import http from "node:http";
import { createWebSub, createWebSubQueueConsumer } from "@dwk/websub";

const { PORT, TOPIC, HOSTS } = process.env, baseUrl = `http://127.0.0.1:${PORT}/`;
const config = { baseUrl, allowedTopics: [TOPIC], fetchAllowedHosts: HOSTS.split(" ") };
const all = new Map(), key = (callback, topic) => callback + " " + topic;
const store = {
  async upsert(s) {
    all.set(key(s.callback, s.topic), { ...s, secret: s.secret ?? null, createdAt: s.now, expiresAt: s.now + 1000 * s.leaseSeconds });
  },
  async remove(callback, topic) { all.delete(key(callback, topic)); },
  async get(callback, topic) { return all.get(key(callback, topic)) ?? null; },
  async listActive(topic, now) { return [...all.values()].filter((s) => s.topic === topic && s.expiresAt > now); },
  async pruneExpired() { return 0; },
};
const consume = createWebSubQueueConsumer(config, { store }), hub = createWebSub(config);

function work(body, attempts = 1) {
  setTimeout(() => consume({ messages: [{ body, attempts, ack() {}, retry: () => work(body, attempts + 1) }] }, env), 100);
}
const env = { WEBSUB_QUEUE: { send: async (body) => work(body), sendBatch: async (jobs) => jobs.forEach(({ body }) => work(body)) } };

http.createServer(async (req, res) => {
  const parts = [];
  for await (const part of req) parts.push(part);
  const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
  const answer = await hub(new Request(baseUrl, { method: req.method, headers: req.headers, body }), env);
  console.log(req.method, String(body), answer.status);
  res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(PORT, "127.0.0.1");
