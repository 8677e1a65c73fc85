/** The worker of an extension host that is Node. */
import * as path from "node:path";
import { Worker } from "node:worker_threads";
import type { Channel } from "./requests";
import type { Start } from "./start";

/** Starts the worker of an extension that is installed in `folder`. */
export function nodeChannel(folder: string): Channel {
  // Nothing of the environment reaches Python: no variable of it, and no module of a workspace.
  const worker = new Worker(path.join(folder, "dist", "worker.js"), {
    env: {},
    execArgv: [],
  });
  worker.unref();
  const start: Start = { folder: path.join(folder, "dist", "python") };
  worker.postMessage(start);
  let isClosed = false;
  return {
    post: (request) => worker.postMessage(request),
    listen(answered, failed) {
      worker.on("message", answered);
      worker.on("error", (error) => failed(error instanceof Error ? error.message : String(error)));
      worker.on("exit", (code) => (isClosed ? undefined : failed(`it ended with ${code}`)));
    },
    close() {
      isClosed = true;
      void worker.terminate();
    },
  };
}
