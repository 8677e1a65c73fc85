/** The page of the playground: two versions of a job, what a restart does to their state, and the plans of both. */
import type { EditorView } from "@codemirror/view";
import { type Completion, type Finding, type Fix, Host, type Hover, JOB, type Plans, type Problem, type Report, TABLES } from "./contract.js";
import { drawPlans, element } from "./drawing.js";
import * as editors from "./editors.js";
import { type Example, exampleOf, fragmentOf, namedExample } from "./example.js";

/** How long nothing is typed before the text is compared, in milliseconds. */
const PAUSE = 150;
const VERDICTS: Record<string, string> = {
  compatible: "Compatible: the state is kept",
  partial: "Partly compatible: a part of the state is kept",
  unknown: "Unknown: Keepstate cannot tell what becomes of the state",
  incompatible: "Incompatible: state is lost, or the job does not start",
};
const EFFECTS: Record<string, string> = {
  "does-not-start": "Incompatible: the job does not start from its savepoint",
  "wrong-results": "Incompatible: the job starts, and its results are wrong",
};
const FIRST: Example = {
  engine: "flink",
  tables: `CREATE TABLE orders (
  shop STRING,
  item STRING,
  price INT
) WITH ('connector' = 'kafka');
`,
  baseline: { text: "SELECT shop, SUM(price) AS revenue\nFROM orders\nGROUP BY shop;\n", parameters: {}, engineVersion: null },
  current: { text: "SELECT shop, MAX(price) AS revenue\nFROM orders\nGROUP BY shop;\n", parameters: {}, engineVersion: null },
};

