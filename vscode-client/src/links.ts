/** Links of a Markdown page to files on disk. Free of `vscode`, so that it can be tested without an editor. */
import * as nodePath from "node:path";

/**
 * The page with links relative to its folder: the Markdown preview shows links with `file:` as dead text. A link to
 * another drive stays as it is.
 *
 * @param pathOf the path of a `file:` URI
 */
export function withRelativeLinks(
  page: string,
  folder: string,
  pathOf: (uri: string) => string,
  path: nodePath.PlatformPath = nodePath,
): string {
  return page.replace(/\(<(file:[^>#]+)(#[^>]*)?>\)/g, (link: string, uri: string, fragment = "") => {
    const relative = path.relative(folder, pathOf(uri));
    return path.isAbsolute(relative) ? link : `(<${relative.split(path.sep).map(encodeURIComponent).join("/")}${fragment}>)`;
  });
}
