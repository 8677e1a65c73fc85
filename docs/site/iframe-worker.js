// A search without a server: browsers start no worker for a page that was opened from a file. There, an invisible frame
// runs the script of the worker in its place. Everywhere else the browser's own workers stay.
(() => {
  if (location.protocol !== "file:") return;

  class IframeWorker extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.scope = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const begin = () => {
        document.body.append(frame);
        this.start(frame, String(address));
      };
      if (document.body) begin();
      else addEventListener("DOMContentLoaded", begin);
    }

    start(frame, address) {
      const scope = frame.contentWindow;
      scope.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      scope.importScripts = (...scripts) => scripts.reduce(
        (before, script) => before.then(() => IframeWorker.load(scope, new URL(script, address).href)),
        Promise.resolve(),
      );
      IframeWorker.load(scope, address).then(() => {
        this.scope = scope;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      });
    }

    static load(scope, address) {
      return new Promise((resolve, reject) => {
        const script = scope.document.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`not found: ${address}`));
        scope.document.body.append(script);
      });
    }

    postMessage(data) {
      if (this.scope) this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    terminate() {
      this.scope = null;
    }
  }

  window.Worker = IframeWorker;
})();
