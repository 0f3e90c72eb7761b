export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { runtimeConfig } = await import("@/lib/config/runtime.js");
  runtimeConfig();
}
