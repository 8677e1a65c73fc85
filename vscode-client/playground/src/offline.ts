/** The service worker of the playground: all its files are kept at the first visit, under a name that changes with them. */
export {};

declare const KEY: string;
declare const NAMES: string[];

interface Lifetime {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetch {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
declare const self: {
  addEventListener(type: "install" | "activate", listener: (event: Lifetime) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetch) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

const OURS = "keepstate-playground-";

self.addEventListener("install", (event) => {
  const kept = caches.open(OURS + KEY).then((cache) => cache.addAll(["./", ...NAMES]));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith(OURS) && name !== OURS + KEY));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") {
    return;
  }
  const kept = caches.open(OURS + KEY).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((found) => found ?? fetch(event.request)));
});
