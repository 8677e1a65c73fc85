/**
 * Builds the playground into a folder: a Python with Keepstate in its memory, the page, and its programs.
 *
 *     node playground/build.mjs FOLDER
 *
 * PYTHON names a Python that has the sqlglot of the locks. Nothing is downloaded; Pyodide and the editor come from
 * node_modules, which package-lock.json pins by hashes.
 */
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build, transform } from "esbuild";
import { licensesOf } from "../licenses.mjs";
import { checkedSize, python, PYODIDE, writePython } from "./archives.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const PROGRAMS_OF_PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs"];

const target = path.resolve(process.argv[2]);
await fs.rm(target, { recursive: true, force: true });
const { version, count } = await writePython(target, "keepstate.hosts.host", "Host");
for (const name of PROGRAMS_OF_PYODIDE) {
  const { code } = await transform(await fs.readFile(path.join(PYODIDE, name), "utf8"), { minify: true, format: "esm", target: "es2022" });
  await fs.writeFile(path.join(target, name), code);
}
const common = { bundle: true, minify: true, format: "esm", target: "es2022", outdir: target, metafile: true, logLevel: "warning" };
const source = (name) => path.join(here, `src/${name}.ts`);
const built = await build({
  ...common,
  entryPoints: [source("page"), source("worker")],
  external: PROGRAMS_OF_PYODIDE.map((name) => `./${name}`),
});
await fs.copyFile(path.join(here, "style.css"), path.join(target, "style.css"));
await fs.copyFile(path.join(here, "../../docs/playground/index.html"), path.join(target, "index.html"));
await fs.writeFile(path.join(target, "examples.bin"), deflateRawSync(python("rule_examples.py"), { level: 9 }));
await fs.writeFile(path.join(target, "licenses.txt"), await licensesOf([built.metafile], [PYODIDE]));
await fs.writeFile(path.join(target, "version.txt"), `${version}\n`);
const names = (await fs.readdir(target)).sort();
const digest = createHash("sha256");
for (const name of names) {
  digest.update(name).update(await fs.readFile(path.join(target, name)));
}
// The service worker keeps these files under a name that changes with any of them.
const key = digest.digest("hex").slice(0, 16);
await build({ ...common, entryPoints: [source("offline")], define: { KEY: JSON.stringify(key), NAMES: JSON.stringify(names) } });
const bytes = await checkedSize(target);
console.log(`playground: ${target}, ${count} modules, ${(bytes / 1e6).toFixed(2)} MB in all`);
