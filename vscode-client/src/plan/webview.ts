/** What runs in the page: it draws what it is sent, and asks for the clause of the box that was pressed. */
import type { Drawing } from "./drawing";
import { Elements } from "./elements";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const host = acquireVsCodeApi();
const elements = new Elements(document, (pipeline, node, side) => host.postMessage({ pipeline, node, side }));
let place: () => void = () => undefined;

window.addEventListener("message", ({ data }: MessageEvent<Drawing>) => {
  const drawn = elements.drawing(data);
  document.getElementById("plan")?.replaceChildren(...drawn.parts);
  place = drawn.place;
  place();
});
// Fonts may come late, and a zoom makes other sizes.
window.addEventListener("resize", () => place());
host.postMessage({ isReady: true });
