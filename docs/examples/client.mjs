// Call tools over WebSocket. Node 22 and browsers have WebSocket built in.
//
//   benchpin serve --transport ws &
//   node docs/examples/client.mjs ws://localhost:3000/mcp README.md

class MCPClient {
  constructor(url) {
    this.ws = new WebSocket(url);
    this.id = 0;
    this.pending = new Map();
    this.opened = new Promise((resolve, reject) => {
      this.ws.onopen = resolve;
      this.ws.onerror = () => reject(new Error(`cannot connect to ${url}`));
    });

    this.ws.onmessage = (event) => {
      const response = JSON.parse(event.data);
      const handler = this.pending.get(response.id);
      if (handler) {
        handler(response);
        this.pending.delete(response.id);
      }
    };
  }

  async call(method, params) {
    await this.opened;
    const id = ++this.id;
    return new Promise((resolve) => {
      this.pending.set(id, resolve);
      this.ws.send(JSON.stringify({ jsonrpc: "2.0", method, params, id }));
    });
  }
}

const [url, path] = process.argv.slice(2);
const client = new MCPClient(url);
await client.call("initialize", { protocolVersion: "2024-11-05", capabilities: {} });
const response = await client.call("tools/call", { name: "read_file", arguments: { path } });
console.log(response.result.content[0].text);
client.ws.close();
