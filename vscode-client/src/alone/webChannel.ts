/** The worker of an extension host in a browser. */
import * as vscode from "vscode";
import type { Channel } from "./requests";
import type { Start } from "./start";

/** Starts the worker of an extension that is installed at `extension`: its files are read as the editor serves them. */
export async function webChannel(extension: vscode.Uri, version: string): Promise<Channel> {
  const read = (...names: string[]): Thenable<Uint8Array> =>
    vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "dist", ...names));
  const [script, program, library, archive, lock] = await Promise.all([
    read("worker.js"),
    read("python", "pyodide.asm.wasm"),
    read("python", "python_stdlib.zip"),
    read("python", "keepstate.zip"),
    read("python", "pyodide-lock.json"),
  ]);
  const address = URL.createObjectURL(new Blob([script as BlobPart], { type: "text/javascript" }));
  const worker = new Worker(address, { name: "keepstate" });
  const start: Start = { program, library, archive, lock: new TextDecoder().decode(lock), version };
  worker.postMessage(start);
  return {
    post: (request) => worker.postMessage(request),
    listen(answered, failed) {
      worker.onmessage = (event: MessageEvent<string>) => answered(event.data);
      worker.onerror = (event) => failed(event.message || "it could not be loaded");
    },
    close() {
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}
