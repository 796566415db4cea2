/** Memory of the gateway over 100,000 requests of 10,000 conversations. See `gateway/memory.ts`. */
import "./gateway/memory.ts";
