/** Baselines that an editor without a server can find, as they are written. Free of `vscode`. */

export type Spec =
  | { readonly kind: "revision"; readonly revision: string }
  | { readonly kind: "merge-base"; readonly branch: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "opened" }
  | { readonly kind: "unknown"; readonly reason: string };

/** The spec of the text that a document had when it was opened: what there is without git. */
export const OPENED = "as opened";

/** A revision must be nothing that git could take for an option. */
const REVISION = /^[\w@^~{}./][\w@^~{}./:-]*$/;

export function specOf(written: string): Spec {
  const [, kind = "", rest = ""] = /^([a-z-]+):(.*)$/s.exec(written) ?? [];
  if (written === OPENED) {
    return { kind: "opened" };
  }
  if (kind === "file" && rest !== "") {
    return { kind: "file", path: rest };
  }
  if (kind === "merge-base" && REVISION.test(rest)) {
    return { kind: "merge-base", branch: rest };
  }
  if (kind === "" && REVISION.test(written)) {
    return { kind: "revision", revision: written };
  }
  const needs = kind === "tag" || kind === "deployed" ? `${kind}: needs the server of Keepstate, and so Python` : "it is no baseline";
  return { kind: "unknown", reason: `${written}: ${needs}` };
}
