/**
 * Python and Keepstate for a host without a server: the files that `src/alone/python.mjs` starts.
 *
 *     node playground/archives.mjs FOLDER
 *
 * writes it for the extension. PYTHON names a Python that has the sqlglot of the locks. Nothing is downloaded: Pyodide
 * comes from node_modules, which package-lock.json pins by hashes.
 */
import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const here = path.dirname(fileURLToPath(import.meta.url));
export const PYODIDE = path.join(here, "../node_modules/pyodide");
/** Bytes that a page or the extension may hold of these and of its programs. */
export const MOST_BYTES = 16_000_000;
/** The clock of the Python whose memory is kept: 1980, as in the archives. */
const EPOCH = Date.UTC(1980);

/** What a script of this folder writes. */
export function python(script, ...args) {
  const options = { encoding: "utf8", maxBuffer: 1e8 };
  return execFileSync(process.env.PYTHON || "python3", [path.join(here, script), ...args], options);
}

/**
 * Writes the program of Pyodide, the memory of a Python in which the host of a module is ready to answer, and the rest of
 * Python's library, for what nothing has imported. Byte code and memory are made by the Python that will run them.
 */
export async function writePython(target, module, host) {
  const { version, modules } = JSON.parse(python("needed_modules.py", module));
  const names = Object.keys(modules).sort();
  const compiler = await loadPyodide({ indexURL: PYODIDE, env: { PYTHONNODEBUGRANGES: "1", HOME: "/" } });
  for (const [name, file] of Object.entries(modules)) {
    compiler.FS.mkdirTree(path.posix.dirname(`/sources/${name}`));
    compiler.FS.writeFile(`/sources/${name}`, await fs.readFile(file));
  }
  compiler.FS.writeFile("/library.zip", await fs.readFile(path.join(PYODIDE, "python_stdlib.zip")));
  compiler.runPython(await source("byte_code.py"));
  const archive = compiler.globals.get("archive_of")(compiler.toPy(names)).toJs();
  const libraryWithout = (imported) => compiler.globals.get("library_of")("/library.zip", compiler.toPy(imported)).toJs();
  await fs.mkdir(target, { recursive: true });
  const library = path.join(target, "python_stdlib.zip");
  await fs.writeFile(library, libraryWithout([]));
  const program = await fs.readFile(path.join(PYODIDE, "pyodide.asm.wasm"));
  const { memory, imported } = await keptMemory(program, library, archive, names, [module, host, version]);
  await fs.writeFile(library, libraryWithout(imported));
  await fs.writeFile(path.join(target, "memory.bin"), deflateRawSync(memory, { level: 9 }));
  await fs.writeFile(path.join(target, "program.bin"), deflateRawSync(program, { level: 9 }));
  // Of the lock only what Pyodide says of itself: no package of its list is ever loaded.
  const { info } = JSON.parse(await fs.readFile(path.join(PYODIDE, "pyodide-lock.json"), "utf8"));
  await fs.writeFile(path.join(target, "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));
  return { version, count: names.length };
}

/** The memory of a Python that has imported the modules of an archive, and the files of its library that it imported. */
async function keptMemory(program, library, archive, names, host) {
  const real = { fill: crypto.randomFillSync, date: Date.now, time: performance.now };
  // The same sources give the same bytes: no chance and no clock reaches this Python.
  crypto.randomFillSync = (view) => view.fill(0);
  Date.now = () => EPOCH;
  performance.now = () => 0;
  try {
    const env = { HOME: "/", PYTHONHASHSEED: "0" };
    const pyodide = await loadPyodide({ indexURL: PYODIDE, stdLibURL: library, env, _sysExecutable: "keepstate", _makeSnapshot: true });
    pyodide.FS.writeFile("/keepstate.zip", archive);
    const call = `keep(${[names, ...host].map((each) => JSON.stringify(each)).join(", ")})`;
    const imported = JSON.parse(pyodide.runPython(`${await source("kept_memory.py")}\n${call}`));
    const memory = Buffer.from(pyodide.makeMemorySnapshot());
    const places = [path.dirname(library), os.homedir(), path.join(here, "../..")];
    // Pyodide was built in a folder as well, and its program says so.
    const place = places.find((each) => memory.includes(each) && !program.includes(each));
    if (place !== undefined) {
      throw new Error(`the memory of Python names a folder of this machine: ${place}`);
    }
    return { memory, imported };
  } finally {
    crypto.randomFillSync = real.fill;
    [Date.now, performance.now] = [real.date, real.time];
  }
}

function source(script) {
  return fs.readFile(path.join(here, script), "utf8");
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
  const { count } = await writePython(target, "keepstate_lsp.editor_host.host", "EditorHost");
  const bytes = await checkedSize(path.dirname(target));
  console.log(`python: ${target}, ${count} modules, ${(bytes / 1e6).toFixed(2)} MB with all programs`);
}
