import handler from "./settings";

/** What no other route takes: not in an app with a rewrite to another server. */
export default handler;
