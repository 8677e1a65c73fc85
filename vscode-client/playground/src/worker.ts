/** The worker of the playground: requests in, answers out, one after the other. The page never waits for Python. */
import { startHost } from "../../src/alone/python.mjs";

declare const self: { onmessage: ((event: { data: string }) => void) | null; postMessage(message: string): void };

async function start(): Promise<(request: string) => string> {
  const here = new URL("./", import.meta.url).href;
  const stream = async (name: string): Promise<ReadableStream> => {
    const { ok, body } = await fetch(here + name);
    if (!ok || body === null) {
      throw new Error(`${name} could not be loaded`);
    }
    return body;
  };
  const [program, memory, { loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    stream("program.bin"),
    stream("memory.bin"),
    import("./pyodide.mjs" as string),
    import("./pyodide.asm.mjs" as string),
  ]);
  return startHost({ loadPyodide, createPyodideModule }, { program, memory }, { indexURL: here });
}

const started = start();
self.onmessage = (event) => {
  void started.then(
    (answer) => self.postMessage(answer(event.data)),
    (error: unknown) => self.postMessage(JSON.stringify({ id: null, error: `Keepstate could not be started: ${String(error)}` })),
  );
};
