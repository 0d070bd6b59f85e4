/**
 * Whether this context would turn text into code. Tried, not concluded from the manifest: an attached debugger, a changed manifest or a
 * policy of the browser may differ from what was built.
 * @returns `blocked` in every build that ships
 */
export function dynamicCode(): 'blocked' | 'allowed' {
  try {
    new Function('return 1')();
    return 'allowed';
  } catch {
    return 'blocked';
  }
}
