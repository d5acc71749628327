// Lets the search of this site run from the disk: browsers start no worker from a file: page. A
// frame without an address may run the same script, and is given the messages of a worker.
if (location.protocol === "file:") {
  // As from a worker: a copy, in a turn of its own.
  const later = (sent, act) => {
    const data = structuredClone(sent);
    setTimeout(() => act(new MessageEvent("message", { data })));
  };

  window.Worker = class {
    #frame = document.createElement("iframe");
    #inside;

    constructor(address) {
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (sent) => later(sent, (it) => this.onmessage?.(it));
      this.#inside = new Promise((resolve) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href);
        script.addEventListener("load", () => resolve(inside));
        script.addEventListener("error", () => this.onerror?.(new ErrorEvent("error")));
        inside.document.body.append(script);
      });
    }

    async postMessage(sent) {
      const inside = await this.#inside;
      later(sent, (it) => inside.dispatchEvent(it));
    }

    terminate() { this.#frame.remove(); }
  };
}
