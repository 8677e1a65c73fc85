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

type Module = Parameters<typeof startHost>[0]["createPyodideModule"];
const NO_FOLDER = "https://keepstate.invalid/";

async function startPython(start: Start): Promise<Answer> {
  const { options, lock, ...parts } = "folder" in start ? await filesOf(start) : served(start);
  return startHost({ loadPyodide, createPyodideModule: createPyodideModule as Module }, parts, {
    ...options,
    lockFileContents: lock,
    packageBaseUrl: "none:/",
    // Its words go nowhere: answers are the only way out.
    stdout: () => undefined,
    stderr: () => undefined,
  });
}

interface Found {
  readonly options: object;
  readonly lock: string;
  readonly program: ReadableStream;
  readonly memory: ReadableStream;
}

async function filesOf({ folder }: InNode): Promise<Found> {
  const { readFile } = await import("node:fs/promises");
  const read = async (name: string): Promise<ReadableStream> => streamOf(await readFile(`${folder}/${name}`));
  const [program, memory] = await Promise.all([read("program.bin"), read("memory.bin")]);
  return { options: { indexURL: folder }, program, memory, lock: await readFile(`${folder}/pyodide-lock.json`, "utf8") };
}

function served({ program, memory, library, lock }: InBrowser): Found {
  // Python asks for the rest of its library, and for nothing else: the worker asks no network.
  self.fetch = async (url) => {
    if (!String(url).endsWith("/python_stdlib.zip")) {
      throw new Error(`Keepstate asks no network, and so not for ${String(url)}.`);
    }
    return new Response(new Blob([library as BlobPart]));
  };
  // Pyodide takes this as the sign of a worker that cannot import modules; it has all of its modules in this bundle.
  self.importScripts = undefined;
  return { options: { indexURL: NO_FOLDER }, program: streamOf(program), memory: streamOf(memory), lock };
}

function streamOf(bytes: Uint8Array): ReadableStream {
  return new Blob([bytes as BlobPart]).stream();
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
      (answer) => port.post(answer(message as string)),
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
