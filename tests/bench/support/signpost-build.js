import { build } from "../../../scripts/build.ts";
import { buildIsStale, sourceHash } from "../../../scripts/build-stamp.ts";
import { prepareEnvironment } from "../../../scripts/environment.ts";
import { variants } from "../../../scripts/variants.ts";

/** Makes Signpost's ordinary build unless there is one of these very sources. */
export async function buildSignpost() {
  prepareEnvironment("production");
  const { env } = variants.own;
  if (!buildIsStale(".next", sourceHash(".", { ...process.env, ...env }))) return;
  console.log("Building Signpost …");
  const code = await build(env);
  if (code !== 0) throw new Error(`The build of Signpost ended with ${code}.`);
}
