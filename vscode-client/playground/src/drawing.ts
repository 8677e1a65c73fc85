/** Plans as drawings. Names and expressions come from SQL: they are text nodes, never markup. */
import type { PlanOperator, Plans } from "./contract.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [CHARACTER, LINE, PADDING, GAP] = [7.3, 17, 9, 26];
const LONGEST = 54;

interface Box {
  lines: { text: string; style: string }[];
  style: string;
  width: number;
  height: number;
  /** The width with all inputs. */
  whole: number;
  inputs: Box[];
}

/** All queries of both versions: the baseline left, the current version right. */
export function drawPlans(plans: Plans): HTMLElement[] {
  return plans.pipelines.map((pipeline) => {
    const section = element("section", "", "plan");
    section.append(element("h3", pipeline.verdict === null ? pipeline.name : `${pipeline.name}: ${pipeline.verdict}`, ""));
    const marks = new Map<string, string>();
    for (const { kind, baseline, current } of pipeline.differences) {
      for (const id of [baseline, current]) {
        if (id !== null && marks.get(id) !== "added" && marks.get(id) !== "removed") {
          marks.set(id, kind);
        }
      }
    }
    const sides = element("div", "", "plan-sides");
    for (const [title, side, id] of [["Baseline", plans.baseline, pipeline.baseline], ["Current", plans.current, pipeline.current]] as const) {
      const found = side.pipelines.find(({ root }) => root.id === id);
      const figure = element("figure", "", "");
      figure.append(element("figcaption", found === undefined ? `${title}: no such query` : title, ""));
      if (found !== undefined) {
        const scrolled = element("div", "", "plan-scrolled");
        scrolled.tabIndex = 0;
        scrolled.append(drawing(found.root, marks, `${title} plan of ${pipeline.name}`));
        figure.append(scrolled);
      }
      sides.append(figure);
    }
    section.append(sides);
    return section;
  });
}

function drawing(root: PlanOperator, marks: Map<string, string>, label: string): SVGElement {
  const box = boxOf(root, marks);
  const svg = shape("svg", { width: box.whole + 2, height: heightOf(box) + 2, role: "img", "aria-label": `${label}: ${inWords(root)}` });
  place(svg, box, 1, 1);
  return svg;
}

function boxOf(operator: PlanOperator, marks: Map<string, string>): Box {
  const mark = marks.get(operator.id) ?? "same";
  const sign = { same: "", changed: "~ ", added: "+ ", removed: "- " }[mark] ?? "";
  const lines = [{ text: sign + operator.operator, style: "plan-title" }];
  for (const [name, items] of Object.entries(operator.facts)) {
    lines.push({ text: clipped(`${name}: ${items.join(", ")}`), style: "plan-fact" });
  }
  if (operator.state !== null) {
    lines.push({ text: clipped(`state: ${operator.state.title}`), style: "plan-state" });
    for (const [name, items] of [["key", operator.state.keyed_by], ["keeps", operator.state.keeps]] as const) {
      if (items.length > 0) {
        lines.push({ text: clipped(`  ${name}: ${items.join(", ")}`), style: "plan-state" });
      }
    }
  }
  const inputs = operator.inputs.map((input) => boxOf(input, marks));
  const width = Math.max(...lines.map(({ text }) => text.length)) * CHARACTER + 2 * PADDING;
  const below = inputs.reduce((sum, input) => sum + input.whole + GAP, -GAP);
  return { lines, style: `plan-box plan-${mark}`, width, height: lines.length * LINE + 2 * PADDING, whole: Math.max(width, below), inputs };
}

function heightOf(box: Box): number {
  return box.height + Math.max(0, ...box.inputs.map((input) => GAP + heightOf(input)));
}

function place(svg: SVGElement, box: Box, left: number, top: number): void {
  const x = left + (box.whole - box.width) / 2;
  svg.append(shape("rect", { x, y: top, width: box.width, height: box.height, rx: 4, class: box.style }));
  box.lines.forEach(({ text, style }, index) => {
    const line = shape("text", { x: x + PADDING, y: top + PADDING + (index + 0.75) * LINE, class: style });
    line.textContent = text;
    svg.append(line);
  });
  const inner = box.inputs.reduce((sum, input) => sum + input.whole + GAP, -GAP);
  let at = left + (box.whole - inner) / 2;
  for (const input of box.inputs) {
    const y = top + box.height;
    svg.append(shape("line", { x1: x + box.width / 2, y1: y, x2: at + input.whole / 2, y2: y + GAP, class: "plan-line" }));
    place(svg, input, at, y + GAP);
    at += input.whole + GAP;
  }
}

/** The drawing for who does not see it. */
function inWords(operator: PlanOperator): string {
  const facts = Object.entries(operator.facts).map(([name, items]) => `${name} ${items.join(", ")}`);
  const state = operator.state === null ? [] : [`keeps ${operator.state.title}`];
  const inputs = operator.inputs.length === 0 ? "" : `, over ${operator.inputs.map(inWords).join("; and over ")}`;
  return `${[operator.operator, ...facts, ...state].join(", ")}${inputs}`;
}

function clipped(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

export function element(name: string, text: string, style: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  if (style !== "") {
    made.className = style;
  }
  return made;
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(NAMESPACE, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  return made;
}
