/**
 * Lets only so many reports of a kind through for each page load: a page that throws in a loop
 * tells nothing new with its hundredth error.
 *
 * @param most how many pass
 * @param onHeldBack is told of each one that does not
 */
export function floodGate<Event>(most: number, onHeldBack: () => void) {
  let passed = 0;
  return (event: Event): Event | null => {
    if (passed++ < most) return event;
    onHeldBack();
    return null;
  };
}
