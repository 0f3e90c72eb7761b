import { apiRoute } from "@/lib/http/api";

/** Fails on purpose, to show how a failing API route answers and is reported. */
function fail(): never {
  throw new Error("This API route fails on purpose");
}

export default apiRoute({ GET: fail, POST: fail });
