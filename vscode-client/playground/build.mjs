/**
 * Builds the playground into a folder: Keepstate as byte code, the Python that runs it, the page's programs.
 *
 *     node playground/build.mjs FOLDER
 *
 * PYTHON names a Python that has the sqlglot of the locks. Nothing is downloaded; Pyodide and the editor come from
 * node_modules, which package-lock.json pins by hashes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";
import { licensesOf } from "../licenses.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const PYODIDE = path.join(here, "../node_modules/pyodide");
const FILES_OF_PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json"];
const MOST_BYTES = 16_000_000;

/** What a script of this folder writes. */
function python(script) {
  return execFileSync(process.env.PYTHON || "python3", [path.join(here, script)], { encoding: "utf8", maxBuffer: 1e8 });
}

/** The archive of byte code, made by the Python that will run it, that Python's library, and the version of Keepstate. */
async function archives() {
  const { version, modules } = JSON.parse(python("needed_modules.py"));
  const pyodide = await loadPyodide({ indexURL: PYODIDE, env: { PYTHONNODEBUGRANGES: "1", HOME: "/" } });
  for (const [name, file] of Object.entries(modules)) {
    pyodide.FS.mkdirTree(path.posix.dirname(`/sources/${name}`));
    pyodide.FS.writeFile(`/sources/${name}`, await fs.readFile(file));
  }
  pyodide.FS.writeFile("/library.zip", await fs.readFile(path.join(PYODIDE, "python_stdlib.zip")));
  pyodide.runPython(await fs.readFile(path.join(here, "byte_code.py"), "utf8"));
  const archive = pyodide.globals.get("archive_of")(pyodide.toPy(Object.keys(modules).sort())).toJs();
  const library = pyodide.globals.get("library_of")("/library.zip").toJs();
  return { version, archive, library, count: Object.keys(modules).length };
}

const target = path.resolve(process.argv[2]);
await fs.rm(target, { recursive: true, force: true });
await fs.mkdir(target, { recursive: true });
const { version, archive, library, count } = await archives();
await fs.writeFile(path.join(target, "keepstate.zip"), archive);
await fs.writeFile(path.join(target, "python_stdlib.zip"), library);
for (const name of FILES_OF_PYODIDE) {
  await fs.copyFile(path.join(PYODIDE, name), path.join(target, name));
}
const common = { bundle: true, minify: true, format: "esm", target: "es2022", outdir: target, metafile: true, logLevel: "warning" };
const source = (name) => path.join(here, `src/${name}.ts`);
const built = await build({
  ...common,
  entryPoints: [source("page"), source("worker")],
  external: ["./pyodide.mjs"],
  define: { VERSION: JSON.stringify(version) },
});
await fs.copyFile(path.join(here, "style.css"), path.join(target, "style.css"));
await fs.copyFile(path.join(here, "../../docs/playground/index.html"), path.join(target, "index.html"));
await fs.writeFile(path.join(target, "examples.bin"), deflateRawSync(python("rule_examples.py"), { level: 9 }));
await fs.writeFile(path.join(target, "licenses.txt"), await licensesOf([built.metafile], [PYODIDE]));
await fs.writeFile(path.join(target, "version.txt"), `${version}\n`);
const names = (await fs.readdir(target)).sort();
const digest = createHash("sha256");
let bytes = 0;
for (const name of names) {
  const content = await fs.readFile(path.join(target, name));
  digest.update(name).update(content);
  bytes += content.length;
}
// The service worker keeps these files under a name that changes with any of them.
const key = digest.digest("hex").slice(0, 16);
await build({ ...common, entryPoints: [source("offline")], define: { KEY: JSON.stringify(key), NAMES: JSON.stringify(names) } });
console.log(`playground: ${target}, ${count} modules in ${(archive.length / 1e6).toFixed(2)} MB, ${(bytes / 1e6).toFixed(2)} MB in all`);
if (bytes > MOST_BYTES) {
  throw new Error(`the playground has ${bytes} bytes, which is more than ${MOST_BYTES}`);
}
