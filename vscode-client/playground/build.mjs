/**
 * Builds the playground into a folder: Keepstate as byte code, the Python that runs it, the page's programs.
 *
 *     node playground/build.mjs FOLDER
 *
 * PYTHON names a Python that has the sqlglot of the locks. Nothing is downloaded; Pyodide and the editor come from
 * node_modules, which package-lock.json pins by hashes.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";
import { licensesOf } from "../licenses.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const PYODIDE = path.join(here, "../node_modules/pyodide");
const FILES_OF_PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
const MOST_BYTES = 16_000_000;

/** The archive of byte code, made by the Python that will run it, and the version of Keepstate. */
async function archiveOfModules() {
  const listed = execFileSync(process.env.PYTHON || "python3", [path.join(here, "modules.py")], { encoding: "utf8" });
  const { version, modules } = JSON.parse(listed);
  const pyodide = await loadPyodide({ indexURL: PYODIDE });
  for (const [name, file] of Object.entries(modules)) {
    pyodide.FS.mkdirTree(path.posix.dirname(`/sources/${name}`));
    pyodide.FS.writeFile(`/sources/${name}`, await fs.readFile(file));
  }
  pyodide.globals.set("names", pyodide.toPy(Object.keys(modules).sort()));
  pyodide.runPython(await fs.readFile(path.join(here, "compile.py"), "utf8"));
  return { version, archive: pyodide.globals.get("archive").toJs(), count: Object.keys(modules).length };
}

const target = path.resolve(process.argv[2]);
await fs.rm(target, { recursive: true, force: true });
await fs.mkdir(target, { recursive: true });
const { version, archive, count } = await archiveOfModules();
await fs.writeFile(path.join(target, "keepstate.zip"), archive);
for (const name of FILES_OF_PYODIDE) {
  await fs.copyFile(path.join(PYODIDE, name), path.join(target, name));
}
const built = await build({
  entryPoints: ["page", "worker", "offline"].map((name) => path.join(here, `src/${name}.ts`)),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: target,
  external: ["./pyodide.mjs"],
  define: { VERSION: JSON.stringify(version) },
  metafile: true,
  logLevel: "warning",
});
await fs.copyFile(path.join(here, "style.css"), path.join(target, "style.css"));
await fs.writeFile(path.join(target, "licenses.txt"), await licensesOf([built.metafile], [PYODIDE]));
// The service worker keeps these files, under a name that changes with any of them.
const names = (await fs.readdir(target)).filter((name) => name !== "offline.js").sort();
const digest = await import("node:crypto").then(({ createHash }) => createHash("sha256"));
let bytes = 0;
for (const name of names) {
  const content = await fs.readFile(path.join(target, name));
  digest.update(name).update(content);
  bytes += content.length;
}
await fs.writeFile(path.join(target, "assets.json"), `${JSON.stringify({ key: digest.digest("hex").slice(0, 16), names })}\n`);
console.log(`playground: ${target}, ${count} modules in ${(archive.length / 1e6).toFixed(2)} MB, ${(bytes / 1e6).toFixed(2)} MB in all`);
if (bytes > MOST_BYTES) {
  throw new Error(`the playground has ${bytes} bytes, which is more than ${MOST_BYTES}`);
}
