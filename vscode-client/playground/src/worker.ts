/** The worker of the playground: requests in, answers out, one after the other. The page never waits for Python. */
import { startHost } from "../../src/alone/python.mjs";

declare const VERSION: string;
declare const self: { onmessage: ((event: { data: string }) => void) | null; postMessage(message: string): void };

async function start(): Promise<(request: string) => string> {
  const here = new URL("./", import.meta.url).href;
  const archive = fetch(`${here}keepstate.zip`).then((response) => response.arrayBuffer());
  const { loadPyodide } = (await import("./pyodide.mjs" as string)) as {
    loadPyodide(options: { indexURL: string }): Promise<Parameters<typeof startHost>[0]>;
  };
  const pyodide = await loadPyodide({ indexURL: here });
  return startHost(pyodide, new Uint8Array(await archive), VERSION);
}

const started = start();
self.onmessage = (event) => {
  void started.then(
    (answer) => self.postMessage(answer(event.data)),
    (error: unknown) => self.postMessage(JSON.stringify({ id: null, error: `Keepstate could not be started: ${String(error)}` })),
  );
};
