/**
 * A stand-in for the interface of the editor, as far as a window without a server uses it: what is registered is kept,
 * and a test plays the person. The real editor is in tests/editors.
 */

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => unknown>();
  readonly event = (listener: (value: T) => unknown): Disposable => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
  dispose(): void {
    this.listeners.clear();
  }
}

interface Disposable {
  dispose(): unknown;
}
const nothing: Disposable = { dispose: () => undefined };

export class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = "",
  ) {}
  static parse(text: string): Uri {
    const [, scheme = "", path = ""] = /^([\w-]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path);
  }
  static from({ scheme, path, query }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(scheme, path, query);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    const found: string[] = [];
    for (const part of [...base.path.split("/"), ...parts.flatMap((each) => each.split("/"))]) {
      part === ".." ? found.pop() : part !== "" && found.push(part);
    }
    return new Uri(base.scheme, `/${found.join("/")}`);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}://${this.path}${this.query && `?${this.query}`}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
  isAfter(other: Position): boolean {
    return this.line > other.line || (this.line === other.line && this.character > other.character);
  }
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...ends: [Position, Position] | [number, number, number, number]) {
    const [one, two, three, four] = ends;
    this.start = one instanceof Position ? one : new Position(one, two as number);
    this.end = one instanceof Position ? (two as Position) : new Position(three as number, four as number);
  }
  intersection(other: Range): Range | undefined {
    return this.start.isAfter(other.end) || other.start.isAfter(this.end) ? undefined : this;
  }
  isEqual(other: Range): boolean {
    return JSON.stringify(this) === JSON.stringify(other);
  }
}
export class Location {
  constructor(
    readonly uri: Uri,
    readonly range: Range,
  ) {}
}
export class Diagnostic {
  source?: string;
  code?: string;
  relatedInformation?: unknown[];
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}
export class DiagnosticRelatedInformation {
  constructor(
    readonly location: Location,
    readonly message: string,
  ) {}
}
export class MarkdownString {
  constructor(public value = "") {}
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, "\\$&").replace(/ /g, "&nbsp;");
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  appendCodeblock(text: string, language: string): this {
    this.value += `\n\`\`\`${language}\n${text}\n\`\`\`\n`;
    return this;
  }
}
export class Hover {
  constructor(
    readonly contents: MarkdownString[],
    readonly range: Range,
  ) {}
}
export class CodeLens {
  constructor(
    readonly range: Range,
    readonly command: { title: string; command: string; arguments?: unknown[] },
  ) {}
}
export class CodeAction {
  edit?: WorkspaceEdit;
  diagnostics?: Diagnostic[];
  isPreferred?: boolean;
  constructor(
    readonly title: string,
    readonly kind: string,
  ) {}
}
export class WorkspaceEdit {
  readonly replaced: [string, Range, string][] = [];
  readonly created: [string, string][] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.replaced.push([uri.toString(), range, text]);
  }
  createFile(uri: Uri, { contents }: { contents: Uint8Array }): void {
    this.created.push([uri.toString(), new TextDecoder().decode(contents)]);
  }
}
export class CompletionItem {
  constructor(
    readonly label: string,
    readonly kind: number,
  ) {}
}
export const FileType = { File: 1, Directory: 2 };
export const CodeActionKind = { QuickFix: "quickfix" };
export const CompletionItemKind = new Proxy({}, { get: (_, name) => String(name) });
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };

/** What a test sets and looks at. */
export const stage = {
  files: new Map<string, string>(),
  settings: {} as Record<string, unknown>,
  documents: [] as Document[],
  git: undefined as unknown,
  diagnostics: new Map<string, Diagnostic[]>(),
  providers: {} as Record<string, unknown>,
  commands: [] as [string, ...unknown[]][],
  said: [] as string[],
  opened: new EventEmitter<Document>(),
  changed: new EventEmitter<{ document: Document }>(),
  closed: new EventEmitter<Document>(),
  configured: new EventEmitter<{ affectsConfiguration(section: string): boolean }>(),
};

export class Document {
  version = 1;
  isClosed = false;
  constructor(
    readonly uri: Uri,
    private text: string,
    readonly languageId = "sql",
    readonly isUntitled = false,
  ) {}
  getText(): string {
    return this.text;
  }
  type(text: string): void {
    this.text = text;
    this.version += 1;
    stage.changed.fire({ document: this });
  }
}

const provider = (kind: string) => (_selector: unknown, given: unknown): Disposable => {
  stage.providers[kind] = given;
  return nothing;
};
export const languages = {
  registerHoverProvider: provider("hover"),
  registerCodeActionsProvider: provider("actions"),
  registerCodeLensProvider: provider("lenses"),
  registerCompletionItemProvider: provider("completions"),
  match: (_selector: unknown, { languageId }: Document): number => (["sql", "flink-sql"].includes(languageId) ? 10 : 0),
  createDiagnosticCollection: () => ({
    set: (uri: Uri, found: Diagnostic[]) => stage.diagnostics.set(uri.toString(), found),
    delete: (uri: Uri) => stage.diagnostics.delete(uri.toString()),
    dispose: () => stage.diagnostics.clear(),
  }),
};
const watched = { onDidChange: () => nothing, onDidCreate: () => nothing, onDidDelete: () => nothing, dispose: () => undefined };
export const workspace = {
  get textDocuments(): Document[] {
    return stage.documents;
  },
  fs: {
    readDirectory: async (folder: Uri): Promise<[string, number][]> => {
      const base = `${folder.toString()}/`;
      const below = [...stage.files.keys()].filter((uri) => uri.startsWith(base)).map((uri) => uri.slice(base.length).split("/"));
      const entries = new Map(below.map(([name = "", ...rest]) => [name, rest.length > 0 ? FileType.Directory : FileType.File]));
      return [...entries];
    },
    readFile: async (uri: Uri): Promise<Uint8Array> => {
      const text = stage.files.get(uri.toString());
      if (text === undefined) {
        throw new Error(`no file ${uri.toString()}`);
      }
      return new TextEncoder().encode(text);
    },
  },
  getConfiguration: () => ({
    get: (name: string, otherwise?: unknown) => stage.settings[name] ?? otherwise,
    inspect: (name: string) => ({ globalValue: stage.settings[name] }),
  }),
  getWorkspaceFolder: () => undefined,
  createFileSystemWatcher: () => watched,
  registerTextDocumentContentProvider: (_scheme: string, given: unknown): Disposable => {
    stage.providers["baseline"] = given;
    return nothing;
  },
  onDidOpenTextDocument: stage.opened.event,
  onDidChangeTextDocument: stage.changed.event,
  onDidCloseTextDocument: stage.closed.event,
  onDidChangeConfiguration: stage.configured.event,
};
export const window = {
  activeTextEditor: undefined as { document: Document } | undefined,
  showInformationMessage: async (words: string): Promise<undefined> => void stage.said.push(words),
};
export const commands = {
  executeCommand: async (...call: [string, ...unknown[]]): Promise<void> => void stage.commands.push(call),
};
export const extensions = {
  getExtension: () => stage.git && { activate: async () => ({ getAPI: () => stage.git }) },
};
