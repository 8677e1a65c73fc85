/** What the page shows, as a link holds it: in the fragment, which no browser sends anywhere. */

export interface Side {
  text: string;
  parameters: Record<string, string>;
  engineVersion: string | null;
}

export interface Example {
  engine: string;
  /** Declarations that both versions read, as a file of its own. */
  tables: string;
  baseline: Side;
  current: Side;
}

const VERSION = "1.";
/** Characters of an example that a link may hold: a short link can hold a long text. */
const MOST = 2_000_000;

export async function fragmentOf(example: Example): Promise<string> {
  const packed = new Blob([JSON.stringify(example)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return VERSION + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The example of a fragment; an error says what is wrong with it. */
export async function exampleOf(fragment: string): Promise<Example> {
  if (!fragment.startsWith(VERSION)) {
    throw new Error("This link is of another version of the playground.");
  }
  const packed = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  return checked(JSON.parse(await unpacked(new Blob([bytes]).stream())));
}

async function unpacked(stream: ReadableStream<BufferSource>): Promise<string> {
  const reader = stream.pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > MOST) {
      throw new Error("The example of this link is too long.");
    }
  }
  return text;
}

/** The example of a rule page, by the name in its link. */
export async function namedExample(name: string): Promise<Example> {
  const response = await fetch("examples.bin");
  const { tables, examples } = JSON.parse(await unpacked((await response.blob()).stream())) as { tables: Record<string, string>; examples: Record<string, Example> };
  const found = Object.hasOwn(examples, name) ? examples[name] : undefined;
  if (found === undefined) {
    throw new Error("There is no example of this name.");
  }
  return checked({ ...found, tables: tables[found.tables] ?? "" });
}

function checked(value: unknown): Example {
  const given = value as Example;
  const sides = [given?.baseline, given?.current];
  const texts = [given?.engine, given?.tables, ...sides.map((side) => side?.text)];
  const parameters = sides.flatMap((side) => Object.values(side?.parameters ?? {}));
  const versions = sides.map((side) => side?.engineVersion ?? "");
  if (![...texts, ...parameters, ...versions].every((text) => typeof text === "string")) {
    throw new Error("This link holds no example.");
  }
  return given;
}
