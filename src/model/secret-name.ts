/**
 * Whether a name in the vault is the product's own: keys of model accounts (`model:<account>`) and of the bridge lie there too, and no
 * workflow may fill them in anywhere. Names that people give have no colon.
 */
export function isReservedSecret(name: string): boolean {
  return name.includes(':');
}
