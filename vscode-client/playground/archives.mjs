/**
 * Python and Keepstate for a host without a server: what Pyodide reads beside its programs.
 *
 *     node playground/archives.mjs FOLDER
 *
 * writes it for the extension. PYTHON names a Python that has the sqlglot of the locks. Nothing is downloaded: Pyodide
 * comes from node_modules, which package-lock.json pins by hashes.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const here = path.dirname(fileURLToPath(import.meta.url));
export const PYODIDE = path.join(here, "../node_modules/pyodide");
/** Bytes that a page or the extension may hold of these and of its programs. */
export const MOST_BYTES = 16_000_000;

/** What a script of this folder writes. */
export function python(script, ...args) {
  const options = { encoding: "utf8", maxBuffer: 1e8 };
  return execFileSync(process.env.PYTHON || "python3", [path.join(here, script), ...args], options);
}

/**
 * Writes Python, its library without what is unused, and the byte code of a module with all that it needs, made by the
 * Python that will run it.
 */
export async function writePython(target, module) {
  const { version, modules } = JSON.parse(python("needed_modules.py", module));
  const pyodide = await loadPyodide({ indexURL: PYODIDE, env: { PYTHONNODEBUGRANGES: "1", HOME: "/" } });
  for (const [name, file] of Object.entries(modules)) {
    pyodide.FS.mkdirTree(path.posix.dirname(`/sources/${name}`));
    pyodide.FS.writeFile(`/sources/${name}`, await fs.readFile(file));
  }
  pyodide.FS.writeFile("/library.zip", await fs.readFile(path.join(PYODIDE, "python_stdlib.zip")));
  pyodide.runPython(await fs.readFile(path.join(here, "byte_code.py"), "utf8"));
  const archive = pyodide.globals.get("archive_of")(pyodide.toPy(Object.keys(modules).sort())).toJs();
  await fs.mkdir(target, { recursive: true });
  await fs.writeFile(path.join(target, "keepstate.zip"), archive);
  await fs.writeFile(path.join(target, "python_stdlib.zip"), pyodide.globals.get("library_of")("/library.zip").toJs());
  // Of the lock only what Pyodide says of itself: no package of its list is ever loaded.
  const { info } = JSON.parse(await fs.readFile(path.join(PYODIDE, "pyodide-lock.json"), "utf8"));
  await fs.writeFile(path.join(target, "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));
  await fs.writeFile(path.join(target, "pyodide.asm.wasm"), await fs.readFile(path.join(PYODIDE, "pyodide.asm.wasm")));
  return { version, count: Object.keys(modules).length, size: archive.length };
}

/** The bytes of all files of a folder; an error if these are more than there may be. */
export async function checkedSize(folder) {
  let bytes = 0;
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
    bytes += entry.isFile() ? (await fs.stat(path.join(entry.parentPath, entry.name))).size : 0;
  }
  if (bytes > MOST_BYTES) {
    throw new Error(`${folder} has ${bytes} bytes, which is more than ${MOST_BYTES}`);
  }
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = path.resolve(process.argv[2]);
  await fs.rm(target, { recursive: true, force: true });
  const { count } = await writePython(target, "keepstate_lsp.editor_host.host");
  const bytes = await checkedSize(path.dirname(target));
  console.log(`python: ${target}, ${count} modules, ${(bytes / 1e6).toFixed(2)} MB with all programs`);
}
