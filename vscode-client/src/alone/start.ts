/** The first message to a worker: where Python and Keepstate are. */

export interface InNode {
  /** dist/python of the extension. */
  readonly folder: string;
}

/** The files of that folder, since editors in a browser serve an extension in ways that differ. */
export interface InBrowser {
  readonly program: Uint8Array;
  readonly library: Uint8Array;
  readonly memory: Uint8Array;
  readonly lock: string;
}

export type Start = InNode | InBrowser;
