/** What a key means, in one line, by its place: `budget.tokens`, or a part of it from the right (`retry.delay` fits anywhere). */
export type Words = Readonly<Record<string, string>>;

/** Keys of the file itself, and of what stands in it. */
export const FILE_WORDS: Words = {
  format: 'The format of this file: tabloom/v1.',
  id: 'Id of the workflow: lower-case letters, digits and -, at most 64.',
  name: 'What people call the workflow.',
  description: 'What it does, in a sentence or two.',
  inputs: 'JSON Schema (2020-12) of the input, an object: it checks the input and makes the form.',
  sites: 'Match patterns of the pages that the workflow may touch, and nothing else: https://example.com/*',
  context: 'Documents of the knowledge base, or #collections, that are put before every model prompt.',
  timeout: 'Active time that a run may take (5m): waiting for people, timers and signals does not count.',
  onFailure: 'What a failure does: stop the run (the default), finish what does not depend on it, or rollback.',
  budget: 'What a run may spend on models.',
  'budget.tokens': 'Tokens, of prompts and replies together.',
  'budget.usd': 'US dollars.',
  'budget.onExceeded': 'Ask a person at the limit (the default), or fail.',
  secretPolicy:
    'What looks like a secret in inputs and outputs: block fails the step (the default), redact replaces it.',
  defaults: 'For steps that do work themselves and do not say it themselves.',
  'defaults.timeout': 'Bound on one attempt, 1s to 24h.',
  'defaults.retry': 'How failed attempts are tried again; a step’s own retry goes before it, key by key.',
  recipes: 'Prompts with a name, for recipe steps.',
  'recipes.*': 'A prompt with a name.',
  'recipes.*.system': 'What the model is told about its task.',
  'recipes.*.prompt': 'The prompt; {{input.name}} is what the step passes in.',
  'recipes.*.inputSchema': 'JSON Schema of what the step passes in.',
  'recipes.*.outputSchema': 'JSON Schema of the object that the model is to give.',
  'recipes.*.model': 'A name from the settings (fast, best) or provider:model.',
  'recipes.*.temperature': 'How free the model is, 0 to 2.',
  'recipes.*.maxTokens': 'Tokens that the reply may have (2048).',
  agents: 'Agents with a name, for agent steps.',
  'agents.*': 'An agent with a name.',
  'agents.*.instructions': 'What the agent is told about its work.',
  'agents.*.model': 'A name from the settings (fast, best) or provider:model.',
  'agents.*.tools': 'Tools that it may use: browser_click, mcp__server__tool, names of operations.',
  'agents.*.maxTurns': 'Turns that it may take at most (20).',
  'agents.*.maxTokens': 'Tokens that one reply may have (2048).',
  triggers: 'What starts the workflow. By hand it can always be started.',
  steps: 'The steps. Each waits for the one above it, unless dependsOn says otherwise.',
  output: 'The output of a run: any value, templates are filled in at its end.',
};

/** Keys that every step may have. */
export const STEP_WORDS: Words = {
  id: 'Id of the step, unique in the file: its output is {{step.<id>}}.',
  type: 'What the step does.',
  name: 'What people see of it; the id, unless told.',
  dependsOn: 'Steps of the same list that it waits for; [] starts at once. Left out, it waits for the step above it.',
  'dependsOn.step': 'The step that this edge comes from.',
  'dependsOn.when': 'The edge is cut where this does not hold.',
  'dependsOn.output': 'Path into that step’s output; left out, the whole output.',
  'dependsOn.input': 'Name in this step’s input under which it is put; left out, the whole input.',
  join: 'all: one cut edge is enough to skip the step.',
  when: 'Skips just this step where it does not hold.',
  timeout: 'Bound on one attempt, 1s to 24h.',
  retry: 'How failed attempts are tried again.',
  'retry.maxAttempts': 'Attempts in all, 1 to 20 (3).',
  'retry.backoff': 'How the delay grows: exponential (the default), linear or none.',
  'retry.delay': 'Delay before the second attempt, at most 5m (2s).',
  'retry.maxDelay': 'Bound on the delay, at most 1h (30s).',
  'retry.jitter': 'Adds up to a second, so that a crowd does not return at once (true).',
  'retry.on': 'Error codes that are tried again, instead of the usual ones.',
  onError: 'When all attempts failed: fail (the default), skip, or continue as failed.',
  fallback: 'What stands in when all attempts failed.',
  'fallback.value': 'The output then; templates are filled in.',
  'fallback.steps': 'Steps that run then; the last output is the step’s.',
  'fallback.cached': 'true: the last cached output, also one that has expired.',
  inputSchema: 'JSON Schema of the resolved input.',
  outputSchema: 'JSON Schema of the output.',
  cache: 'Uses an earlier equal result of this workflow again; for steps that only compute or look.',
  'cache.ttl': 'How long a result may be used again.',
  'cache.key': 'What else must be equal; templates are filled in.',
  compensate: 'Steps that undo this one when the run fails under onFailure: rollback.',
  effect: 'What doing it twice would mean, where the type does not know: pure, read, idempotent or once.',
  onInterrupted: 'When it is not known whether the step acted: retry, ask a person, or fail.',
  verify: 'Looks whether the effect happened, before anyone is asked.',
  'verify.steps': 'Steps that look.',
  'verify.done': 'Holds where the effect happened.',
};

