/**
 * The inside of a worker in an editor: Python and Keepstate are started, then questions are answered. One program for
 * both kinds of extension hosts, since Pyodide is most of it: Node, which reads files, and a worker of a browser, which
 * gets them as bytes. Its first message is a `Start`.
 */
import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { startHost } from "./python.mjs";
import type { InBrowser, InNode, Start } from "./start";

type Answer = (request: string) => string;
interface Port {
  post(answer: string): void;
  listen(heard: (message: unknown) => void): void;
}
declare const self: { fetch(url: unknown): Promise<Response>; importScripts?: unknown; postMessage(message: string): void; onmessage: unknown };

async function startPython(parts: Start): Promise<Answer> {
  const [options, archive, lock] = "folder" in parts ? await filesOf(parts) : served(parts);
  const pyodide = await loadPyodide({
    ...options,
    createPyodideModule,
    lockFileContents: lock,
    packageBaseUrl: "none:/",
    // Its words go nowhere: answers are the only way out.
    stdout: () => undefined,
    stderr: () => undefined,
  } as Parameters<typeof loadPyodide>[0]);
  return startHost(pyodide, archive, parts.version, "editor");
}

type Found = readonly [options: object, archive: Uint8Array, lock: string];

async function filesOf({ folder }: InNode): Promise<Found> {
  const { readFile } = await import("node:fs/promises");
  const archive = await readFile(`${folder}/keepstate.zip`);
  return [{ indexURL: folder }, archive, await readFile(`${folder}/pyodide-lock.json`, "utf8")];
}

function served({ program, library, archive, lock }: InBrowser): Found {
  const files: readonly [string, Uint8Array, string][] = [
    ["pyodide.asm.wasm", program, "application/wasm"],
    ["python_stdlib.zip", library, "application/zip"],
  ];
  // Whatever Python asks for is one of these: the worker asks no network.
  self.fetch = async (url) => {
    const file = files.find(([name]) => String(url).endsWith(`/${name}`));
    if (file === undefined) {
      throw new Error(`Keepstate asks no network, and so not for ${String(url)}.`);
    }
    return new Response(new Blob([file[1] as BlobPart]), { headers: { "content-type": file[2] } });
  };
  // Pyodide takes this as the sign of a worker that cannot import modules; it has all of its modules in this bundle.
  self.importScripts = undefined;
  return [{ indexURL: "https://keepstate.invalid/" }, archive, lock];
}

/** The answer to a question; one that fails costs no other one. */
function answered(answer: Answer, request: string): string {
  try {
    return answer(request);
  } catch (error) {
    const { id } = JSON.parse(request) as { id: number };
    return JSON.stringify({ id, error: `Keepstate failed at this text: ${String(error)}` });
  }
}

function serve(port: Port): void {
  let started: Promise<Answer> | undefined;
  port.listen((message) => {
    if (started === undefined) {
      started = startPython(message as Start);
      started.catch((error: unknown) => port.post(JSON.stringify({ id: null, error: `Keepstate could not be started: ${String(error)}` })));
      return;
    }
    started.then(
      (answer) => port.post(answered(answer, message as string)),
      // That nothing was started has been said.
      () => undefined,
    );
  });
}

if (typeof process === "object" && typeof process.versions?.node === "string") {
  void import("node:worker_threads").then(({ parentPort }) =>
    serve({ post: (answer) => parentPort?.postMessage(answer), listen: (heard) => void parentPort?.on("message", heard) }),
  );
} else {
  // At once: a message that a browser posts before there is a listener is lost.
  serve({ post: (answer) => self.postMessage(answer), listen: (heard) => (self.onmessage = ({ data }: { data: unknown }) => heard(data)) });
}
