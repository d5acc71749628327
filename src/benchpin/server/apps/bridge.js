// The page's end of MCP Apps (2026-01-26): JSON-RPC with the host over postMessage. The host hands over the result
// of the tool call that opened the app; nothing is fetched.

/** Stands in for the colour scheme of the system: an app follows its host, which may differ from it. */
class HostScheme extends EventTarget {
  #rules = [];

  constructor(system) {
    super();
    this.matches = system.matches;
    const isDark = (rule) => rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme");
    for (const sheet of document.styleSheets) this.#rules.push(...[...sheet.cssRules].filter(isDark));
  }

  use(theme) {
    this.matches = theme === "dark";
    for (const rule of this.#rules) rule.media.mediaText = this.matches ? "all" : "not all";
    document.documentElement.style.colorScheme = theme;
    this.dispatchEvent(new Event("change"));
  }
}

const askSystem = window.matchMedia.bind(window);
const scheme = new HostScheme(askSystem("(prefers-color-scheme: dark)"));
window.matchMedia = (query) => (query === "(prefers-color-scheme: dark)" ? scheme : askSystem(query));

/** Requests to the host, and what it says. */
class Host {
  #waiting = new Map();
  #last = 0;
  #context = {};

  constructor(handlers) {
    this.handlers = handlers;
    window.addEventListener("message", (event) => {
      if (event.source === window.parent && event.data?.jsonrpc === "2.0") this.#receive(event.data);
    });
  }

  request(method, params) {
    const id = (this.#last += 1);
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  notify(method, params = {}) {
    this.#send({ method, params });
  }

  async connect(name) {
    const found = await this.request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name, version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    this.capabilities = found.hostCapabilities ?? {};
    this.#adapt(found.hostContext ?? {});
    this.notify("ui/notifications/initialized");
  }

  callTool(name, args) {
    return this.request("tools/call", { name, arguments: args });
  }

  get canBeLarger() {
    return (this.#context.availableDisplayModes ?? []).includes("fullscreen");
  }

  #send(message) {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #receive(message) {
    if (message.method === undefined) return this.#settle(message);
    if (message.method === "ui/notifications/host-context-changed") this.#adapt(message.params ?? {});
    this.handlers[message.method]?.(message.params ?? {});
    const isKnown = message.method === "ping" || message.method === "ui/resource-teardown";
    const error = { code: -32601, message: `Method not found: ${message.method}` };
    if (message.id !== undefined) this.#send({ id: message.id, ...(isKnown ? { result: {} } : { error }) });
  }

  #settle({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  /** Take over theme, colours and font of the host. */
  #adapt(changed) {
    this.#context = { ...this.#context, ...changed };
    const { style } = document.documentElement;
    for (const [name, value] of Object.entries(changed.styles?.variables ?? {})) {
      if (name.startsWith("--") && value) style.setProperty(name, value);
    }
    if (changed.theme) scheme.use(changed.theme);
    const { maxHeight, height } = changed.containerDimensions ?? {};
    if (height || maxHeight) style.setProperty("--flame-height", `${Math.round(0.6 * (height ?? maxHeight))}px`);
  }
}
