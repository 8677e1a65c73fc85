/** The elements of a drawing. Texts become text nodes, so names of a script are never markup. */
import type { Drawing, Finding, Pipeline, PlanNode, Side } from "./drawing";
import { BETWEEN_BOXES, cellsOf, edgesOf, topsOf, widthOf, type Cell, type Tree } from "./layout";

const SVG = "http://www.w3.org/2000/svg";
/** Pixels between the rows of boxes. */
const GAP = 24;
/** What says most about an operator, in this order; at most so many lines of a box. */
const FIRST = ["table", "groupBy", "partitionBy", "on", "where", "window", "range", "calls", "state", "keeps", "until"];
const MOST_ROWS = 5;

export type Reveal = (pipeline: number, node: number, side: Side) => void;

/** The parts of a document that are used here, so that a test needs no browser. */
export type Page = Pick<Document, "createElement" | "createElementNS" | "createTextNode">;

export class Elements {
  constructor(
    private readonly page: Page,
    private readonly reveal: Reveal,
  ) {}

  /** Everything but the places, which depend on the sizes that a browser gives the boxes. */
  drawing(drawing: Drawing): { parts: HTMLElement[]; place: () => void } {
    const parts = [this.head(drawing)];
    const places: (() => void)[] = [];
    drawing.pipelines.forEach((pipeline, number) => {
      const { section, place } = this.pipeline(drawing, pipeline, number);
      parts.push(section);
      places.push(place);
    });
    if (drawing.pipelines.length === 0) {
      parts.push(this.element("p", "note", "There is no query."));
    }
    return { parts, place: () => places.forEach((one) => one()) };
  }

  private head(drawing: Drawing): HTMLElement {
    const compared = drawing.baseline !== null;
    const words = compared ? `${drawing.words ?? ""} with ${drawing.baseline}` : "without a baseline";
    const head = this.element("header", "head");
    head.append(this.element("h1", "", drawing.name), this.element("p", `verdict ${drawing.verdict ?? ""}`, words));
    head.append(...this.findings(drawing.findings), ...drawing.problems.map((one) => this.element("p", "problem", one)));
    return head;
  }

  private pipeline(drawing: Drawing, pipeline: Pipeline, number: number): { section: HTMLElement; place: () => void } {
    const section = this.element("section", "pipeline");
    section.append(this.element("h2", "", pipeline.words === null ? pipeline.name : `${pipeline.name}: ${pipeline.words}`));
    section.append(...this.findings(pipeline.findings));
    const sides = this.element("div", "sides");
    const both: readonly Side[] = drawing.baseline === null ? ["current"] : ["baseline", "current"];
    const tree: Tree = { roots: pipeline.roots, inputs: pipeline.nodes.map(({ inputs }) => inputs) };
    const cells = cellsOf(tree);
    const panels = both.map((side) => {
      const panel = this.element("div", "side");
      const title = side === "baseline" ? (drawing.baseline ?? "") : drawing.baseline === null ? "Plan" : "Now";
      panel.append(this.element("h3", "", title));
      const field = this.element("div", "field");
      const edges = this.page.createElementNS(SVG, "svg") as SVGSVGElement;
      edges.setAttribute("aria-hidden", "true");
      field.append(edges);
      const boxes = pipeline.nodes.map((node, index) => this.box(node, side, number, index));
      field.append(...boxes.filter((box) => box !== undefined));
      panel.append(field);
      sides.append(panel);
      return { side, field, edges, boxes };
    });
    section.append(sides);
    const columns = 1 + Math.max(0, ...cells.map(({ column }) => column));
    const place = (): void => {
      const width = widthOf(sides.clientWidth, panels.length, columns);
      for (const box of panels.flatMap(({ boxes }) => boxes)) {
        // Through the object model, which a policy without inline styles allows. Heights depend on it.
        box?.style.setProperty("width", `${width}px`);
      }
      const heights = pipeline.nodes.map((_, index) => Math.max(...panels.map(({ boxes }) => boxes[index]?.offsetHeight ?? 0)));
      const tops = topsOf(cells, heights, GAP);
      for (const { side, field, edges, boxes } of panels) {
        this.put(field, edges, boxes, cells, tops, width);
        const lines = edgesOf(tree, (node) => pipeline.nodes[node]?.[side] != null);
        edges.replaceChildren(...lines.map(({ from, to }) => this.line(cells, tops, boxes, width, from, to)));
      }
    };
    return { section, place };
  }

