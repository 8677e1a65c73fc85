/** Licences to pass on with what is built. */
import fs from "node:fs/promises";
import path from "node:path";

/** Pyodide is CPython with its library, and has no text of its licence. */
const CPYTHON = `CPython 3.14 and its library, inside of pyodide

Copyright (c) 2001 Python Software Foundation; All Rights Reserved
PSF-2.0, see https://spdx.org/licenses/PSF-2.0.html
`;

/** The licences of all packages that have a file in one of the bundles of esbuild, and of `others`, by their folders. */
export async function licensesOf(metafiles, others = []) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const bundled = inputs.map((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean);
  const sections = [];
  for (const folder of [...new Set([...bundled, ...others])].sort()) {
    const { name, version, license: id } = JSON.parse(await fs.readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await fs.readdir(folder)).find((each) => /^licen[sc]e/i.test(each));
    if (file === undefined && !others.includes(folder)) {
      throw new Error(`${name} has no licence to pass on`);
    }
    const text = file === undefined ? `${id}, see https://spdx.org/licenses/${id}.html` : await fs.readFile(path.join(folder, file), "utf8");
    sections.push(`${name} ${version}\n\n${text.trim()}\n`, ...(name === "pyodide" ? [CPYTHON] : []));
  }
  return sections.join(`\n${"-".repeat(80)}\n\n`);
}
