/** Requests per second and latency of the gateway beside others, in one run. See `gateway/run.ts`. */
import "./gateway/run.ts";
