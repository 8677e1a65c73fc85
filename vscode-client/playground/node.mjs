/**
 * Keepstate in Node as it is in a browser: each line of the input is a request, each line of the output its answer.
 *
 *     node playground/node.mjs FOLDER < requests.jsonl
 */
import fs from "node:fs/promises";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";
import { startHost } from "../src/alone/python.mjs";

const folder = path.resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href);
const started = performance.now();
const pyodide = await loadPyodide({ indexURL: folder });
const loaded = performance.now();
const archive = await fs.readFile(path.join(folder, "keepstate.zip"));
const answer = startHost(pyodide, archive, (await fs.readFile(path.join(folder, "version.txt"), "utf8")).trim());
console.error(JSON.stringify({ python: Math.round(loaded - started), keepstate: Math.round(performance.now() - loaded) }));
for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n`);
}
