/**
 * Which server to start. Free of `vscode`, so that it can be tested without an editor: all it knows of the machine
 * comes in as `Surroundings`.
 */
import * as path from "node:path";
import { isRecentEnough, NAMES, OLDEST, type Python } from "./pythons";

/** A program that speaks the language server protocol on its standard streams. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for people: "named by keepstate.server.path". */
  readonly origin: string;
  /** The folder to run in. Undefined where any will do: then it must not be one that a workspace can put files into. */
  readonly cwd?: string;
}

/** No server is to be had; the message says why, in words for a person. */
export class ServerNotFound extends Error {
  constructor(
    message: string,
    /** The setting that would help. */
    readonly setting: "server.path" | "python",
    /** Whether a newer Python would help as well. */
    readonly lacksPython = false,
  ) {
    super(message);
  }
}

/** The server that came with the extension has no Python to run in: no setting names any, and none was found. */
export class NoPython extends ServerNotFound {}

export interface Surroundings {
  readonly serverPath: string | readonly string[];
  readonly serverArgs: readonly string[];
  readonly python: string;
  /** Workspace folders on disk, the first one first. */
  readonly folders: readonly string[];
  /** Whether the user trusts the workspace. If not, nothing that lies in it is started. */
  readonly trusted: boolean;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The interpreter chosen in the Python extension, if that has said so. */
  readonly chosenPython?: string | undefined;
  /** The folder of the server that came with the extension: a program that Python runs. */
  readonly bundled: string;
  isFile(path: string): boolean;
  /** Whether this interpreter can import a server of its own. */
  hasServer(python: string): Promise<boolean>;
  /** Which Python that is; undefined if it is none. */
  describe(program: string, args?: readonly string[]): Promise<Python | undefined>;
}

/**
 * The first server that is there: named by a setting, on PATH, in the chosen Python environment, in the `.venv` of a
 * workspace folder, and last the one that came with the extension, run by the first Python that is recent enough. What
 * a setting names is never silently replaced by something else.
 *
 * @throws ServerNotFound
 */
export async function findServer(machine: Surroundings): Promise<ServerCommand> {
  // Whoever names a program by a place in the workspace has not yet said that this workspace may provide it; and the
  // Python extension may have been told by the workspace.
  const here = machine.trusted ? machine : { ...machine, folders: [], chosenPython: undefined };
  const named = await serverOfSettings(here);
  if (named !== undefined) {
    return named;
  }
  const onPath = findOnPath("keepstate", here);
  if (onPath !== undefined) {
    return { command: onPath, args: here.serverArgs, origin: "found on PATH" };
  }
  if (here.chosenPython !== undefined && (await here.hasServer(here.chosenPython))) {
    return withPython(here.chosenPython, "of the environment chosen in the Python extension");
  }
  for (const folder of here.folders) {
    const python = pythonIn(here, ".venv", folder);
    if (here.isFile(python) && (await here.hasServer(python))) {
      return withPython(python, `in ${folder}`);
    }
  }
  return bundledServer(here);
}

async function serverOfSettings(here: Surroundings): Promise<ServerCommand | undefined> {
  const [cwd] = here.folders;
  const [program, ...rest] = typeof here.serverPath === "string" ? [here.serverPath] : here.serverPath;
  if (program) {
    const isWhole = typeof here.serverPath !== "string";
    const args = isWhole ? rest.map((arg) => expand(arg, here)) : here.serverArgs;
    const command = resolveProgram(program, here);
    if (command === undefined) {
      throw notThere("server.path", program, here);
    }
    return { command, args, origin: "named by keepstate.server.path", ...(cwd !== undefined && { cwd }) };
  }
  if (here.python) {
    const python = resolveProgram(here.python, here);
    if (python === undefined) {
      throw notThere("python", here.python, here);
    }
    const origin = "named by keepstate.python";
    if (await here.hasServer(python)) {
      return withPython(python, origin);
    }
    const found = await here.describe(python);
    if (found !== undefined && isRecentEnough(found)) {
      return withBundle(found, `run by the Python ${origin}`, here);
    }
    const what = found === undefined ? "is no Python that answers" : `is Python ${found.version.join(".")}`;
    throw new ServerNotFound(
      `The setting \`keepstate.python\` names ${python}, which ${what}; Keepstate needs ${OLDEST_WORDS}.`,
      "python",
      true,
    );
  }
  return undefined;
}

