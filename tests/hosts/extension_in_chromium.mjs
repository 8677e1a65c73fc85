/**
 * The worker of the packaged extension in a real Chromium, under the policy of VS Code in a browser and started as that
 * starts workers. Arguments: the folder of playwright-core and Chromium, the folder of the extension. Each
 * line of the input is a request; the answers, and what went wrong, are written as JSON.
 */
import fs from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const [cache, folder] = process.argv.slice(2);
const requests = (await fs.readFile("/dev/stdin", "utf8")).split("\n").filter(Boolean);
/** That of webWorkerExtensionHostIframe.html. */
const policy =
  "default-src 'none'; child-src 'self' data: blob:; script-src 'self' 'unsafe-eval' https: http://localhost:* blob:; " +
  "connect-src 'self' https: wss: http://localhost:* http://127.0.0.1:* ws://localhost:* ws://127.0.0.1:*";

const server = http.createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const isPage = pathname === "/";
  const content = isPage ? "<!doctype html><title>host</title>" : await fs.readFile(path.join(folder, "dist", path.normalize(pathname)));
  response.writeHead(200, { "content-type": isPage ? "text/html" : "application/octet-stream", "content-security-policy": policy });
  response.end(content);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
const { chromium } = createRequire(path.join(cache, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: path.join(cache, "chromium"), args: ["--no-sandbox", "--disable-gpu"] });
const seen = { messages: [], foreign: [] };
try {
  const page = await browser.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.messages.push(message.text()));
  page.on("pageerror", (error) => seen.messages.push(String(error)));
  page.on("request", (request) => !/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(url) && seen.foreign.push(request.url()));
  await page.goto(url);
  seen.answers = await page.evaluate(
    async ({ requests }) => {
      const read = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
      const script = URL.createObjectURL(new Blob([await read("worker.js")], { type: "text/javascript" }));
      // So an extension host of a browser starts the workers of extensions.
      const wrapper = URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(script)})`], { type: "application/javascript" }));
      const worker = new Worker(wrapper);
      const names = { program: "program.bin", library: "python_stdlib.zip", memory: "memory.bin" };
      const parts = await Promise.all(Object.entries(names).map(async ([part, name]) => [part, await read(`python/${name}`)]));
      const lock = new TextDecoder().decode(await read("python/pyodide-lock.json"));
      const answers = [];
      return new Promise((resolve, reject) => {
        worker.onerror = (event) => reject(new Error(event.message || "the worker could not be loaded"));
        worker.onmessage = ({ data }) => {
          answers.push(data);
          if (answers.length === requests.length) {
            resolve(answers);
          }
        };
        worker.postMessage({ ...Object.fromEntries(parts), lock });
        for (const request of requests) {
          worker.postMessage(request);
        }
      });
    },
    { requests },
  );
} catch (error) {
  seen.failure = String(error?.stack ?? error);
} finally {
  await browser.close();
  server.close();
}
process.stdout.write(JSON.stringify(seen));