/** Keys of a condition that is written as an object. */
export const CONDITION_WORDS: Words = {
  op: 'What is compared.',
  input: 'The value that is looked at; templates are filled in.',
  expected: 'What it is compared with.',
  steps: 'Ids of the steps whose states count.',
};

const PERSON: Words = {
  title: 'What is asked, in one line.',
  requiredRole: 'Role of the person who may decide (owner).',
  expiresAfter: 'How long it may wait, 1s to 7d (24h).',
};

const MODEL: Words = {
  model: 'A name from the settings (fast, best) or provider:model.',
  context: 'Documents of the knowledge base, or #collections, that are put before the prompt.',
};

/** Own keys of the step types. */
export const TYPE_WORDS: Readonly<Record<string, Words>> = {
  recipe: {
    ...MODEL,
    recipe: 'Id of an entry under recipes, instead of a prompt.',
    prompt: 'The prompt, where no recipe is named.',
    system: 'What the model is told about its task.',
    input: 'What a recipe’s texts see as {{input}}.',
    temperature: 'How free the model is, 0 to 2.',
    maxTokens: 'Tokens that the reply may have (2048).',
    attachments: 'Ids of artifacts of this run whose text is put before the prompt.',
  },
  agent: {
    ...MODEL,
    agent: 'Id of an entry under agents.',
    goal: 'What is to be reached.',
    input: 'What the agent’s texts see as {{input}}.',
    tools: 'Tools that it may use, at most those of the agent.',
    maxTurns: 'Turns that it may take (20).',
    approve: 'Calls that a person is asked about: writes (the default), none, all, or a list of tools.',
  },
  browser_action: {
    action: 'What is done in the page: navigate, extract, click, fill, …',
    arguments: 'Arguments of the action.',
    tab: 'Id of a tab that an earlier step gave; left out, the current one.',
  },
  mcp_tool: {
    server: 'Name of the MCP server.',
    tool: 'Name of its tool.',
    arguments: 'Arguments of the tool.',
  },
  deterministic_command: {
    operation: 'A built-in operation, such as csv.parse.',
    arguments: 'Arguments of the operation.',
  },
  condition: {
    if: 'Which branch is taken.',
    then: 'Steps where it holds.',
    else: 'Steps where it does not.',
  },
  loop: {
    over: 'The list: an array, or a template that gives one.',
    steps: 'Steps for each item, which is {{loop_item}}.',
    concurrency: 'Items side by side, 1 to 10 (1).',
    collect: 'What each item gives; left out, its last output.',
    maxItems: 'Most items that the list may have (1000).',
    onItemError: 'Fail the loop with the first failed item (the default), or continue.',
  },
  parallel: {
    branches: 'Step lists by name, which run side by side.',
    onBranchError: 'Fail when a branch has failed (the default), or continue.',
  },
  approval: {
    ...PERSON,
    message: 'What the person should know.',
    show: 'What is approved: any value, templates are filled in.',
    covers: 'Ids of the steps whose exact acts are approved with it.',
    risk: 'What a wrong yes would cost.',
    editable: 'JSON Schema of the fields of show that the person may edit.',
    onReject: 'Fail with a no (the default), or continue.',
  },
  review: {
    ...PERSON,
    content: 'What is read.',
    revise: 'Steps that change it when the person asks for changes; {{review.comment}} says which.',
    maxRounds: 'Rounds of changes (3).',
  },
  task: {
    title: PERSON.title as string,
    instructions: 'What is to be done.',
    form: 'JSON Schema of what the person fills in.',
    assignee: 'Who is to do it.',
    dueAfter: 'How long the person has.',
  },
  wait: {
    for: 'How long: 90s, 5m, 2h, 7d.',
    until: 'A moment, ISO 8601.',
    signal: 'Name of a signal.',
    page: 'A page that the person’s browser shows.',
    'page.url': 'Its address, with * for any text; within sites.',
    'page.selector': 'CSS selector of what must be visible on it.',
    timeout: 'How long at most, up to 365d; then it fails.',
  },
  artifact: {
    name: 'File name.',
    mediaType: 'Its media type (text/plain).',
    content: 'The text, or any value, which is kept as JSON.',
    required: 'false: without content the step is skipped instead of failing.',
  },
  notification: {
    title: 'The first line.',
    message: 'What it says.',
    severity: 'How urgent it is.',
    dedupeKey: 'One with the same key is not shown again.',
    to: 'Whom it is for.',
  },
  handoff: {
    to: 'A group of the profile.',
    message: 'What they should know.',
  },
  kb_write: {
    document: 'Id of the document in the knowledge base.',
    title: 'Its title; left out, the one it has.',
    content: 'The text, or any value, which is kept as JSON.',
    mode: 'Replace what is there (the default), or append to it.',
  },
  kb_search: {
    query: 'Words to look for.',
    limit: 'Most hits, 1 to 50 (5).',
    collection: 'Only documents of this collection.',
  },
  subworkflow: {
    workflow: 'Id of the workflow, or id@revision.',
    input: 'Its input.',
    tab: 'Id of a tab that it may work in.',
  },
};
