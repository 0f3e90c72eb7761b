export default async function failing(): Promise<never> {
  throw new Error("An API route fails");
}
