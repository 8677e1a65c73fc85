/** Keepstate in Pyodide: one function from the JSON of a request to the JSON of its answer. */

const START = `
import sys
sys.path.insert(0, "/keepstate.zip")
from MODULE import CLASS
CLASS(VERSION).answer
`;
/** What answers: a page has no files that settings could come from, an editor has. */
const HOSTS = { page: ["keepstate.hosts.host", "Host"], editor: ["keepstate_lsp.editor_host.host", "EditorHost"] };

/**
 * Puts the archive of the build into the file system of a Pyodide, and imports what answers.
 *
 * @param {{ FS: { writeFile(path: string, data: Uint8Array): void }, runPython(code: string): any }} pyodide
 * @param {Uint8Array} archive keepstate.zip
 * @param {string} version that of Keepstate
 * @param {"page" | "editor"} host
 * @returns {(request: string) => string}
 */
export function startHost(pyodide, archive, version, host = "page") {
  const [module = "", name = ""] = HOSTS[host];
  pyodide.FS.writeFile("/keepstate.zip", archive);
  return pyodide.runPython(START.replace("MODULE", module).replaceAll("CLASS", name).replace("VERSION", JSON.stringify(version)));
}
