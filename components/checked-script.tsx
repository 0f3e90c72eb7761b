import Script, { type ScriptProps } from "next/dist/client/script";
import { isServing } from "@/lib/config/phase";
import { allowedSources } from "@/lib/policy/policy";
import { scriptFault } from "@/lib/policy/script-fault";

/**
 * Takes the place of `next/script` on the server, by `resolveAlias` in next.config.js. A script that
 * the policy would block fails the build, and the page in development, with a sentence. A production
 * server renders the page: the browser blocks the script and reports it.
 */
// biome-ignore lint/style/noDefaultExport: like next/script
export default function CheckedScript(props: ScriptProps) {
  const fault = isServing() ? undefined : scriptFault(props, allowedSources["script-src"]);
  if (fault) throw new Error(fault);
  return <Script {...props} />;
}

// Next's document looks for this mark.
Object.defineProperty(CheckedScript, "__nextScript", { value: true });

export { handleClientScriptLoad, initScriptLoader } from "next/dist/client/script";
