/** Watches each request from where Signpost watches it, and tells the test on standard output. */
export async function register() {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { observe } = await import("./observe.js");
    observe();
  }
}

/** @type {import("next").Instrumentation.onRequestError} */
export async function onRequestError(error, request, context) {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { note } = await import("./notes.js");
    const { statusCode = 500 } = /** @type {{ statusCode?: number }} */ (error);
    note(`onRequestError ${context.routePath} ${request.path} ${error} ${statusCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    note("onRequestError is through");
  }
}
