/**
 * The worker of the packaged extension in Node, without an editor: each line of the input is a request, each line of the
 * output its answer. Argument: the folder of the extension.
 */
import path from "node:path";
import readline from "node:readline";
import { Worker } from "node:worker_threads";

const [folder] = process.argv.slice(2);
const worker = new Worker(path.join(folder, "dist/worker.js"), { env: {} });
worker.postMessage({ folder: path.join(folder, "dist/python") });
let open = 0;
let isEnded = false;
const endIfDone = () => isEnded && open === 0 && worker.terminate();
worker.on("message", (answer) => {
  process.stdout.write(`${answer}\n`);
  open -= 1;
  endIfDone();
});
for await (const line of readline.createInterface({ input: process.stdin })) {
  open += 1;
  worker.postMessage(line);
}
isEnded = true;
endIfDone();