function part<Kind extends HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no ${id}`);
  }
  return found as Kind;
}

const host = new Host();
const engine = part<HTMLSelectElement>("engine");
let isSetting = false;
const changed = (): void => {
  if (!isSetting) {
    soon();
  }
};
const hoverOf = (file: string): editors.Asked["hover"] => (position) => host.ask<Hover>("hover", example(), { file, position });
const about = (file: string): editors.Asked => ({
  changed,
  hover: hoverOf(file),
  complete: (position) => host.ask<Completion>("complete", example(), { file, position }, true),
});
const tables = editors.editorIn(part("tables"), "Tables of both versions", { changed, hover: hoverOf(TABLES) });
const baseline = editors.editorIn(part("baseline"), "Baseline: what runs now", { changed });
const current = editors.editorIn(part("current"), "Current: what shall run", about(JOB));
const views: Record<string, EditorView> = { [JOB]: current, [TABLES]: tables };

function parametersIn(id: string): Record<string, string> {
  const lines = part<HTMLTextAreaElement>(id).value.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()]));
}

function sideIn(name: "baseline" | "current", view: EditorView): Example["current"] {
  const version = part<HTMLInputElement>(`${name}-version`).value.trim();
  return { text: view.state.doc.toString(), parameters: parametersIn(`${name}-parameters`), engineVersion: version || null };
}

function example(): Example {
  return { engine: engine.value, tables: tables.state.doc.toString(), baseline: sideIn("baseline", baseline), current: sideIn("current", current) };
}

function setExample(given: Example): void {
  isSetting = true;
  engine.value = given.engine;
  editors.setText(tables, given.tables);
  for (const [name, view, side] of [["baseline", baseline, given.baseline], ["current", current, given.current]] as const) {
    editors.setText(view, side.text);
    part<HTMLInputElement>(`${name}-version`).value = side.engineVersion ?? "";
    part<HTMLTextAreaElement>(`${name}-parameters`).value = Object.entries(side.parameters).map(([key, value]) => `${key}=${value}`).join("\n");
  }
  isSetting = false;
  soon(0);
}

let timer: ReturnType<typeof setTimeout> | undefined;
let wanted = 0;
let isBusy = false;

function soon(pause = PAUSE): void {
  wanted += 1;
  clearTimeout(timer);
  timer = setTimeout(() => void compare(), pause);
}

/** Compares what the editors hold. What is typed meanwhile is compared afterwards, however many letters it has. */
async function compare(): Promise<void> {
  if (isBusy) {
    return;
  }
  isBusy = true;
  const number = wanted;
  const isOutdated = (): boolean => number !== wanted;
  try {
    const given = example();
    for (const fixes of [false, true]) {
      const report = await host.ask<Report>("check", given, { fixes });
      if (isOutdated()) {
        return;
      }
      showReport(report);
    }
    const plans = await host.ask<Plans>("plan", given);
    if (!isOutdated()) {
      part("plan").replaceChildren(...drawPlans(plans));
      document.body.dataset["ready"] = "yes";
    }
  } catch (error) {
    showError(error);
  } finally {
    isBusy = false;
    if (isOutdated()) {
      clearTimeout(timer);
      timer = setTimeout(() => void compare(), 0);
    }
  }
}

function showError(error: unknown): void {
  part("verdict").dataset["verdict"] = "error";
  part("verdict").textContent = error instanceof Error ? error.message : String(error);
}

function showReport(report: Report): void {
  const findings = report.files.flatMap((file) => file.findings);
  const [file] = report.files;
  const verdict = part("verdict");
  const words = (file?.effect != null && EFFECTS[file.effect]) || VERDICTS[report.verdict] || report.verdict;
  verdict.dataset["verdict"] = report.verdict;
  const text = [words, ...(file?.reason ? [file.reason] : [])].join(". ");
  if (verdict.textContent !== text) {
    verdict.textContent = text;
  }
  part("tool").textContent = `Keepstate ${report.tool.version}, profile ${report.engine}`;
  part("findings").replaceChildren(
    ...report.problems.map((problem) => problemItem(problem)),
    ...findings.map((finding) => findingItem(finding)),
  );
  for (const [name, view] of Object.entries(views)) {
    const own = findings.filter((finding) => finding.file === name);
    const problems = report.problems.filter((problem) => problem.path === name && problem.side === "current");
    const doc = view.state.doc;
    editors.show(view, [...editors.problemDiagnostics(doc, problems), ...editors.findingDiagnostics(doc, own, applyFix)]);
  }
  const unread = report.problems.filter((problem) => problem.path === JOB && problem.side === "baseline");
  editors.show(baseline, editors.problemDiagnostics(baseline.state.doc, unread));
}

function problemItem(problem: Problem): HTMLElement {
  const item = element("li", "", "finding");
  const where = problem.side === "baseline" ? "In the baseline" : "Problem";
  item.append(element("strong", `${where}: `, ""), problem.message);
  return item;
}

/** A finding in words, for the keyboard and for who does not see the squiggle. */
function findingItem(finding: Finding): HTMLElement {
  const item = element("li", "", "finding");
  item.dataset["verdict"] = finding.verdict;
  const line = finding.range.start.line + 1;
  item.append(
    button(`Line ${line}`, () => {
      const view = views[finding.file];
      if (view !== undefined) {
        editors.goTo(view, finding.range);
      }
    }),
    element("strong", ` ${finding.verdict} `, ""),
    `${finding.message} `,
    element("code", finding.rule, ""),
  );
  for (const fix of editors.applicable(finding.fixes)) {
    const fixed = button(fix.title, () => applyFix(fix));
    fixed.classList.add("fix");
    item.append(" ", fixed);
  }
  return item;
}

function button(words: string, act: () => void): HTMLButtonElement {
  const made = element("button", words, "") as HTMLButtonElement;
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function applyFix(fix: Fix): void {
  for (const [name, view] of Object.entries(views)) {
    const own = fix.edits.filter((edit) => edit.file === name);
    if (own.length > 0) {
      editors.applyEdits(view, own);
    }
  }
}

async function open(fragment: string): Promise<void> {
  try {
    const name = fragment.match(/^example=(.+)$/)?.[1];
    setExample(fragment === "" ? FIRST : name === undefined ? await exampleOf(fragment) : await namedExample(decodeURIComponent(name)));
  } catch (error) {
    setExample(FIRST);
    part("notice").textContent = `${error instanceof Error ? error.message : String(error)} The first example is shown instead.`;
  }
}

part("link").addEventListener("click", () => {
  void fragmentOf(example()).then(async (fragment) => {
    history.replaceState(null, "", `#${fragment}`);
    await navigator.clipboard.writeText(location.href).then(
      () => (part("notice").textContent = "The link is copied. It holds the whole example, and nothing was sent anywhere."),
      () => (part("notice").textContent = "The link is in the address of this page. It holds the whole example."),
    );
  });
});
part("take").addEventListener("click", () => editors.setText(baseline, current.state.doc.toString()));
for (const id of ["engine", "baseline-version", "current-version", "baseline-parameters", "current-parameters"]) {
  part(id).addEventListener("input", () => soon());
}
addEventListener("hashchange", () => void open(location.hash.slice(1)));
part("playground").hidden = false;
part("absent").hidden = true;
part("verdict").textContent = "Python is being started in your browser ...";
void open(location.hash.slice(1));
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("offline.js").catch((error: unknown) => console.info("works online only:", error));
}
