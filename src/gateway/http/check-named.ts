import { nameFault } from "../../stores/shared/check-name.ts";
import { RequestFault } from "./request-fault.ts";

/**
 * Refuses a name in a request that the store could never hold, before anything is sent: the client would get an answer
 * that is lost.
 */
export function checkNamed(what: string, name: string, most?: number): void {
  const wrong = nameFault(name, most);
  if (wrong) throw new RequestFault(400, "invalid", `precis: the ${what} ${wrong.fault}. ${wrong.fix}`);
}
