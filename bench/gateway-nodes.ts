/** Throughput of one to three nodes on one PostgreSQL. See `gateway/nodes.ts`. */
import "./gateway/nodes.ts";
