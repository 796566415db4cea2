// @ts-check
/** Starts the other gateway in this process. It listens on all interfaces by itself; here only on this machine. */
import { createServer, Server } from "node:net";

const probe = createServer().listen(0, "127.0.0.1");
await new Promise((resolve) => probe.once("listening", resolve));
const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
await new Promise((resolve) => probe.close(resolve));

const listen = Server.prototype.listen;
Server.prototype.listen = function (/** @type {unknown[]} */ ...args) {
  const done = args.find((one) => typeof one === "function");
  return Reflect.apply(listen, this, [{ port, host: "127.0.0.1" }, ...(done ? [done] : [])]);
};
process.argv.push(`--port=${port}`, "--headless");
// Its words of welcome would stand among the results.
console.log = () => {};
// @ts-expect-error It has no types.
await import("@portkey-ai/gateway/build/start-server.js");
process.send?.({ url: `http://127.0.0.1:${port}` });
process.on("disconnect", () => process.exit(0));
