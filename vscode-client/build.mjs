/**
 * Makes what the package holds and the repository does not, but for the server (server/bundle.py): the bundles of the
 * extension, its licence, and the licences of what went into the bundles.
 */
import fs from "node:fs/promises";
import { build, context } from "esbuild";
import { licensesOf } from "./licenses.mjs";

const isWatched = process.argv.includes("--watch");
const common = { bundle: true, minify: !isWatched, sourcemap: isWatched, metafile: true, external: ["vscode"], logLevel: "info" };
/** Pyodide is in the bundle, for Node and for browsers. It has a reason to know where it lies in Node alone. */
const worker = {
  ...common,
  entryPoints: ["src/alone/worker.ts"],
  platform: "browser",
  format: "cjs",
  target: "es2022",
  outfile: "dist/worker.js",
  // Of Node, and imported there alone; ws where there is no `require`, so never.
  external: ["node:*", "ws"],
  banner: { js: 'const HERE = typeof __filename === "string" ? require("node:url").pathToFileURL(__filename).href : "https://keepstate.invalid/";' },
  define: { "import.meta.url": "HERE" },
};
const bundles = [
  { ...common, entryPoints: ["src/extension.ts"], platform: "node", target: "node20", outfile: "dist/extension.js" },
  { ...common, entryPoints: ["src/web.ts"], platform: "browser", format: "cjs", target: "es2022", outfile: "dist/web.js" },
  worker,
  { ...common, entryPoints: ["src/plan/webview.ts"], platform: "browser", format: "iife", target: "es2022", outfile: "dist/plan.js" },
  { ...common, entryPoints: ["src/plan/plan.css"], outfile: "dist/plan.css" },
];

if (isWatched) {
  for (const bundle of bundles) {
    await (await context(bundle)).watch();
  }
} else {
  await fs.rm("dist", { recursive: true, force: true });
  const built = await Promise.all(bundles.map((bundle) => build(bundle)));
  await fs.writeFile("dist/licenses.txt", await licensesOf(built.map(({ metafile }) => metafile), ["node_modules/pyodide"]));
  await fs.copyFile("../LICENSE", "LICENSE");
}
