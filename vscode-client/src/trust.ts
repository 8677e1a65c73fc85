/** Commands that a workspace which is not trusted shall not make anybody run. Free of `vscode`, so that it can be tested. */

/** Nothing is written there, as a mark is, and nothing is run over its files: of the extension, then of the server. */
const NEEDS_TRUST: ReadonlySet<string> = new Set([
  "keepstate.recordDeployed",
  "keepstate.replayRestart",
  "keepstate.verifyRestart",
  "keepstate.planCutover",
  "keepstate.markDeployed",
  "keepstate.replay",
  "keepstate.verify",
  "keepstate.cutover",
]);

/** Whether a command may be run, by whatever key. */
export function isAllowed(command: string, isTrusted: boolean): boolean {
  return isTrusted || !NEEDS_TRUST.has(command);
}
