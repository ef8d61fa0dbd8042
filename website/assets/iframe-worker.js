// Workers for pages that are opened from the disk, where browsers refuse to start real ones: the script of the worker
// runs in a hidden frame of the same page instead. The search needs it.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.ready = this.start(new URL(url, location.href).href);
    }

    start(url) {
      const inside = this.inside;
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script");
          script.src = source;
          script.onload = done;
          script.onerror = () => failed(new Error(`cannot load ${source}`));
          inside.document.body.append(script);
        });
      inside.importScripts = (...sources) => sources.reduce((before, next) => before.then(() => load(next)), Promise.resolve());
      // What the worker sends goes to the page.
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      return load(url);
    }

    // What the page sends goes to the worker.
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
