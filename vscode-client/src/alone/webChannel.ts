/** The worker of an extension host in a browser. */
import * as vscode from "vscode";
import type { Channel } from "./requests";
import type { Start } from "./start";

/** Starts the worker of an extension that is installed at `extension`: its files are read as the editor serves them. */
export async function webChannel(extension: vscode.Uri): Promise<Channel> {
  const read = (...names: string[]): Thenable<Uint8Array> =>
    vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "dist", ...names));
  const [script, program, library, memory, lock] = await Promise.all([
    read("worker.js"),
    read("python", "program.bin"),
    read("python", "python_stdlib.zip"),
    read("python", "memory.bin"),
    read("python", "pyodide-lock.json"),
  ]);
  const address = URL.createObjectURL(new Blob([script as BlobPart], { type: "text/javascript" }));
  const worker = new Worker(address, { name: "keepstate" });
  const start: Start = { program, library, memory, lock: new TextDecoder().decode(lock) };
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
