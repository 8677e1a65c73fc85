/** Keepstate in Pyodide: one function from the JSON of a request to the JSON of its answer. */

const START = `
import sys
sys.path.insert(0, "/keepstate.zip")
from keepstate.hosts.host import Host
Host(VERSION).answer
`;

/**
 * Puts the archive of the build into the file system of a Pyodide, and imports what answers.
 *
 * @param {{ FS: { writeFile(path: string, data: Uint8Array): void }, runPython(code: string): any }} pyodide
 * @param {Uint8Array} archive keepstate.zip
 * @param {string} version that of Keepstate
 * @returns {(request: string) => string}
 */
export function startHost(pyodide, archive, version) {
  pyodide.FS.writeFile("/keepstate.zip", archive);
  return pyodide.runPython(START.replace("VERSION", JSON.stringify(version)));
}
