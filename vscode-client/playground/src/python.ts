/** Keepstate in Pyodide: one function from the JSON of a request to the JSON of its answer. */

/** What is used of Pyodide. */
export interface Pyodide {
  FS: { writeFile(path: string, data: Uint8Array): void };
  runPython(code: string): unknown;
}

export type Answer = (request: string) => string;

const START = `
import sys
sys.path.insert(0, "/keepstate.zip")
from keepstate.hosts.host import Host
Host(VERSION).answer
`;

/** Puts the archive of the build into the file system of a Pyodide, and imports what answers. */
export function startHost(pyodide: Pyodide, archive: Uint8Array, version: string): Answer {
  pyodide.FS.writeFile("/keepstate.zip", archive);
  return pyodide.runPython(START.replace("VERSION", JSON.stringify(version))) as Answer;
}
