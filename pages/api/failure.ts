import type { PageConfig } from "next";
import { apiRoute } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** Fails on purpose, to show how a failing API route answers and is reported. */
function fail(): never {
  throw new Error("This API route fails on purpose");
}

export default apiRoute({ GET: fail, POST: fail });
