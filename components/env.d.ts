/** What the bundler puts in place of `import.meta.env`, as far as we read it. */
interface ImportMeta {
  readonly env: { readonly PROD: boolean };
}
/** What the bundler makes of a module that is imported as a worker. */
declare module '*?worker' {
  const worker: new () => Worker;
  export default worker;
}