const OLDEST_WORDS = `Python ${OLDEST[0]}.${OLDEST[1]} or newer`;

/** The server that came with the extension, run by the first Python that is recent enough for it. */
async function bundledServer(here: Surroundings): Promise<ServerCommand> {
  if (!here.isFile(pathsOf(here).join(here.bundled, "__main__.py"))) {
    throw new ServerNotFound("No `keepstate` was found, and this build of the extension brings none.", "server.path");
  }
  const tooOld = new Map<string, string>();
  for (const { program, args, origin } of candidates(here)) {
    const found = await here.describe(program, args);
    if (found === undefined) {
      continue;
    }
    if (isRecentEnough(found)) {
      return withBundle(found, `run by ${origin}`, here);
    }
    tooOld.set(found.executable, found.version.join("."));
  }
  const seen = [...tooOld].map(([executable, version]) => `${version} (${executable})`);
  const words = seen.length > 0 ? `Found: ${seen.join(", ")}.` : "None was found on PATH.";
  throw new NoPython(`The server needs ${OLDEST_WORDS}. ${words}`, "python", true);
}

interface Candidate {
  readonly program: string;
  readonly args: readonly string[];
  readonly origin: string;
}

function* candidates(here: Surroundings): Generator<Candidate> {
  if (here.chosenPython !== undefined) {
    yield { program: here.chosenPython, args: [], origin: "the interpreter chosen in the Python extension" };
  }
  for (const name of NAMES) {
    const program = findOnPath(name, here);
    // Without developer tools this one of macOS opens a dialog that wants to install them; with them, it is too old.
    if (program !== undefined && !(here.platform === "darwin" && program === "/usr/bin/python3")) {
      yield { program, args: [], origin: `${name} on PATH` };
    }
  }
  const launcher = here.platform === "win32" ? findOnPath("py", here) : undefined;
  if (launcher !== undefined) {
    yield { program: launcher, args: ["-3"], origin: "py -3" };
  }
}

function notThere(setting: "server.path" | "python", program: string, here: Surroundings): ServerNotFound {
  const where = here.trusted ? "there" : "there, or lies in this untrusted workspace";
  return new ServerNotFound(`The setting \`keepstate.${setting}\` names ${program}, which is not ${where}.`, setting);
}

function withPython(python: string, origin: string): ServerCommand {
  return { command: python, args: ["-m", "keepstate_lsp"], origin };
}

/** Isolated from the environment and from installed packages, so that it runs the same everywhere. */
function withBundle({ executable, version }: Python, how: string, here: Surroundings): ServerCommand {
  const origin = `that came with the extension, ${how} (${version.join(".")})`;
  return { command: executable, args: ["-I", "-S", here.bundled], origin };
}

/** A name is looked up on PATH; a relative path counts from the first workspace folder. */
function resolveProgram(program: string, here: Surroundings): string | undefined {
  const expanded = expand(program, here);
  if (!/[\\/]/.test(expanded)) {
    return findOnPath(expanded, here);
  }
  const file = pathsOf(here).resolve(here.folders[0] ?? here.home, expanded);
  return here.isFile(file) ? file : undefined;
}

function expand(text: string, here: Surroundings): string {
  return text
    .replace(/^~(?=[\\/])/, () => here.home)
    .replaceAll("${workspaceFolder}", () => here.folders[0] ?? "${workspaceFolder}");
}

function findOnPath(name: string, here: Surroundings): string | undefined {
  const { delimiter, isAbsolute, join } = pathsOf(here);
  const isWindows = here.platform === "win32";
  const endings = isWindows ? ["", ".exe"] : [""];
  const folders = (here.env["PATH"] ?? here.env["Path"] ?? "").split(delimiter);
  return folders
    // A relative entry would be looked up in the workspace, which may be anybody's.
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find((file) => here.isFile(file));
}

function pythonIn(here: Surroundings, environment: string, folder: string): string {
  const inside = here.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  return pathsOf(here).join(folder, environment, ...inside);
}

function pathsOf(here: Surroundings): path.PlatformPath {
  return here.platform === "win32" ? path.win32 : path.posix;
}