  /** An operator of one side, as a button that leads to its clause. */
  private box(node: PlanNode, side: Side, pipeline: number, index: number): HTMLElement | undefined {
    const title = node[side];
    if (title === null) {
      return undefined;
    }
    const place = side === "baseline" ? node.baselinePlace : node.place;
    const box = this.element("button", `box ${node.mark}`) as HTMLButtonElement;
    box.type = "button";
    box.append(this.element("span", "title", title));
    // The state of what is new is told where it is, and that of what went where it was.
    const isTold = node.fate !== null && (side === "current" || node.current === null);
    if (isTold && node.fate !== null) {
      box.append(this.element("span", `fate ${node.fate.kind}`, node.fate.words));
    } else if (node.isStateful) {
      box.append(this.element("span", "fate", "state"));
    }
    for (const row of rowsOf(node, side)) {
      const line = this.element("span", row.baseline === row.current || node.mark !== "changed" ? "row" : "row differs");
      line.append(this.element("span", "name", `${row.name}: `), this.page.createTextNode(row[side] ?? ""));
      box.append(line);
    }
    if (side === "current" || node.current === null) {
      box.append(...node.findings.map((one) => this.element("span", `finding ${one.verdict}`, one.message)));
    }
    box.append(this.element("span", "for-readers", place === null ? "" : "Go to the clause"));
    if (place === null) {
      box.setAttribute("aria-disabled", "true");
    } else {
      box.addEventListener("click", () => this.reveal(pipeline, index, side));
    }
    return box;
  }

  private put(
    field: HTMLElement,
    edges: SVGSVGElement,
    boxes: readonly (HTMLElement | undefined)[],
    cells: readonly Cell[],
    tops: readonly number[],
    width: number,
  ): void {
    const whole = Math.max(0, ...cells.map(({ column }) => column)) * (width + BETWEEN_BOXES) + width;
    const height = tops.at(-1) ?? 0;
    field.style.setProperty("width", `${whole}px`);
    field.style.setProperty("height", `${height}px`);
    edges.setAttribute("width", String(whole));
    edges.setAttribute("height", String(height));
    boxes.forEach((box, node) => {
      const cell = cells[node];
      if (box !== undefined && cell !== undefined) {
        box.style.setProperty("left", `${cell.column * (width + BETWEEN_BOXES)}px`);
        box.style.setProperty("top", `${tops[cell.row] ?? 0}px`);
      }
    });
  }

  private line(
    cells: readonly Cell[],
    tops: readonly number[],
    boxes: readonly (HTMLElement | undefined)[],
    width: number,
    from: number,
    to: number,
  ): SVGElement {
    const middle = (node: number): number => (cells[node]?.column ?? 0) * (width + BETWEEN_BOXES) + width / 2;
    const bottom = (tops[cells[to]?.row ?? 0] ?? 0) + (boxes[to]?.offsetHeight ?? 0);
    const top = tops[cells[from]?.row ?? 0] ?? 0;
    const line = this.page.createElementNS(SVG, "path") as SVGElement;
    const turn = top - GAP / 2;
    line.setAttribute("d", `M ${middle(from)} ${top} V ${turn} H ${middle(to)} V ${bottom}`);
    return line;
  }

  private findings(found: readonly Finding[]): HTMLElement[] {
    return found.map((one) => this.element("p", `finding ${one.verdict}`, one.message));
  }

  private element(tag: string, classes: string, text = ""): HTMLElement {
    const made = this.page.createElement(tag);
    if (classes !== "") {
      made.setAttribute("class", classes);
    }
    if (text !== "") {
      made.append(this.page.createTextNode(text));
    }
    return made;
  }
}

/** The rows of a box: those that differ, then those that say most. */
function rowsOf(node: PlanNode, side: Side): PlanNode["rows"] {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const differs = (row: PlanNode["rows"][number]): boolean => node.mark === "changed" && row.baseline !== row.current;
  const own = node.rows.filter((row) => row[side] !== null && (differs(row) || FIRST.includes(row.name)));
  return [...own].sort((a, b) => Number(differs(b)) - Number(differs(a)) || rank(a.name) - rank(b.name)).slice(0, MOST_ROWS);
}
