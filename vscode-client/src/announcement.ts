/** What this client can do beyond the protocol (docs/language-server.md), said to the server as it starts. */
import * as vscode from "vscode";
import type { StaticFeature } from "vscode-languageclient/node";

/** The client's command behind a code lens: current and baseline side by side. */
export const COMPARE = "keepstate.compare";
/** The client's command behind the code action that plans a cutover. */
export const PLAN_CUTOVER = "keepstate.planCutover";

export const announcement: StaticFeature = {
  getState: () => ({ kind: "static" }),
  fillClientCapabilities: (capabilities) => {
    const keepstate = { commands: [COMPARE, PLAN_CUTOVER], commandLinks: true, status: true, untrusted: !vscode.workspace.isTrusted };
    capabilities.experimental = { ...capabilities.experimental, keepstate };
  },
  initialize: () => undefined,
  clear: () => undefined,
};
