/** Findings of jobs in the files that have their clauses: a file that several open jobs read shows those of each. */
import type * as vscode from "vscode";

export type Found = readonly (readonly [uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]])[];

export class Published {
  private readonly byJob = new Map<string, Found>();

  constructor(private readonly collection: Pick<vscode.DiagnosticCollection, "set" | "delete">) {}

  /** Shows what was found of a job, in place of what was shown of it. */
  set(job: vscode.Uri, found: Found): void {
    const former = this.byJob.get(job.toString()) ?? [];
    this.byJob.set(job.toString(), found);
    const touched = new Map([...former, ...found].map(([uri]) => [uri.toString(), uri]));
    for (const uri of touched.values()) {
      this.show(uri);
    }
  }

  delete(job: vscode.Uri): void {
    this.set(job, []);
    this.byJob.delete(job.toString());
  }

  private show(uri: vscode.Uri): void {
    const all = [...this.byJob.values()].flat().filter(([each]) => each.toString() === uri.toString());
    // Jobs that read one declaration may say the same of it.
    const different = new Map(all.flatMap(([, diagnostics]) => diagnostics).map((each) => [JSON.stringify([each.range, each.message]), each]));
    if (all.length === 0) {
      this.collection.delete(uri);
    } else {
      this.collection.set(uri, [...different.values()]);
    }
  }
}
