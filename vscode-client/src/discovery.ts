/**
 * Which server to start. Free of `vscode`, so that it can be tested without an editor: all it knows of the machine
 * comes in as `Surroundings`.
 */
import * as path from "node:path";

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
export class ServerNotFound extends Error {}

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
  isFile(path: string): boolean;
  /** Whether this interpreter can import the server. */
  hasServer(python: string): Promise<boolean>;
  /** The interpreter chosen in the Python extension, if there is one. */
  chosenPython(): Promise<string | undefined>;
}

/**
 * The first server that is there: named by a setting, on PATH, in the chosen Python environment, in the `.venv` of a
 * workspace folder. What a setting names is never silently replaced by something else.
 *
 * @throws ServerNotFound
 */
export async function findServer(machine: Surroundings): Promise<ServerCommand> {
  // Whoever names a program by a place in the workspace has not yet said that this workspace may provide it.
  const here = machine.trusted ? machine : { ...machine, folders: [] };
  const named = serverOfSettings(here);
  if (named !== undefined) {
    return named;
  }
  const onPath = findOnPath("keepstate", here);
  if (onPath !== undefined) {
    return { command: onPath, args: here.serverArgs, origin: "found on PATH" };
  }
  if (!here.trusted) {
    throw new ServerNotFound("No `keepstate` command on PATH, and in an untrusted workspace nothing else is started.");
  }
  const chosen = await here.chosenPython();
  if (chosen !== undefined && (await here.hasServer(chosen))) {
    return withPython(chosen, "of the environment chosen in the Python extension");
  }
  for (const folder of here.folders) {
    const python = pythonOf(here, ".venv", folder);
    if (here.isFile(python) && (await here.hasServer(python))) {
      return withPython(python, `in ${folder}`);
    }
  }
  throw new ServerNotFound("No `keepstate` command on PATH, in the chosen Python environment, or in `.venv`.");
}

function serverOfSettings(here: Surroundings): ServerCommand | undefined {
  const [cwd] = here.folders;
  const [program, ...rest] = typeof here.serverPath === "string" ? [here.serverPath] : here.serverPath;
  if (program) {
    const isWhole = typeof here.serverPath !== "string";
    const args = isWhole ? rest.map((arg) => expand(arg, here)) : here.serverArgs;
    const command = resolveProgram(program, here);
    if (command === undefined) {
      throw notThere("keepstate.server.path", program, here);
    }
    return { command, args, origin: "named by keepstate.server.path", ...(cwd !== undefined && { cwd }) };
  }
  if (here.python) {
    const python = resolveProgram(here.python, here);
    if (python === undefined) {
      throw notThere("keepstate.python", here.python, here);
    }
    return withPython(python, "named by keepstate.python");
  }
  return undefined;
}

function notThere(setting: string, program: string, here: Surroundings): ServerNotFound {
  const where = here.trusted ? "there" : "there, or lies in this untrusted workspace";
  return new ServerNotFound(`The setting \`${setting}\` names ${program}, which is not ${where}.`);
}

function withPython(python: string, origin: string): ServerCommand {
  return { command: python, args: ["-m", "keepstate_lsp"], origin };
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

function pythonOf(here: Surroundings, environment: string, folder: string): string {
  const inside = here.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  return pathsOf(here).join(folder, environment, ...inside);
}

function pathsOf(here: Surroundings): path.PlatformPath {
  return here.platform === "win32" ? path.win32 : path.posix;
}
