/** Shows a result, and what a click on one of its places leads to. */
class App {
  #size = "";
  #path = "";

  constructor() {
    this.main = document.querySelector("main");
    this.panel = document.querySelector("aside");
    this.host = new Host({
      "ui/notifications/tool-result": (result) => this.show(result),
      "ui/notifications/tool-cancelled": ({ reason }) => this.say(`The call was cancelled. ${reason ?? ""}`),
    });
    document.addEventListener("benchpin:open", (event) => this.open(event.detail.link));
    document.addEventListener("click", (event) => this.#follow(event));
    // No form: the sandbox of hosts need not allow them.
    this.panel.querySelector(".add").addEventListener("click", () => this.#comment());
    this.panel.querySelector(".close").addEventListener("click", () => (this.panel.hidden = true));
    const larger = document.querySelector(".larger");
    larger.addEventListener("click", () => this.host.request("ui/request-display-mode", { mode: "fullscreen" }));
    new ResizeObserver(() => this.#tellSize()).observe(document.body);
    this.host.connect(document.title).then(() => {
      larger.hidden = !this.host.canBeLarger;
    });
  }

  say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.main.replaceChildren(line);
  }

  /** Show the page that came with a result; without one, its text. */
  show(result) {
    const page = result._meta?.["benchpin/app"]?.html;
    if (!page) return this.#showText(this.main, result);
    this.main.replaceChildren(...new DOMParser().parseFromString(page, "text/html").body.childNodes);
    sortTables(this.main);
    drawAll(this.main);
    showFlames(this.main);
  }

  #showText(place, result) {
    const pre = document.createElement("pre");
    pre.textContent = (result.content ?? []).map((block) => block.text ?? "").join("\n");
    place.replaceChildren(pre);
  }

  /** Ask the server, through the host, for the outline of a place: `path` or `path:line`. */
  async open(place) {
    if (!this.host.capabilities?.serverTools) return;
    const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(place);
    this.#path = path;
    this.#field("line").value = line ?? "1";
    this.#field("text").value = "";
    this.panel.querySelector(".comment").hidden = false;
    this.panel.querySelector("h2").textContent = place;
    this.panel.hidden = false;
    await this.#fill("outline_file", { path });
  }

  async #fill(tool, args) {
    const place = this.panel.querySelector(".answer");
    place.textContent = "…";
    try {
      this.#showText(place, await this.host.callTool(tool, args));
    } catch (error) {
      place.textContent = error.message;
    }
  }

  #follow(event) {
    const link = event.target.closest?.('a[href^="#open:"]');
    if (!link) return;
    event.preventDefault();
    this.open(decodeURIComponent(link.getAttribute("href").slice("#open:".length)));
  }

  #field(name) {
    return this.panel.querySelector(`input[name="${name}"]`);
  }

  #comment() {
    const [line, text] = [Number(this.#field("line").value), this.#field("text").value.trim()];
    if (!text || !(line > 0)) return;
    this.panel.querySelector(".comment").hidden = true;
    const comment = { filePath: this.#path, line, text };
    this.#fill("add_comment", { ...comment, tag: "NOTE", author: "user" });
  }

  #tellSize() {
    const { scrollWidth: width } = document.documentElement;
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (this.#size === `${width} ${height}`) return;
    this.#size = `${width} ${height}`;
    this.host.notify("ui/notifications/size-changed", { width, height });
  }
}

new App();
