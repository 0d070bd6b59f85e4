/**
 * Says whether a window can be shown here.
 * @param env the environment to look at.
 * @returns true on macOS and Windows, and on Linux with an X11 or Wayland display.
 */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
