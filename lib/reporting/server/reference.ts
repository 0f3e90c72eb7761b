export function referenceFor(_error: unknown): string {
  return "0".repeat(32);
}
