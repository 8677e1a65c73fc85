/**
 * Makes what the package holds and the repository does not, but for the server (server/bundle.py): the bundles of the
 * extension, its licence, and the licences of what went into the bundles.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { build, context } from "esbuild";

const isWatched = process.argv.includes("--watch");
const common = { bundle: true, minify: !isWatched, sourcemap: isWatched, metafile: true, external: ["vscode"], logLevel: "info" };
const bundles = [
  { ...common, entryPoints: ["src/extension.ts"], platform: "node", target: "node20", outfile: "dist/extension.js" },
  { ...common, entryPoints: ["src/web.ts"], platform: "browser", format: "cjs", target: "es2022", outfile: "dist/web.js" },
  { ...common, entryPoints: ["src/plan/webview.ts"], platform: "browser", format: "iife", target: "es2022", outfile: "dist/plan.js" },
  { ...common, entryPoints: ["src/plan/plan.css"], outfile: "dist/plan.css" },
];

/** The licences of all packages that have a file in one of the bundles. */
async function licensesOf(metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = new Set(inputs.map((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));
  const sections = [];
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(await fs.readFile(path.join(folder, "package.json"), "utf8"));
    const license = (await fs.readdir(folder)).find((file) => /^licen[sc]e/i.test(file));
    if (license === undefined) {
      throw new Error(`${name} has no licence to pass on`);
    }
    sections.push(`${name} ${version}\n\n${(await fs.readFile(path.join(folder, license), "utf8")).trim()}\n`);
  }
  return sections.join(`\n${"-".repeat(80)}\n\n`);
}

if (isWatched) {
  for (const bundle of bundles) {
    await (await context(bundle)).watch();
  }
} else {
  await fs.rm("dist", { recursive: true, force: true });
  const built = await Promise.all(bundles.map((bundle) => build(bundle)));
  await fs.writeFile("dist/licenses.txt", await licensesOf(built.map(({ metafile }) => metafile)));
  await fs.copyFile("../LICENSE", "LICENSE");
}
