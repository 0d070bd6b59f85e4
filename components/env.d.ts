/** What the bundler puts in place of `import.meta.env`, as far as we read it. */
interface ImportMeta {
  readonly env: { readonly PROD: boolean };
}
