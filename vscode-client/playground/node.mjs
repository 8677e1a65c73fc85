/**
 * Keepstate in Node as it is in a browser: each line of the input is a request, each line of the output its answer.
 *
 *     node playground/node.mjs FOLDER < requests.jsonl
 */
import { openAsBlob } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";
import { startHost } from "../src/alone/python.mjs";

const folder = path.resolve(process.argv[2]);
const own = (name) => import(pathToFileURL(path.join(folder, name)).href);
const stream = async (name) => (await openAsBlob(path.join(folder, name))).stream();
const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([own("pyodide.mjs"), own("pyodide.asm.mjs")]);
const parts = { program: await stream("program.bin"), memory: await stream("memory.bin") };
const answer = await startHost({ loadPyodide, createPyodideModule }, parts, { indexURL: folder });
for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n`);
}
