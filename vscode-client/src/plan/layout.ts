/**
 * Places of the operators of a plan: the sink at the top, what it reads below, a column for each branch. Both sides are
 * laid out by one grid, so that an operator stands beside its counterpart. Free of a document, to be tested alone.
 */

export interface Tree {
  readonly roots: readonly number[];
  /** For each node the numbers of those that it reads. */
  readonly inputs: readonly (readonly number[])[];
}

export interface Cell {
  /** From 0 at the top. */
  readonly row: number;
  /** From 0 at the left; a parent stands in the middle of its inputs, so it may be a fraction. */
  readonly column: number;
}

export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** Pixels between the sides, and between boxes of one side. */
export const BETWEEN_SIDES = 24;
export const BETWEEN_BOXES = 16;
const NARROWEST = 180;
const WIDEST = 260;

/** The width of a box where so many sides of so many columns have `available` pixels: narrower ones are scrolled. */
export function widthOf(available: number, sides: number, columns: number): number {
  const boxes = available - BETWEEN_SIDES * (sides - 1) - BETWEEN_BOXES * sides * (columns - 1);
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, boxes / (sides * columns))));
}

/** A cell for each node. Two trees stand beside each other. */
export function cellsOf({ roots, inputs }: Tree): readonly Cell[] {
  const cells: Cell[] = inputs.map(() => ({ row: 0, column: 0 }));
  let free = 0;
  // Without recursion: a plan may be as deep as a script is long.
  const pending: { node: number; row: number; isDone: boolean }[] = [...roots]
    .reverse()
    .map((node) => ({ node, row: 0, isDone: false }));
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { node, row, isDone } = entry;
    const children = inputs[node] ?? [];
    if (children.length === 0) {
      cells[node] = { row, column: free++ };
    } else if (isDone) {
      const columns = children.map((child) => cells[child]?.column ?? 0);
      cells[node] = { row, column: (Math.min(...columns) + Math.max(...columns)) / 2 };
    } else {
      pending.push({ node, row, isDone: true });
      pending.push(...[...children].reverse().map((child) => ({ node: child, row: row + 1, isDone: false })));
    }
  }
  return cells;
}

/** The edges of one side: an operator that it does not have is passed over. */
export function edgesOf({ roots, inputs }: Tree, has: (node: number) => boolean): readonly Edge[] {
  const edges: Edge[] = [];
  const pending: { node: number; above: number | undefined }[] = roots.map((node) => ({ node, above: undefined }));
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { node, above } = entry;
    const isHere = has(node);
    if (isHere && above !== undefined) {
      edges.push({ from: node, to: above });
    }
    pending.push(...(inputs[node] ?? []).map((child) => ({ node: child, above: isHere ? node : above })));
  }
  return edges;
}

/** The top of each row, and the height of all, from the heights of the boxes in it. */
export function topsOf(cells: readonly Cell[], heights: readonly number[], gap: number): readonly number[] {
  const rows: number[] = [];
  cells.forEach(({ row }, node) => (rows[row] = Math.max(rows[row] ?? 0, heights[node] ?? 0)));
  const tops = [0];
  for (const height of rows) {
    tops.push((tops.at(-1) ?? 0) + height + gap);
  }
  return tops;
}
