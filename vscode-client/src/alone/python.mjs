/** Keepstate in Pyodide: Python goes on where the build has left it, and one function puts a request to it. */

/** The way back of what the build has deflated. */
const inflated = (/** @type {ReadableStream} */ stream) => new Response(stream.pipeThrough(new DecompressionStream("deflate-raw")));

/**
 * Starts Python from the memory that the build has kept, in which Keepstate is imported: that takes a fifth of a start
 * from its files.
 *
 * @typedef {{ HEAP8: Int8Array, growMemory(size: number): unknown }} Memory
 * @typedef {{ globals: { get(name: string): (request: string) => string } }} Python
 * @param {{ loadPyodide(options: object): Promise<any>, createPyodideModule(settings: any): Promise<Memory> }} pyodide
 * @param {{ program: ReadableStream, memory: ReadableStream }} parts
 * @param {object} options of loadPyodide
 * @returns {Promise<(request: string) => string>} from the JSON of a request to that of its answer
 */
export async function startHost({ loadPyodide, createPyodideModule }, { program, memory }, options) {
  // Pyodide asks for its program by itself, unless this name is there.
  Object.assign(globalThis, { WasmOffsetConverter: null });
  const compiled = WebAssembly.compileStreaming(new Response(inflated(program).body, { headers: { "content-type": "application/wasm" } }));
  const bytes = inflated(memory).arrayBuffer();
  const [module, kept] = await Promise.all([compiled, bytes]);
  /** @type {Python} */
  const python = await loadPyodide({
    ...options,
    _loadSnapshot: kept,
    createPyodideModule: async (/** @type {object} */ settings) => {
      const created = await new Promise((resolve, reject) => {
        createPyodideModule({ ...settings, instantiateWasm: instantiating(module, reject) }).then(resolve, reject);
      });
      // Pyodide copies the memory, and takes for granted that there is room for it.
      created.growMemory(Math.max(created.HEAP8.length, kept.byteLength));
      return created;
    },
  });
  const answer = python.globals.get("answer");
  return (request) => {
    try {
      return answer(request);
    } catch (error) {
      // A question that fails costs no other one. The last line of Python's words says what is wrong.
      const { id } = JSON.parse(request);
      return JSON.stringify({ id, error: `Keepstate failed at this text: ${String(error).trim().split("\n").at(-1)}` });
    }
  };
}

/** The hook by which Emscripten lets others make the instance. */
function instantiating(/** @type {WebAssembly.Module} */ module, /** @type {(reason: unknown) => void} */ failed) {
  const mark = Symbol("error");
  return (/** @type {any} */ imports, /** @type {Function} */ done) => {
    // A value that no other is, as Pyodide has it for browsers that cannot make one in WebAssembly.
    imports.env.Jsv_GetError_import = () => mark;
    imports.env.JsvError_Check = (/** @type {unknown} */ value) => value === mark;
    WebAssembly.instantiate(module, imports).then((instance) => done(instance, module)).catch(failed);
    return {};
  };
}
