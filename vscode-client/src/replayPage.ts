/** The page of a replay, and the time that is offered. Free of `vscode`, so that it can be tested without an editor. */

/** Pictures and styles that are in the page itself, and nothing else: no script, no request. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:";

/** The page with a policy of its own in front of everything, whatever is in it. */
export function sealed(page: string): string {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  const head = /<head(?:\s[^>]*)?>/i.exec(page);
  const end = head === null ? 0 : head.index + head[0].length;
  return page.slice(0, end) + meta + page.slice(end);
}

/** A time of the wall clock, as it is typed: to the minute. */
export function timeNow(now: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `${day} ${two(now.getHours())}:${two(now.getMinutes())}`;
}
